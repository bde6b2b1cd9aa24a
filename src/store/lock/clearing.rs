//! What is done with a lock file whose holder is gone, and with what else is
//! left of that.

use std::io;

use super::held::gone;
use super::holder::Holder;
use super::watched::{Dead, Watched, try_lock};
use crate::diagnostics;
use crate::store::disk::identity::{Identity, Kind};

impl Watched<'_> {
    /// Removes a file that somebody else made, if it is still the one that was
    /// judged. Its advisory lock is held meanwhile, so that of several who
    /// judged it one does this.
    pub(super) fn remove(&self, dead: &Dead) -> io::Result<bool> {
        let there = self.disk().identity_of_name(&self.path)?;
        let Some(file) = &dead.file else {
            return self.remove_unopened(dead, there);
        };
        if try_lock(file.as_ref())?.is_none() {
            return Ok(false);
        }
        let now = file.identity()?;
        if now.modified != dead.identity.modified
            || !there.is_some_and(|there| there.is_same_file(&now))
        {
            return Ok(false);
        }
        // What it names goes first: were we killed in between, the lock would
        // still name it.
        if let Some(record) = &dead.record {
            self.clear_up(record)?;
        }
        gone(self.disk().remove(&self.path))?;
        Ok(true)
    }

    /// The same for what we may not open. A directory that is not empty is
    /// nobody's lock, and the system does not remove it.
    fn remove_unopened(&self, dead: &Dead, there: Option<Identity>) -> io::Result<bool> {
        if there != Some(dead.identity) {
            return Ok(false);
        }
        if dead.identity.kind == Kind::Directory {
            return Ok(self.disk().remove_directory(&self.path).is_ok());
        }
        match gone(self.disk().remove(&self.path)) {
            // There it also says that somebody has the file open.
            Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::PermissionDenied => {
                Ok(false)
            }
            result => result.map(|()| true),
        }
    }

    /// Removes what a dead holder left, or puts it in place where the target
    /// would be missing without it.
    fn clear_up(&self, record: &Holder) -> io::Result<()> {
        if let Some(private) = record.private() {
            gone(self.disk().remove(&self.directory().join(private)))?;
        }
        let (Some(target), Some(temp)) = (self.target, record.temp()) else {
            return Ok(());
        };
        let temp = self.directory().join(temp);
        if self.disk().identity_of_name(target)?.is_some() || record.ready == Some(false) {
            return gone(self.disk().remove(&temp));
        }
        if self.disk().identity_of_name(&temp)?.is_none() {
            return Ok(());
        }
        if record.ready.is_none() {
            // An earlier version did not say whether it is complete.
            diagnostics::warn(format_args!(
                "{} was left by a process that was killed, and {} is missing\n\
                 if the first holds your memory, give it the name of the second",
                temp.display(),
                target.display()
            ));
            return Ok(());
        }
        match self.disk().rename_new(&temp, target) {
            // Somebody made a new one just now.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return gone(self.disk().remove(&temp));
            }
            result => gone(result)?,
        }
        if self.claim.fsync {
            self.locks.disk.sync_directory(self.directory())?;
        }
        diagnostics::warn(format_args!(
            "{} was missing because a process was killed while it replaced the file; the new \
             file is in its place now",
            target.display()
        ));
        Ok(())
    }
}
