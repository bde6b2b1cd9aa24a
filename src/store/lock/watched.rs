//! One lock file or guard, as it is looked at, made and removed: whether its
//! holder lives, is dead, or is none at all. When to wait and when to break is
//! [`acquire`](super::acquire)'s.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::claim::Claim;
use super::held::{Held, beside};
use super::holder::{Holder, LONGEST_RECORD};
use crate::store::disk::file_system::{Access, Disk, DiskFile, directory_of};
use crate::store::disk::identity::{Identity, Kind};
use crate::store::disk::temp::random;
use crate::store::salvage::count_memory;

/// What is found at a lock's path.
pub(super) enum Seen {
    Nothing,
    Alive(Obstacle),
    Dead(Dead),
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
    /// None for a directory, which some programs make as a lock.
    pub(super) file: Option<Box<dyn DiskFile>>,
    identity: Identity,
    record: Option<Holder>,
}

/// A lock file or guard that is waited for.
pub(super) struct Watched<'a> {
    disk: &'a Arc<dyn Disk>,
    claim: &'a Claim<'a>,
    path: PathBuf,
    /// The file seen last, and since when it has looked the same.
    same: Option<(Identity, Instant)>,
    /// The file system's clock, and when it was read.
    clock: Option<(i128, Instant)>,
    /// The file looked into last, and whether it holds a memory.
    memory: Option<(Identity, bool)>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(disk: &'a Arc<dyn Disk>, claim: &'a Claim<'a>, path: PathBuf) -> Watched<'a> {
        Watched {
            disk,
            claim,
            path,
            same: None,
            clock: None,
            memory: None,
        }
    }

    pub(super) fn look(&mut self) -> io::Result<Seen> {
        let file = match self.disk.open(&self.path, Access::Read) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(Seen::Nothing),
            // A lock that cannot be opened cannot be judged.
            Err(error) => {
                return match self.disk.identity_of_name(&self.path)? {
                    Some(there) if there.kind != Kind::File => self.look_at_no_file(there),
                    _ if error.kind() == io::ErrorKind::PermissionDenied => {
                        let holder = format!("another program ({error})");
                        Ok(Seen::Alive(Obstacle::Held(holder)))
                    }
                    // It was swapped meanwhile.
                    _ if matches!(
                        error.kind(),
                        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput
                    ) =>
                    {
                        let holder = String::from("another program");
                        Ok(Seen::Alive(Obstacle::Held(holder)))
                    }
                    _ => Err(error),
                };
            }
        };
        let identity = file.identity()?;
        let unchanged = self.unchanged(&identity);
        let content = file.read_start(LONGEST_RECORD)?;
        let record = Holder::parse(&content);
        if let Some(record) = record.as_ref().filter(|record| record.locked) {
            match file.try_lock() {
                Ok(false) => return Ok(Seen::Alive(Obstacle::Held(record.describe()))),
                Ok(true) if record.is_from_this_machine() => {
                    return self.dead(Some(file), identity, Holder::parse(&content));
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
            || (content.is_empty() && age > timing.empty && !self.links_are_supported()?)
        {
            return self.dead(Some(file), identity, record);
        }
        Ok(Seen::Alive(Obstacle::Held(match record {
            Some(record) => record.describe(),
            None => format!("another program, for {} s", age.as_secs()),
        })))
    }

    /// Something else than a file. Programs that use a directory as their lock
    /// keep it empty and refresh it; anything else is nobody's lock.
    fn look_at_no_file(&mut self, there: Identity) -> io::Result<Seen> {
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
        match self.disk.identity_of_name(&self.path)? {
            Some(there) if there.is_same_file(&identity) => Ok(Seen::Dead(Dead {
                file,
                identity,
                record,
            })),
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
                let fresh = self.disk.create_hidden(&self.private_path())?;
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

    /// An empty lock file is one of ours that is just being written only where
    /// it cannot appear whole; elsewhere some other program made it so.
    fn links_are_supported(&self) -> io::Result<bool> {
        let private = self.private_path();
        let probe = beside(&private, "~");
        match self.disk.create_hidden(&private)?.link(&probe) {
            Ok(()) => self.disk.remove(&probe).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes the file, unless there is one: then `None`.
    pub(super) fn create(&self) -> io::Result<Option<Held>> {
        let file = self.disk.create_hidden(&self.private_path())?;
        let Some(locked) = try_lock(file.as_ref())? else {
            // Somebody looked into it by chance.
            return Ok(None);
        };
        let record = Holder::new(self.claim.temp_name, locked).to_line();
        file.write_all(&[&record])?;
        let identity = file.identity()?;
        match file.link(&self.path) {
            Ok(()) => Ok(Some(self.held(file, identity))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.create_in_place(),
            Err(error) => Err(error),
        }
    }

    /// The same without links: for a moment the file is there and empty.
    fn create_in_place(&self) -> io::Result<Option<Held>> {
        let file = match self.disk.create_new(&self.path, false) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        let identity = file.identity()?;
        let held = self.held(file, identity);
        let Some(locked) = try_lock(held.file.as_ref())? else {
            // It took us so long that somebody takes it for dead.
            return Ok(None);
        };
        let record = Holder::new(self.claim.temp_name, locked).to_line();
        held.file.write_all(&[&record])?;
        Ok(held.is_ours()?.then_some(held))
    }

    /// Where a file waits for its name, if it needs one meanwhile. It is the
    /// temp file's, which is not in use yet and which the record names, so that
    /// it is removed with a dead lock.
    fn private_path(&self) -> PathBuf {
        directory_of(&self.path).join(self.claim.temp_name)
    }

    fn held(&self, file: Box<dyn DiskFile>, identity: Identity) -> Held {
        Held {
            disk: Arc::clone(self.disk),
            path: self.path.clone(),
            file: file.into(),
            identity,
            heartbeat: None,
        }
    }

    /// Removes a file that somebody else made, if it is still the one that was
    /// judged. Its advisory lock is held meanwhile, so that of several who
    /// judged it one does this.
    pub(super) fn remove(&self, dead: &Dead) -> io::Result<bool> {
        let Some(file) = &dead.file else {
            return self.remove_directory(dead);
        };
        if try_lock(file.as_ref())?.is_none() {
            return Ok(false);
        }
        let now = file.identity()?;
        let there = self.disk.identity(&self.path)?;
        if now.modified != dead.identity.modified
            || !there.is_some_and(|there| there.is_same_file(&now))
        {
            return Ok(false);
        }
        // The temp file goes first: were we killed in between, the lock would
        // still name it.
        if let Some(temp) = dead.record.as_ref().and_then(Holder::temp) {
            gone(self.disk.remove(&directory_of(&self.path).join(temp)))?;
        }
        gone(self.disk.remove(&self.path))?;
        Ok(true)
    }

    /// The same for a directory. One that is not empty is nobody's lock, and
    /// the system does not remove it.
    fn remove_directory(&self, dead: &Dead) -> io::Result<bool> {
        let there = self.disk.identity_of_name(&self.path)?;
        Ok(there == Some(dead.identity) && self.disk.remove_directory(&self.path).is_ok())
    }
}

/// `None`: somebody else has the advisory lock. `false`: there is no such
/// thing on this file system.
fn try_lock(file: &dyn DiskFile) -> io::Result<Option<bool>> {
    match file.try_lock() {
        Ok(true) => Ok(Some(true)),
        Ok(false) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(Some(false)),
        Err(error) => Err(error),
    }
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
