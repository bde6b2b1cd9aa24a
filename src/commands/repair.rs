//! `mcp-memory repair`: makes a damaged memory file load again, and says what
//! was done.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::config::flags::{MemoryFile, Patience};
use crate::config::{Config, Flags, Stop, Surroundings};
use crate::diagnostics;
use crate::store::RealDisk;
use crate::store::disk::Disk;
use crate::store::doctor::read;
use crate::store::doctor::repair::{Options, Outcome, foretell, repair};
use crate::store::format::mend::words;
use crate::store::format::salvage::{Merged, Step};
use crate::words::{count, shell_word};

/// The file loads now.
const LOADS: u8 = 0;
/// It could not be repaired, and is as it was; or what was done could not be
/// written.
const FAILED: u8 = 1;
/// It cannot be read.
const UNREADABLE: u8 = 2;

/// Make a damaged memory file load again, and keep a backup
///
/// Every record that can be found is kept; what cannot be saved goes to a
/// file beside it. Exit code 0: the file loads; 1: it could not be
/// repaired; 2: it cannot be read.
#[derive(Debug, Args)]
pub struct Repair {
    #[command(flatten)]
    file: MemoryFile,
    #[command(flatten)]
    patience: Patience,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Go on where nothing of the file can be saved: all of it is set aside
    /// then, and the memory is empty
    #[arg(long)]
    force: bool,
    /// Make one entity of those that share a name
    #[arg(long)]
    merge_duplicates: bool,
}

impl Repair {
    pub(super) fn run(self, flags: Flags, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
        let config = Config::resolve(self.patience.or(self.file.or(flags)), surroundings)?;
        let options = Options {
            force: self.force,
            merge_duplicates: self.merge_duplicates,
            lock_timeout: config.lock_timeout,
        };
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let out = &mut io::stdout();
        Ok(mend(&disk, &config.memory_file, options, self.dry_run, out))
    }
}

/// Repairs the file at `path`, writes what was done to `out` and says with
/// which code to exit: [`LOADS`], [`FAILED`] or [`UNREADABLE`].
fn mend(
    disk: &Arc<dyn Disk>,
    path: &Path,
    options: Options,
    dry_run: bool,
    out: &mut dyn Write,
) -> u8 {
    let done = if dry_run {
        foretell(&**disk, path, options)
    } else {
        read(&**disk, path).and_then(|_| repair(disk, path, options))
    };
    match done {
        Ok(outcome) => {
            let written = write(&outcome, path, out).and_then(|()| out.flush());
            let written = diagnostics::say_unless_written(written);
            if outcome.refused {
                diagnostics::say(refusal(&outcome, path));
            } else if written {
                return LOADS;
            } else if outcome.done {
                diagnostics::say(format_args!(
                    "the repair is done; the file as it was is in {}",
                    outcome.backup.display()
                ));
            }
            FAILED
        }
        Err(error) => {
            let unreadable = read(&**disk, path).is_err();
            diagnostics::say(error);
            if unreadable { UNREADABLE } else { FAILED }
        }
    }
}

