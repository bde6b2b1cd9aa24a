//! `mcp-memory repair`: makes a memory file that loads out of one that does
//! not, under the lock, with a backup. What becomes of each line is planned in
//! `salvage.rs`.
//!
//! The order matters: the backup and what is set aside are durable before the
//! memory file is replaced, so no byte of the original is ever gone.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::check::{count, read};
use super::disk::{Access, Disk, directory_of};
use super::document::Document;
use super::ending::Ending;
use super::error::StoreError;
use super::lock::{Claim, Lock};
use super::replace::{keep_attributes, stage, temp_name};
use super::salvage::{Merged, Plan, plan};
use crate::diagnostics;

/// The file loads now.
pub const LOADS: u8 = 0;
/// It could not be repaired, and is as it was; or what was done could not be
/// written.
pub const FAILED: u8 = 1;
/// It cannot be read.
pub const UNREADABLE: u8 = 2;

/// What a person asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Only say what would be done.
    pub dry_run: bool,
    /// Make one entity of those that share a name.
    pub merge_duplicates: bool,
    /// How long to wait for another process that writes.
    pub lock_timeout: Duration,
}

/// Repairs the file at `path`, writes what was done to `out` and says with
/// which code to exit: [`LOADS`], [`FAILED`] or [`UNREADABLE`].
pub fn run(disk: &Arc<dyn Disk>, path: &Path, options: Options, out: &mut dyn Write) -> u8 {
    let done = if options.dry_run {
        read(&**disk, path).map(|content| {
            let plan = plan(&content.bytes, options.merge_duplicates);
            Outcome::planned(plan, path)
        })
    } else {
        read(&**disk, path).and_then(|_| repair(disk, path, options))
    };
    match done {
        Ok(outcome) => {
            let written = outcome.write(path, out).and_then(|()| out.flush());
            if diagnostics::written(written) {
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

struct Outcome {
    plan: Plan,
    backup: PathBuf,
    rejected: PathBuf,
    done: bool,
}

fn repair(disk: &Arc<dyn Disk>, path: &Path, options: Options) -> Result<Outcome, StoreError> {
    let target = disk.resolve(path).map_err(|source| StoreError::Io {
        action: "follow the links of",
        path: path.to_path_buf(),
        source,
        consequence: "nothing was changed",
    })?;
    let temp = temp_name();
    let ending = Ending::default();
    let lock = Lock::acquire(
        disk,
        &Claim {
            link: (target != path).then_some(path),
            ..Claim::new(&target, &temp, options.lock_timeout, &ending)
        },
    )?;
    // Programs that know no lock may write between our look and the rename.
    for _ in 0..ATTEMPTS {
        let content = read(&**disk, &target)?;
        let plan = plan(&content.bytes, options.merge_duplicates);
        let mut outcome = Outcome::planned(plan, &target);
        if outcome.plan.is_nothing() {
            return Ok(outcome);
        }
        if Document::parse(outcome.plan.output.clone()).is_err() {
            return Err(StoreError::Refused(format!(
                "cannot repair {}: what was saved of it does not load\n\
                 nothing was changed; this is a bug, please report it with the file",
                path.display()
            )));
        }
        let time = free_time(&**disk, &target)?;
        outcome.backup = beside(&target, "backup", &time);
        outcome.rejected = beside(&target, "rejected", &time);
        let mut aside = Aside::new(disk, &target);
        aside.keep(&outcome.backup, &content.bytes)?;
        if !outcome.plan.rejected.is_empty() {
            aside.keep(&outcome.rejected, &outcome.plan.rejected)?;
        }
        disk.sync_directory(directory_of(&target))
            .map_err(|source| StoreError::unchanged("save a backup beside", &target, source))?;
        let staged = stage(disk, &target, &temp, &[&outcome.plan.output], true)?;
        let looked = |source| StoreError::unchanged("look at", &target, source);
        let is_ours = lock.is_ours().map_err(looked)?;
        if !is_ours || disk.identity(&target).map_err(looked)? != Some(content.after) {
            continue;
        }
        let published = staged.publish();
        if !matches!(&published, Err(error) if !error.file_changed()) {
            aside.done = true;
        }
        published?;
        outcome.done = true;
        return Ok(outcome);
    }
    Err(StoreError::Refused(format!(
        "cannot repair {}: another program keeps writing it\n\
         nothing was changed; end that program and try again",
        path.display()
    )))
}

const ATTEMPTS: usize = 3;

/// Files that are kept beside the memory file; removed again when the repair
/// does not come about.
struct Aside<'a> {
    disk: &'a Arc<dyn Disk>,
    target: &'a Path,
    files: Vec<PathBuf>,
    done: bool,
}

impl<'a> Aside<'a> {
    fn new(disk: &'a Arc<dyn Disk>, target: &'a Path) -> Self {
        Aside {
            disk,
            target,
            files: Vec::new(),
            done: false,
        }
    }

    /// Writes a file that nobody but those may read who may read the memory
    /// file.
    fn keep(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let fail = |source| StoreError::unchanged("write", path, source);
        let file = self.disk.create_new(path, true).map_err(fail)?;
        self.files.push(path.to_path_buf());
        file.write_all(&[bytes]).map_err(fail)?;
        if let Some(old) = self.disk.open(self.target, Access::Read).map_err(fail)? {
            keep_attributes(self.target, &*old, &*file).map_err(fail)?;
        }
        file.sync().map_err(fail)
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if !self.done {
            for file in &self.files {
                let _ = self.disk.remove(file);
            }
        }
    }
}

/// The time for the names of this repair's files, with a number behind it
/// where an earlier repair in the same second took the name.
fn free_time(disk: &dyn Disk, target: &Path) -> Result<String, StoreError> {
    let now = utc(SystemTime::now());
    let mut time = now.clone();
    for number in 2.. {
        let mut taken = false;
        for kind in ["backup", "rejected"] {
            let path = beside(target, kind, &time);
            let there = disk
                .identity(&path)
                .map_err(|source| StoreError::unchanged("look at", &path, source))?;
            taken |= there.is_some();
        }
        if !taken {
            break;
        }
        time = format!("{now}-{number}");
    }
    Ok(time)
}

fn beside(target: &Path, kind: &str, time: &str) -> PathBuf {
    let mut name = OsString::from(target.file_name().unwrap_or_default());
    name.push(format!(".{kind}-{time}"));
    target.with_file_name(name)
}

/// `20260131T235959Z`
fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March, so that a leap day is a year's last one; 400
    // of them have 146,097 days. Day 0 is 1970-01-01.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (date, month_of_year) = (day - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = era * 400 + year + u64::from(month >= 10);
    format!(
        "{year:04}{month_of_year:02}{date:02}T{:02}{:02}{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

impl Outcome {
    fn planned(plan: Plan, path: &Path) -> Outcome {
        Outcome {
            plan,
            backup: beside(path, "backup", "TIME"),
            rejected: beside(path, "rejected", "TIME"),
            done: false,
        }
    }

    /// Says what was done, or what would be.
    fn write(&self, path: &Path, out: &mut dyn Write) -> std::io::Result<()> {
        let (plan, path) = (&self.plan, path.display());
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
        let (wrote, will_be) = if self.done {
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
            self.backup.display()
        )?;
        if !plan.rejected.is_empty() {
            let file = self.rejected.display();
            writeln!(out, "what cannot be saved {will_be} in {file}")?;
        }
        if plan.memory == 0 {
            writeln!(
                out,
                "no entity and no relation was found: the memory {will_be} empty{}",
                if self.done { " now" } else { "" }
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_767_225_599, "20251231T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(utc(time), text);
        }
    }
}
