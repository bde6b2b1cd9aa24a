//! `FILE.lock`: one writer at a time, among processes that may die, be
//! suspended, run on other hosts, or be other programs that know only the
//! plain protocol of creating, refreshing and removing that file
//! (`docs/behaviour.md`, "Several processes, one file").
//!
//! What the lock file says is [`holder`](super::holder)'s, keeping it fresh is
//! [`refresh`](super::refresh)'s, and what is made of a lock file that is there
//! already is `watched`'s. What is done under the lock is the caller's.
//!
//! The idea: a lock file of ours comes into being whole and with an advisory
//! lock on it, which ends with the process. So whether its holder lives is a
//! question to the system, not one of age, and a dead one's lock is broken at
//! once. Age decides only about locks that tell nothing.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::disk::{Disk, DiskFile, Identity, Kind};
use super::ending::Ending;
use super::error::StoreError;
use super::refresh::Refresh;
use super::replace::create_parents;

mod watched;

use watched::{Dead, Obstacle, Seen, Watched};

/// Who wants which lock, and for how long it is worth waiting.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The memory file, links followed.
    pub target: &'a Path,
    /// The configured path where it is a link. The lock beside it is taken
    /// first, for programs that do not follow links.
    pub link: Option<&'a Path>,
    /// The temp file that will be made beside the target; whoever finds this
    /// process dead removes it.
    pub temp_name: &'a str,
    /// When to give up.
    pub limit: Instant,
    /// May shorten the wait.
    pub ending: &'a Ending,
    /// Whether directories that have to be made are synced.
    pub fsync: bool,
    /// How long is long.
    pub timing: LockTiming,
}

/// The durations of the protocol. Tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct LockTiming {
    /// A lock whose holder cannot be asked is dead when it was not refreshed
    /// for longer than this.
    pub stale: Duration,
    /// How often a held lock is refreshed.
    pub refresh: Duration,
    /// How long an empty lock file counts as just being written, where a
    /// lock file cannot appear whole.
    pub empty: Duration,
    /// The pause between two looks at a lock that has just been taken. It
    /// grows with the time for which the same holder has the lock.
    pub first_pause: Duration,
    /// The pause once it is clear that this takes long.
    pub longest_pause: Duration,
}

impl Default for LockTiming {
    fn default() -> LockTiming {
        LockTiming {
            stale: Duration::from_secs(30),
            refresh: Duration::from_secs(15),
            empty: Duration::from_secs(2),
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(50),
        }
    }
}

/// The right to write the memory file. Dropped, it is given back, on a panic
/// too.
pub struct Lock {
    /// In the order in which they were taken.
    held: Vec<Held>,
}

impl Lock {
    /// Waits for the lock and takes it. Missing parent directories are made.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when the limit has come, or
    /// [`StoreError::NoLock`] where what is in the way is no lock,
    /// [`StoreError::ShuttingDown`] on a signal, [`StoreError::Io`] when the
    /// system does not let a lock file be made or a dead one removed. Nothing
    /// was written in any case.
    pub fn acquire(disk: &Arc<dyn Disk>, claim: &Claim<'_>) -> Result<Lock, StoreError> {
        let started = Instant::now();
        let mut lock = Lock { held: Vec::new() };
        if let Some(link) = claim.link {
            match take(disk, claim, beside(link, ".lock"), started) {
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
        lock.held.push(take(disk, claim, target, started)?);
        Ok(lock)
    }

    /// Whether nobody has taken the lock for dead and removed it, which other
    /// programs do when this process was suspended for long. To be asked
    /// right before the rename.
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
}

impl Drop for Lock {
    fn drop(&mut self) {
        while let Some(held) = self.held.pop() {
            drop(held);
        }
    }
}

/// A lock file, or a guard, that this process created.
struct Held {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    identity: Identity,
    refresh: Option<Refresh>,
}

impl Held {
    fn is_ours(&self) -> io::Result<bool> {
        let there = self.disk.identity(&self.path)?;
        Ok(there.is_some_and(|there| there.is_same_file(&self.identity)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.refresh = None;
        // The name goes before the advisory lock, which ends with the file:
        // whoever sees the file unlocked finds that its name is gone. Should
        // this fail, the file is seen to be dead as soon as it is closed.
        if matches!(self.is_ours(), Ok(true)) {
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// Waits until the lock file at `path` is ours.
fn take(
    disk: &Arc<dyn Disk>,
    claim: &Claim<'_>,
    path: PathBuf,
    started: Instant,
) -> Result<Held, StoreError> {
    let fail = |source| StoreError::unchanged("take the lock", &path, source);
    let mut lock = Watched::new(disk, claim, path.clone());
    let mut guard = Watched::new(disk, claim, beside(&path, ".break"));
    let mut obstacle = Obstacle::Holder(String::from("another program"));
    loop {
        if claim.ending.is_stopped() {
            return Err(StoreError::ShuttingDown);
        }
        match lock.look().map_err(fail)? {
            Seen::Nothing => match lock.create() {
                Ok(Some(mut held)) => {
                    let file = Arc::clone(&held.file);
                    held.refresh = Some(Refresh::start(file, claim.timing.refresh));
                    // One who broke a lock and was killed then has left the
                    // guard, which only the next dead lock would lead to.
                    // While it stays, it harms nobody.
                    if let Ok(Seen::Dead(dead)) = guard.look() {
                        let _ = guard.remove(&dead);
                    }
                    return Ok(held);
                }
                // Somebody else was quicker.
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if create_parents(disk.as_ref(), &path, claim.fsync)? {
                        continue;
                    }
                }
                Err(error) => return Err(fail(error)),
            },
            Seen::Alive(by) => obstacle = by,
            Seen::Dead(dead) => {
                if dead.file.is_none() {
                    obstacle = Obstacle::no_lock(Kind::Directory);
                }
                let fail = |source| StoreError::unchanged("break the lock", &path, source);
                if break_lock(&mut lock, &mut guard, &dead).map_err(fail)? {
                    continue;
                }
            }
        }
        let now = Instant::now();
        let left = claim
            .ending
            .limit(claim.limit)
            .saturating_duration_since(now);
        if left.is_zero() {
            let waited = started.elapsed().as_secs_f32();
            return Err(match obstacle {
                Obstacle::Holder(holder) => StoreError::Locked {
                    path,
                    holder,
                    waited,
                },
                Obstacle::NoLock(what) => StoreError::NoLock { path, what, waited },
            });
        }
        std::thread::sleep(lock.pause().min(left));
    }
}

/// Removes a dead lock, and the temp file it names, unless it turns out that
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

/// `FILE` and a suffix.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