/// Says what was done, or what would be.
fn write(outcome: &Outcome, path: &Path, out: &mut dyn Write) -> io::Result<()> {
    let (plan, path) = (&outcome.plan, path.display());
    if plan.is_nothing() {
        let no_memory = if plan.memory == 0 && plan.records > 0 {
            ", but no entity and no relation was found in it"
        } else {
            ""
        };
        return writeln!(out, "{path}: nothing to repair{no_memory}");
    }
    for step in &plan.steps {
        write_step(step, &path, out)?;
    }
    for line in plan.typed.iter().take(LISTED) {
        writeln!(
            out,
            "{path}:{line}: a record without a type has an entity's or a relation's fields\n    \
             given its type"
        )?;
    }
    if plan.typed.len() > LISTED {
        let more = plan.typed.len() - LISTED;
        writeln!(out, "{path}: and {more} more of these")?;
    }
    for merged in &plan.merged {
        let Merged {
            name,
            count: all,
            set_aside,
        } = merged;
        write!(out, "{path}: made one of {all} entities named {name:?}")?;
        if *set_aside > 0 {
            let records = count(*set_aside, "record", "records");
            write!(
                out,
                "; {records} with another type or more fields set aside"
            )?;
        }
        writeln!(out)?;
    }
    if outcome.refused {
        return Ok(());
    }
    let (wrote, will_be) = if outcome.done {
        ("wrote", "is")
    } else {
        ("would write", "would be")
    };
    writeln!(
        out,
        "{wrote} {path}: {}",
        count(plan.records, "record", "records")
    )?;
    writeln!(
        out,
        "the file as it was {will_be} in {}",
        outcome.backup.display()
    )?;
    if !plan.rejected.is_empty() {
        let file = outcome.rejected.display();
        writeln!(out, "what cannot be saved {will_be} in {file}")?;
    }
    if plan.memory == 0 {
        writeln!(
            out,
            "no entity and no relation was found: the memory {will_be} empty{}",
            if outcome.done { " now" } else { "" }
        )?;
    }
    if outcome.done {
        write_what_now(outcome, out)?;
    }
    Ok(())
}

/// What is done about one bad line.
fn write_step(step: &Step, path: &dyn Display, out: &mut dyn Write) -> io::Result<()> {
    let bad = &step.bad;
    writeln!(out, "{path}:{}:{}: {}", bad.line, bad.column, bad.reason)?;
    if step.saved > 0 {
        let records = count(step.saved, "record", "records");
        writeln!(out, "    saved: {records}")?;
    }
    if !step.mends.is_empty() {
        writeln!(out, "    mended: {}", words(&step.mends))?;
    }
    for line in &step.dropped {
        writeln!(out, "    left out: {}", excerpt(line))?;
    }
    if step.rejected > 0 {
        let bytes = count(step.rejected, "byte", "bytes");
        writeln!(out, "    set aside: {bytes}: {}", excerpt(&step.excerpt))?;
    }
    if !step.on_both_sides.is_empty() {
        let names = step.on_both_sides.iter().take(LISTED);
        let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
        let more = step.on_both_sides.len() - names.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        writeln!(
            out,
            "    on both sides, so there twice: {}{more}; --merge-duplicates makes one of them",
            names.join(", ")
        )?;
    }
    Ok(())
}

/// How to go on from a repair, and how to go back.
fn write_what_now(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let Outcome {
        target,
        backup,
        rejected,
        plan,
        ..
    } = outcome;
    let [file, backup, rejected] =
        [target, backup, rejected].map(|path| path.display().to_string());
    let [file, backup, rejected] = [&file, &backup, &rejected].map(|path| shell_word(path));
    let copy = if cfg!(windows) { "copy" } else { "cp" };
    let files = if plan.rejected.is_empty() {
        "the backup"
    } else {
        writeln!(
            out,
            "to bring a line back that was set aside: correct it in {rejected}, add it to the end \
             of {file}, and run `mcp-memory check {file}`"
        )?;
        "both files"
    };
    writeln!(
        out,
        "to undo the repair while no client runs: `{copy} {backup} {file}`\n\
         delete {files} once nothing is missed"
    )
}

/// Why nothing is done.
fn refusal(outcome: &Outcome, path: &Path) -> String {
    let bytes = outcome.plan.steps.iter().map(|step| step.rejected).sum();
    let path = path.display().to_string();
    format!(
        "cannot repair {path}: no entity and no relation was found in it, so {} would be set aside \
         and nothing saved; is this a memory file?\n\
         nothing was written; `mcp-memory repair --force {}` does it nevertheless",
        count(bytes, "byte", "bytes"),
        shell_word(&path)
    )
}

/// The first characters of a text, on one line.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown = String::new();
    for character in text.trim().chars().take(EXCERPT) {
        match character {
            '\n' => shown.push_str(" / "),
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    if text.trim().chars().nth(EXCERPT).is_some() {
        shown.push('…');
    }
    shown
}

/// So many characters of what is set aside are shown.
const EXCERPT: usize = 200;

/// So many things of one sort are named.
const LISTED: usize = 20;
