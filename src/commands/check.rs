//! `mcp-memory check`: says what is wrong with a memory file (exit 1) and what
//! is worth knowing (notes). Changes nothing.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::progress::Progress;
use crate::config::flags::MemoryFile;
use crate::config::{Config, Flags, Stop, Surroundings};
use crate::diagnostics;
use crate::store::RealDisk;
use crate::store::disk::Disk;
use crate::store::doctor::check::{Counts, Report};
use crate::store::doctor::read;
use crate::words::{and_more, count, shell_word};

/// Nothing to repair.
const GOOD: u8 = 0;
/// There are bad lines.
const BAD_LINES: u8 = 1;
/// The file cannot be read, or the report cannot be written.
const UNREADABLE: u8 = 2;

/// Say what is wrong with a memory file, and change nothing
///
/// Exit code 0: no bad line; 1: there are bad lines; 2: the file
/// cannot be read.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    file: MemoryFile,
    /// Report in JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self, flags: Flags, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
        let config = Config::resolve(self.file.or(flags), surroundings)?;
        let out = &mut io::stdout();
        Ok(check(&RealDisk, &config.memory_file, self.json, out))
    }
}

/// Checks the file at `path`, writes the report to `out` and says with which
/// code to exit: [`GOOD`], [`BAD_LINES`] or [`UNREADABLE`].
fn check(disk: &dyn Disk, path: &Path, json: bool, out: &mut dyn Write) -> u8 {
    let content = match read(disk, path) {
        Ok(content) => content,
        Err(error) => {
            if json {
                let error = error.to_string();
                let report = Unreadable {
                    file: path.to_string_lossy(),
                    error,
                };
                let _ = diagnostics::say_unless_written(write_json(&report, out));
            } else {
                diagnostics::say(error);
            }
            return UNREADABLE;
        }
    };
    let mut progress = Progress::new(content.bytes.len());
    let report = Report::of(&content.bytes, |done| progress.at(done));
    drop(progress);
    let written = if json {
        write_json(
            &ReportOfFile {
                file: path.to_string_lossy(),
                ok: report.bad_lines.is_empty(),
                report: &report,
            },
            out,
        )
    } else {
        let shown = Shown {
            path,
            report: &report,
        };
        write!(out, "{shown}").and_then(|()| out.flush())
    };
    if !diagnostics::say_unless_written(written) {
        UNREADABLE
    } else if report.bad_lines.is_empty() {
        GOOD
    } else {
        BAD_LINES
    }
}

#[derive(Serialize)]
struct ReportOfFile<'a> {
    file: Cow<'a, str>,
    ok: bool,
    #[serde(flatten)]
    report: &'a Report,
}

#[derive(Serialize)]
struct Unreadable<'a> {
    file: Cow<'a, str>,
    error: String,
}

fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value).expect("a report is plain data");
    writeln!(out, "{text}").and_then(|()| out.flush())
}

/// How many notes of one kind people are shown.
const LISTED_NOTES: usize = 20;

