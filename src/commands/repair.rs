//! `mcp-memory repair`: makes a damaged memory file load again, and says what
//! was done.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::config::flags::MemoryFile;
use crate::config::{Config, Flags, Stop, Surroundings};
use crate::diagnostics;
use crate::store::RealDisk;
use crate::store::disk::Disk;
use crate::store::doctor::read;
use crate::store::doctor::repair::{Options, Outcome, foretell, repair};
use crate::store::format::salvage::Merged;
use crate::words::count;

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
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Make one entity of those that share a name
    #[arg(long)]
    merge_duplicates: bool,
}

impl Repair {
    pub(super) fn run(self, flags: Flags, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
        let config = Config::resolve(self.file.or(flags), surroundings)?;
        let options = Options {
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
            if diagnostics::say_unless_written(written) {
                return LOADS;
            }
            if outcome.done {
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
        let bad = &step.bad;
        writeln!(out, "{path}:{}:{}: {}", bad.line, bad.column, bad.reason)?;
        if step.saved > 0 {
            let records = count(step.saved, "record", "records");
            writeln!(out, "    saved: {records}")?;
        }
        if step.rejected > 0 {
            let bytes = count(step.rejected, "byte", "bytes");
            writeln!(out, "    set aside: {bytes}")?;
        }
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
    Ok(())
}
