//! One lock file or guard, as it is looked at: whether its holder lives, is
//! dead, or is none at all. [`making`](super::making) creates one and
//! [`clearing`](super::clearing) removes one. When to wait and when to break is
//! [`acquire`](super::acquire)'s.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::claim::Claim;
use super::holder::{Holder, LONGEST_RECORD};
use super::locks::Locks;
use crate::store::disk::cause::means_nothing_there;
use crate::store::disk::file_system::{Access, Disk, DiskFile, directory_of};
use crate::store::disk::identity::{Identity, Kind};
use crate::store::disk::temp::{private_name, random};
use crate::store::format::salvage::count_memory;

/// What is found at a lock's path.
pub(super) enum Seen {
    Nothing,
    Alive(Obstacle),
    Dead(Box<Dead>),
}

/// Why a lock cannot be had now, in words.
pub(super) enum Obstacle {
    /// Somebody holds it.
    Held(String),
    /// What is there is none, and what to do about that.
    NotALock(String),
}

impl Obstacle {
    pub(super) fn not_a_lock(kind: Kind) -> Obstacle {
        Obstacle::NotALock(format!(
            "{}, not a lock file; remove it if no program needs it",
            kind.words()
        ))
    }
}

/// A file whose maker is gone.
pub(super) struct Dead {
    /// None for a directory, which some programs make as a lock, and for a file
    /// that we may not open.
    pub(super) file: Option<Box<dyn DiskFile>>,
    pub(super) identity: Identity,
    pub(super) record: Option<Holder>,
}

impl Dead {
    /// What it is, if it is no file.
    pub(super) fn is_no_file(&self) -> Option<Kind> {
        Some(self.identity.kind).filter(|kind| *kind != Kind::File)
    }
}

