//! Taking the lock: waiting for it, making it, and breaking that of a dead
//! holder. Whether a holder is dead is `watched`'s to say; what is done under
//! the lock is the caller's.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::claim::Claim;
use super::heartbeat::Heartbeat;
use super::held::{Held, beside};
use super::locks::Locks;
use super::watched::{Dead, Obstacle, Seen, Watched};
use crate::store::disk::cause::may_mean_too_late;
use crate::store::disk::file_system::Disk;
use crate::store::disk::replace::{Published, Staged, create_parents};
use crate::store::error::StoreError;

/// The right to write the memory file. Dropped, it is given back, on a panic
/// too.
pub struct Lock {
    /// In the order in which they were taken, the target's last.
    held: Vec<Held>,
    fsync: bool,
}

impl Locks {
    /// The same as [`Lock::acquire`].
    ///
    /// # Errors
    /// The same.
    pub fn acquire(&self, claim: &Claim<'_>) -> Result<Lock, StoreError> {
        let mut lock = Lock {
            held: Vec::new(),
            fsync: claim.fsync,
        };
        if let Some(link) = claim.link {
            match take(self, claim, beside(link, ".lock"), None) {
                Ok(held) => lock.held.push(held),
                // Where we may not make a lock file, programs like us cannot
                // either, and the target's own lock is there to come.
                Err(StoreError::Io { source, .. })
                    if matches!(
                        source.kind(),
                        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                    ) => {}
                Err(error) => return Err(error),
            }
        }
        let target = beside(claim.target, ".lock");
        lock.held
            .push(take(self, claim, target, Some(claim.target))?);
        Ok(lock)
    }
}

impl Lock {
    /// Waits for the lock and takes it. Missing parent directories are made.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when the limit has come, or
    /// [`StoreError::NotALock`] where what is in the way is no lock,
    /// [`StoreError::ShuttingDown`] on a signal, [`StoreError::Io`] when the
    /// system does not let a lock file be made or a dead one removed. Nothing
    /// was written in any case.
    pub fn acquire(disk: &Arc<dyn Disk>, claim: &Claim<'_>) -> Result<Lock, StoreError> {
        Locks::on(disk).acquire(claim)
    }

    /// Whether the lock files are still ours. While this process is suspended
    /// nobody refreshes them, and other programs remove a lock that looks old.
    /// So the caller asks right before the rename.
    ///
    /// # Errors
    /// The system's.
    pub fn is_ours(&self) -> io::Result<bool> {
        for held in &self.held {
            if !held.is_ours()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts a file in the target's place under this lock. Where the target may
    /// be missing for a moment, the lock tells beforehand where it is.
    ///
    /// # Errors
    /// Those of [`Staged::publish`].
    pub fn publish(&self, staged: Staged) -> Result<Published, StoreError> {
        if let Some(held) = self.held.last().filter(|_| staged.may_leave_a_gap()) {
            let fail = |source| StoreError::unchanged("write", &held.path, source);
            held.say_ready(self.fsync).map_err(fail)?;
        }
        staged.publish()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        while let Some(held) = self.held.pop() {
            drop(held);
        }
    }
}

/// How long to go on trying where it is not clear whether somebody else was
/// quicker or the file system refuses.
const LONGEST_DOUBT: Duration = Duration::from_secs(1);

/// Waits until the lock file at `path` is ours. It is the lock of `target`,
/// where that is given.
fn take(
    locks: &Locks,
    claim: &Claim<'_>,
    path: PathBuf,
    target: Option<&Path>,
) -> Result<Held, StoreError> {
    let fail = |source| StoreError::unchanged("take the lock", &path, source);
    let mut lock = Watched::new(locks, claim, path.clone(), target);
    let mut guard = Watched::new(locks, claim, beside(&path, ".break"), None);
    let mut obstacle = Obstacle::Held(String::from("another program"));
    let mut doubt: Option<(Instant, io::Error)> = None;
    loop {
        if claim.patience.ending().is_stopped() {
            return Err(StoreError::ShuttingDown);
        }
        match lock.look().map_err(fail)? {
            Seen::Nothing => match lock.create() {
                Ok(Some(mut held)) => {
                    let file = Arc::clone(&held.file);
                    held.heartbeat = Some(Heartbeat::start(file, claim.timing.refresh));
                    // One who broke a lock and was killed then has left the
                    // guard, which only the next dead lock would lead to.
                    // While it stays, it harms nobody.
                    if let Ok(Seen::Dead(dead)) = guard.look() {
                        let _ = guard.remove(&dead);
                    }
                    return Ok(held);
                }
                // Somebody else was quicker.
                Ok(None) => doubt = None,
                Err(error) if may_mean_too_late(&error) => {
                    if create_parents(locks.disk.as_ref(), &path, claim.fsync)? {
                        continue;
                    }
                    let since = doubt.map_or_else(Instant::now, |(since, _)| since);
                    if since.elapsed() > LONGEST_DOUBT {
                        return Err(fail(error));
                    }
                    doubt = Some((since, error));
                }
                Err(error) => return Err(fail(error)),
            },
            Seen::Alive(by) => (obstacle, doubt) = (by, None),
            Seen::Dead(dead) => {
                if let Some(kind) = dead.is_no_file() {
                    obstacle = Obstacle::not_a_lock(kind);
                }
                let fail = |source| StoreError::unchanged("break the lock", &path, source);
                if break_lock(&mut lock, &mut guard, &dead).map_err(fail)? {
                    continue;
                }
            }
        }
        let left = claim.limit().saturating_duration_since(Instant::now());
        if left.is_zero() {
            if let Some((_, error)) = doubt {
                return Err(fail(error));
            }
            let waited = claim.since.elapsed().as_secs_f32();
            return Err(match obstacle {
                Obstacle::Held(holder) => StoreError::Locked {
                    path,
                    holder,
                    waited,
                },
                Obstacle::NotALock(what) => StoreError::NotALock { path, what, waited },
            });
        }
        std::thread::sleep(lock.pause().min(left));
    }
}

/// Removes a dead lock, and what is left of its holder, unless it turns out that
/// somebody else did it or that it lives. Done under a guard, so that nobody
/// removes the lock of whoever was next.
fn break_lock(lock: &mut Watched<'_>, guard: &mut Watched<'_>, dead: &Dead) -> io::Result<bool> {
    match guard.look()? {
        Seen::Nothing => {}
        Seen::Alive(_) => return Ok(false),
        Seen::Dead(dead) => {
            if !guard.remove(&dead)? {
                return Ok(false);
            }
        }
    }
    let Some(_guard) = guard.create()? else {
        return Ok(false);
    };
    lock.remove(dead)
}
