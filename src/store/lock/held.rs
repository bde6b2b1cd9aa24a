//! A lock file while this process holds it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::heartbeat::Heartbeat;
use crate::store::disk::file_system::{Disk, DiskFile};
use crate::store::disk::identity::Identity;

/// A lock file, or a guard, that this process created.
pub(super) struct Held {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) path: PathBuf,
    pub(super) file: Arc<dyn DiskFile>,
    pub(super) identity: Identity,
    pub(super) heartbeat: Option<Heartbeat>,
}

impl Held {
    pub(super) fn is_ours(&self) -> io::Result<bool> {
        let there = self.disk.identity(&self.path)?;
        Ok(there.is_some_and(|there| there.is_same_file(&self.identity)))
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

/// `FILE` and a suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