/// A lock file or guard that is waited for.
pub(super) struct Watched<'a> {
    pub(super) locks: &'a Locks,
    pub(super) claim: &'a Claim<'a>,
    pub(super) path: PathBuf,
    /// What this is the lock of. A guard, or the lock beside a link, protects
    /// no file that could have to be put in place.
    pub(super) target: Option<&'a Path>,
    /// The name of our own lock file before it gets this one.
    pub(super) private: String,
    /// The file seen last, and since when it has looked the same.
    same: Option<(Identity, Instant)>,
    /// The file system's clock, and when it was read.
    clock: Option<(i128, Instant)>,
    /// The file looked into last, and whether it holds a memory.
    memory: Option<(Identity, bool)>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(
        locks: &'a Locks,
        claim: &'a Claim<'a>,
        path: PathBuf,
        target: Option<&'a Path>,
    ) -> Watched<'a> {
        Watched {
            locks,
            claim,
            path,
            target,
            private: private_name(),
            same: None,
            clock: None,
            memory: None,
        }
    }

    pub(super) fn look(&mut self) -> io::Result<Seen> {
        match self.judge() {
            // It was removed while we looked, perhaps by another computer.
            Err(error) if means_nothing_there(&error) => Ok(Seen::Nothing),
            result => result,
        }
    }

    fn judge(&mut self) -> io::Result<Seen> {
        let file = match self.disk().open(&self.path, Access::Lock) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(Seen::Nothing),
            Err(error) => return self.judge_unopened(error),
        };
        let identity = file.identity()?;
        let unchanged = self.unchanged(&identity);
        let content = match file.read_start(LONGEST_RECORD) {
            Ok(content) => content,
            // On SMB an advisory lock also keeps others from reading.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Seen::Alive(held_by_another(&error)));
            }
            Err(error) => return Err(error),
        };
        let record = Holder::parse(&content);
        if let Some(record) = record.as_ref().filter(|record| record.locked) {
            match file.try_lock() {
                Ok(false) => return Ok(Seen::Alive(Obstacle::Held(record.describe()))),
                Ok(true) if record.shares_locks_with_us(identity.device) => {
                    return self.dead(Some(file), identity, Some(record.clone()));
                }
                Ok(true) => {}
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
        }
        if record.is_none() && self.holds_memory(file.as_ref(), &identity, &content)? {
            return Ok(Seen::Alive(Obstacle::NotALock(
                "a memory file of its own, not a lock file: it holds entities or relations; give \
                 one of the two memory files another name"
                    .to_owned(),
            )));
        }
        let timing = self.claim.timing;
        let age = self.age(&identity)?.max(unchanged);
        if age > timing.stale
            || (content.is_empty() && age > timing.empty && !self.appears_whole()?)
        {
            return self.dead(Some(file), identity, record);
        }
        Ok(Seen::Alive(Obstacle::Held(match record {
            Some(record) => record.describe(),
            None => format!("another program, for {} s", age.as_secs()),
        })))
    }

    /// What could not be opened is judged by how it looks from outside.
    fn judge_unopened(&mut self, error: io::Error) -> io::Result<Seen> {
        let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
        let there = match self.disk().identity_of_name(&self.path) {
            Ok(Some(there)) => there,
            Ok(None) => return Ok(Seen::Nothing),
            // Windows says so of a file that is removed and still open.
            Err(_) if is_denied => return Ok(Seen::Alive(held_by_another(&error))),
            Err(error) => return Err(error),
        };
        if there.kind != Kind::File {
            return self.judge_no_file(there);
        }
        if is_denied {
            if there.size > LONGEST_RECORD as u64 {
                return Ok(Seen::Alive(Obstacle::NotALock(format!(
                    "too large for a lock file, and may not be read ({error}); remove it if no \
                     program needs it"
                ))));
            }
            let unchanged = self.unchanged(&there);
            if self.age(&there)?.max(unchanged) > self.claim.timing.stale {
                return self.dead(None, there, None);
            }
            return Ok(Seen::Alive(held_by_another(&error)));
        }
        // It was swapped meanwhile.
        if matches!(
            error.kind(),
            io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput
        ) {
            let holder = String::from("another program");
            return Ok(Seen::Alive(Obstacle::Held(holder)));
        }
        Err(error)
    }

    /// Something else than a file. Programs that use a directory as their lock
    /// keep it empty and refresh it; anything else is nobody's lock.
    fn judge_no_file(&mut self, there: Identity) -> io::Result<Seen> {
        let unchanged = self.unchanged(&there);
        if there.kind == Kind::Directory
            && self.age(&there)?.max(unchanged) > self.claim.timing.stale
        {
            return self.dead(None, there, None);
        }
        Ok(Seen::Alive(Obstacle::not_a_lock(there.kind)))
    }

    /// Whether it is a memory file that happens to be named like a lock:
    /// somebody's memory may be called `notes.lock`, beside `notes`.
    fn holds_memory(
        &mut self,
        file: &dyn DiskFile,
        identity: &Identity,
        start: &[u8],
    ) -> io::Result<bool> {
        if let Some((seen, holds)) = self.memory
            && seen == *identity
        {
            return Ok(holds);
        }
        let holds = if start.len() < LONGEST_RECORD {
            count_memory(start) > 0
        } else {
            count_memory(&file.read_start(usize::MAX)?) > 0
        };
        self.memory = Some((*identity, holds));
        Ok(holds)
    }

    /// A released lock looks dead to whoever opened it before; then its name
    /// is gone or somebody else's.
    fn dead(
        &self,
        file: Option<Box<dyn DiskFile>>,
        identity: Identity,
        record: Option<Holder>,
    ) -> io::Result<Seen> {
        match self.disk().identity_of_name(&self.path)? {
            Some(there) if there.is_same_file(&identity) => Ok(Seen::Dead(Box::new(Dead {
                file,
                identity,
                record,
            }))),
            _ => Ok(Seen::Nothing),
        }
    }

    /// For how long the file has looked as it does, as far as we saw.
    fn unchanged(&mut self, identity: &Identity) -> Duration {
        let now = Instant::now();
        match &self.same {
            Some((seen, since))
                if seen.is_same_file(identity) && seen.modified == identity.modified =>
            {
                now.duration_since(*since)
            }
            _ => {
                self.same = Some((*identity, now));
                Duration::ZERO
            }
        }
    }

    /// How long to wait before the next look. Between two short writes of a
    /// busy process the lock is free for a moment only, and whoever looks
    /// seldom misses it; so it is the age of the present holder's turn that
    /// makes pauses longer, not how long we have waited. They differ by chance,
    /// or waiters that began together would stay together.
    pub(super) fn pause(&self) -> Duration {
        let timing = self.claim.timing;
        let turn = self
            .same
            .map_or(Duration::ZERO, |(_, since)| since.elapsed());
        let pause = (turn / 4).max(timing.first_pause).min(timing.longest_pause);
        pause.mul_f64(0.5 + (random() % 1024) as f64 / 2048.0)
    }

    /// How long ago the file was modified, by the clock of its file system,
    /// which is another than ours on a network. A stamp in the future has no
    /// age.
    fn age(&mut self, identity: &Identity) -> io::Result<Duration> {
        let (then, read_at) = match self.clock {
            Some(clock) => clock,
            None => {
                let fresh = self.disk().create_hidden(&self.private_path())?;
                // A write stamps it even where making it does not.
                fresh.write_all(&[b"\n"])?;
                let clock = (fresh.identity()?.modified, Instant::now());
                *self.clock.insert(clock)
            }
        };
        let passed = i128::try_from(read_at.elapsed().as_nanos()).unwrap_or(i128::MAX / 2);
        let age = then
            .saturating_add(passed)
            .saturating_sub(identity.modified);
        Ok(Duration::from_nanos(
            u64::try_from(age.max(0)).unwrap_or(u64::MAX),
        ))
    }

    pub(super) fn disk(&self) -> &dyn Disk {
        self.locks.disk.as_ref()
    }

    pub(super) fn directory(&self) -> &Path {
        directory_of(&self.path)
    }

    /// Where a file waits for its name, if it needs one meanwhile. The record
    /// names it, so that it is removed with a dead lock.
    pub(super) fn private_path(&self) -> PathBuf {
        self.directory().join(&self.private)
    }
}

/// `None`: somebody else has the advisory lock. `false`: there is no such
/// thing on this file system.
pub(super) fn try_lock(file: &dyn DiskFile) -> io::Result<Option<bool>> {
    match file.try_lock() {
        Ok(true) => Ok(Some(true)),
        Ok(false) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Some(false)),
        Err(error) => Err(error),
    }
}

fn held_by_another(error: &io::Error) -> Obstacle {
    Obstacle::Held(format!("another program ({error})"))
}
