//! A lock file while this process holds it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::heartbeat::Heartbeat;
use super::holder::{Holder, LONGEST_RECORD};
use crate::store::disk::cause::means_nothing_there;
use crate::store::disk::file_system::{Access, Disk, DiskFile};
use crate::store::disk::identity::Identity;

/// A lock file, or a guard, that this process created.
pub(super) struct Held {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) path: PathBuf,
    pub(super) file: Arc<dyn DiskFile>,
    pub(super) identity: Identity,
    pub(super) holder: Mutex<Holder>,
    pub(super) heartbeat: Option<Heartbeat>,
}

impl Held {
    /// Whether the file under the lock's name is the one that we made.
    pub(super) fn is_ours(&self) -> io::Result<bool> {
        match self.disk.identity_of_name(&self.path)? {
            None => Ok(false),
            Some(there) if there.is_same_file(&self.identity) => Ok(true),
            // Some file systems number a file anew, by its path or as they
            // like. What it says is ours alone.
            Some(_) => Ok(self.says_ours()),
        }
    }

    fn says_ours(&self) -> bool {
        let file = self.disk.open(&self.path, Access::Read).ok().flatten();
        file.is_some_and(|file| self.is_said_by(file.as_ref()))
    }

    /// Whether this file, which may be ours by another name, holds our record.
    pub(super) fn is_said_by(&self, file: &dyn DiskFile) -> bool {
        file.read_start(LONGEST_RECORD)
            .ok()
            .and_then(|bytes| Holder::parse(&bytes))
            .is_some_and(|found| found.is_same(&self.holder()))
    }

    /// Writes the record for the first time. `locked`: others see our advisory
    /// lock.
    pub(super) fn write_record(&self, locked: bool) -> io::Result<()> {
        let mut holder = self.holder();
        holder.locked = locked;
        self.file.write_all(&[&holder.to_line()])
    }

    /// Says that others see our advisory lock.
    pub(super) fn say_locked(&self) -> io::Result<()> {
        let mut holder = self.holder();
        holder.locked = true;
        self.file.write_over(&holder.to_line())
    }

    /// Says that the temp file is complete, so that it is put in place should
    /// we die before that is done. It must be known after a power cut, too.
    pub(super) fn say_ready(&self, fsync: bool) -> io::Result<()> {
        let mut holder = self.holder();
        holder.ready = Some(true);
        self.file.write_over(&holder.to_line())?;
        if fsync { self.file.sync() } else { Ok(()) }
    }

    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.heartbeat = None;
        // The name goes before the advisory lock, which ends with the file:
        // whoever sees the file unlocked finds that its name is gone. Should
        // this fail, the file is seen to be dead as soon as it is closed.
        if matches!(self.is_ours(), Ok(true)) {
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// What is not there is gone.
pub(super) fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if means_nothing_there(&error) => Ok(()),
        result => result,
    }
}

/// `FILE` and a suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
