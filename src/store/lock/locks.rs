//! How lock files are made in a directory, as far as that was found out.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::disk::file_system::Disk;

/// The locks on one disk. Whoever takes many keeps this, because some things
/// can only be found out by trying.
pub struct Locks {
    pub(super) disk: Arc<dyn Disk>,
    known: Mutex<Vec<(PathBuf, Making)>>,
}

/// How a lock file comes into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Making {
    /// It is made and locked without its name, and gets that when it is
    /// complete. On this device a file is then still the same one, by number
    /// and by advisory lock.
    Whole {
        /// The device's number. Another may be mounted here by now.
        device: u64,
    },
    /// It is made under its name: there are no hard links here, or a file's two
    /// names are two files to the system, and a lock on the one is none on the
    /// other. That works everywhere, at the price of a moment in which the lock
    /// file is empty.
    InPlace,
}

impl Locks {
    /// Nothing is known yet.
    #[must_use]
    pub fn on(disk: &Arc<dyn Disk>) -> Locks {
        Locks {
            disk: Arc::clone(disk),
            known: Mutex::default(),
        }
    }

    pub(super) fn making(&self, directory: &Path) -> Option<Making> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = known.iter();
        known
            .find(|(path, _)| path == directory)
            .map(|(_, making)| *making)
    }

    pub(super) fn learn(&self, directory: &Path, making: Making) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(path, _)| path != directory);
        known.push((directory.to_path_buf(), making));
    }
}
