//! Makes a memory file that loads out of one that does not, under the lock, with
//! a backup. What becomes of each line is planned in `format/salvage`.
//!
//! The order matters: the backup and what is set aside are durable before the
//! memory file is replaced, so no byte of the original is ever gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::aside::{Aside, beside, free_time};
use super::read;
use crate::ending::Patience;
use crate::store::disk::file_system::{Disk, directory_of};
use crate::store::disk::replace::stage;
use crate::store::disk::temp::temp_name;
use crate::store::error::StoreError;
use crate::store::format::document::{Document, too_large};
use crate::store::format::salvage::{Plan, plan};
use crate::store::lock::{Claim, Lock};

/// What a person asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Make one entity of those that share a name.
    pub merge_duplicates: bool,
    /// Repair a file of which nothing can be saved too.
    pub force: bool,
    /// How long to wait for another process that writes.
    pub lock_timeout: Duration,
}

/// What was done, or what would be.
#[derive(Debug)]
pub struct Outcome {
    /// What becomes of each line.
    pub plan: Plan,
    /// The memory file, links followed.
    pub target: PathBuf,
    /// Where the file as it was is kept.
    pub backup: PathBuf,
    /// Where what cannot be saved is kept, if there is anything.
    pub rejected: PathBuf,
    /// Whether it was done.
    pub done: bool,
    /// Whether it is not to be done, because nothing would be saved.
    pub refused: bool,
}

/// Plans the repair of the file at `path`, and does nothing.
///
/// # Errors
/// [`StoreError`] when it cannot be read.
pub fn foretell(disk: &dyn Disk, path: &Path, options: Options) -> Result<Outcome, StoreError> {
    let content = read(disk, path)?;
    Outcome::planned(&content.bytes, path, options)
}

/// Repairs the file at `path`.
///
/// # Errors
/// [`StoreError`] when it cannot be read or repaired; the file is then as it
/// was, unless the error says otherwise.
pub fn repair(disk: &Arc<dyn Disk>, path: &Path, options: Options) -> Result<Outcome, StoreError> {
    let target = disk.resolve(path).map_err(|source| StoreError::Io {
        action: "follow the links of",
        path: path.to_path_buf(),
        source,
        consequence: "nothing was changed",
    })?;
    let temp = temp_name();
    let patience = Patience::default();
    let lock = Lock::acquire(
        disk,
        &Claim {
            link: (target != path).then_some(path),
            ..Claim::new(&target, &temp, options.lock_timeout, &patience)
        },
    )?;
    // Programs that know no lock may write between our look and the rename.
    for _ in 0..ATTEMPTS {
        let content = read(&**disk, &target)?;
        let mut outcome = Outcome::planned(&content.bytes, &target, options)?;
        if outcome.refused || outcome.plan.is_nothing() {
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
        let published = lock.publish(staged);
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

impl Outcome {
    fn planned(bytes: &[u8], path: &Path, options: Options) -> Result<Outcome, StoreError> {
        if let Some(bad) = too_large(bytes.len()) {
            return Err(StoreError::Refused(format!(
                "cannot repair {}: {}\n\
                 nothing was changed; move some of its lines to another file with a program of \
                 your choice",
                path.display(),
                bad.reason
            )));
        }
        let plan = plan(bytes, options.merge_duplicates);
        Ok(Outcome {
            refused: plan.saves_nothing() && !options.force,
            plan,
            target: path.to_path_buf(),
            backup: beside(path, "backup", "TIME"),
            rejected: beside(path, "rejected", "TIME"),
            done: false,
        })
    }
}