/// The report for people.
struct Shown<'a> {
    path: &'a Path,
    report: &'a Report,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (report, path) = (self.report, self.path.display());
        let word = path.to_string();
        let word = shell_word(&word);
        writeln!(
            f,
            "{path}: {}, {}: {}",
            count(report.bytes, "byte", "bytes"),
            count(report.lines, "line", "lines"),
            Counted(&report.counts)
        )?;
        if let Some(after) = &report.after_repair {
            writeln!(f, "{path}: after a repair: {}", Counted(after))?;
        }
        for bad in &report.bad_lines {
            writeln!(f, "{path}:{}:{}: {}", bad.line, bad.column, bad.reason)?;
            let records = count(bad.saved, "record", "records");
            let bytes = count(bad.set_aside, "byte", "bytes");
            match (bad.saved, bad.set_aside) {
                _ if report.too_large => {}
                (_, 0) => writeln!(f, "    repair would save {records}")?,
                (0, _) => writeln!(f, "    repair would save nothing and set {bytes} aside")?,
                _ => writeln!(f, "    repair would save {records} and set {bytes} aside")?,
            }
        }
        self.notes(f, &report.duplicate_entities, |duplicate| {
            let lines: Vec<String> = duplicate.lines.iter().map(usize::to_string).collect();
            let advice = if duplicate.lossy {
                "their names are not all text, so repair does not merge them".to_owned()
            } else {
                format!("`mcp-memory repair --merge-duplicates {word}` makes one of them")
            };
            format!(
                "{path}:{}: note: {} entities are named {:?}, on lines {}; {advice}",
                duplicate.lines[0],
                duplicate.lines.len(),
                duplicate.name,
                lines.join(", ")
            )
        })?;
        self.notes(f, &report.dangling_relations, |relation| {
            let missing: Vec<String> = relation
                .missing
                .iter()
                .map(|name| format!("{name:?}"))
                .collect();
            format!(
                "{path}:{}: note: relation {:?} {:?} {:?}: no entity is named {}",
                relation.line,
                relation.from,
                relation.relation_type,
                relation.to,
                missing.join(" or ")
            )
        })?;
        self.notes(f, &report.lossy_text, |lossy| {
            format!(
                "{path}:{}:{}: note: something in {} of the record's strings is no text; it is \
                 shown as U+FFFD, and its bytes are kept",
                lossy.line, lossy.column, lossy.strings
            )
        })?;
        self.notes(f, &report.untyped_records, |line| {
            format!(
                "{path}:{line}: note: a record without a type, which is not shown; it has an \
                 entity's or a relation's fields, and repair makes one of it"
            )
        })?;
        let others: Vec<&usize> = report
            .unknown_records
            .iter()
            .filter(|line| report.untyped_records.binary_search(line).is_err())
            .collect();
        self.notes(f, &others, |line| {
            format!("{path}:{line}: note: a record of another type; it is kept and not shown")
        })?;
        let dropped = [
            (usize::from(report.byte_order_mark), "byte order mark"),
            (report.carriage_returns, "CR before LF"),
            (report.blank_lines, "blank lines"),
        ];
        for (count, what) in dropped.iter().filter(|(count, _)| *count > 0) {
            writeln!(f, "{path}: note: {what} ({count}); the next write drops it")?;
        }
        if report.is_without_memory() && !report.saves_nothing && !report.too_large {
            writeln!(
                f,
                "{path}: note: no entity and no relation was found in this file, {}",
                match report.after_repair {
                    Some(_) => "and repair would find none: it would leave an empty memory",
                    None => "so the memory is empty",
                }
            )?;
        }
        self.what_to_do(f, &word)
    }
}

impl Shown<'_> {
    /// The last lines: what is to be done, with a command that can be pasted.
    fn what_to_do(&self, f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
        let report = self.report;
        let bad = count(report.bad_lines.len(), "bad line", "bad lines");
        if report.too_large {
            return writeln!(
                f,
                "every tool fails until the file is smaller, and repair cannot help\n\
                 move some of its lines to another file with a program of your choice"
            );
        }
        if report.saves_nothing {
            return writeln!(
                f,
                "{bad}; every tool fails on this file\n\
                 repair would save nothing: no entity and no relation was found; is this a memory \
                 file?\n\
                 `mcp-memory repair --force {word}` would set all of it aside and leave an empty \
                 memory"
            );
        }
        match (report.bad_lines.len(), report.untyped_records.len()) {
            (0, 0) => writeln!(f, "nothing to repair"),
            (0, untyped) => writeln!(
                f,
                "no bad line\nrun `mcp-memory repair {word}` to give {} the missing type",
                count(untyped, "record", "records")
            ),
            _ => writeln!(
                f,
                "{bad}; every tool fails until that is repaired\n\
                 run `mcp-memory repair {word}` to save what can be saved and set the rest aside"
            ),
        }
    }
}

/// What a file holds, in words.
struct Counted<'a>(&'a Counts);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts {
            entities,
            observations,
            relations,
            unknown_records,
        } = *self.0;
        write!(
            f,
            "{} with {}, {}, {}",
            count(entities, "entity", "entities"),
            count(observations, "observation", "observations"),
            count(relations, "relation", "relations"),
            count(unknown_records, "unknown record", "unknown records"),
        )
    }
}

impl Shown<'_> {
    fn notes<T>(
        &self,
        f: &mut fmt::Formatter<'_>,
        notes: &[T],
        text: impl Fn(&T) -> String,
    ) -> fmt::Result {
        for note in notes.iter().take(LISTED_NOTES) {
            writeln!(f, "{}", text(note))?;
        }
        if let Some(more) = and_more(notes.len(), LISTED_NOTES) {
            let path = self.path.display();
            writeln!(f, "{path}: note: {more} of these; --json lists all")?;
        }
        Ok(())
    }
}
