//! `FILE.lock`: one writer at a time, among processes that may die, be
//! suspended, run on other hosts, or be other programs that know only the
//! plain protocol of creating, refreshing and removing that file
//! (`docs/behaviour.md`, "Several processes, one file").
//!
//! What the lock file says is [`holder`](super::holder)'s, keeping it fresh is
//! [`refresh`](super::refresh)'s. What is done under the lock is the caller's.
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

use super::disk::{Access, Disk, DiskFile, Identity, Kind, directory_of};
use super::ending::Ending;
use super::error::StoreError;
use super::holder::{LONGEST_RECORD, Record, random};
use super::refresh::Refresh;
use super::replace::create_parents;
use super::salvage::count_memory;

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

/// What is found at a lock's path.
enum Seen {
    Nothing,
    Alive(Obstacle),
    Dead(Dead),
}

/// Why a lock cannot be had now, in words.
enum Obstacle {
    /// Somebody holds it.
    Holder(String),
    /// What is there is none, and what to do about that.
    NoLock(String),
}

impl Obstacle {
    fn no_lock(kind: Kind) -> Obstacle {
        Obstacle::NoLock(format!(
            "{}, not a lock file; remove it if no program needs it",
            kind.words()
        ))
    }
}

/// A file whose maker is gone.
struct Dead {
    /// None for a directory, which some programs make as a lock.
    file: Option<Box<dyn DiskFile>>,
    identity: Identity,
    record: Option<Record>,
}

/// A lock file or guard that is waited for.
struct Watched<'a> {
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
    fn new(disk: &'a Arc<dyn Disk>, claim: &'a Claim<'a>, path: PathBuf) -> Watched<'a> {
        Watched {
            disk,
            claim,
            path,
            same: None,
            clock: None,
            memory: None,
        }
    }

    fn look(&mut self) -> io::Result<Seen> {
        let file = match self.disk.open(&self.path, Access::Read) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(Seen::Nothing),
            // A lock that cannot be opened cannot be judged.
            Err(error) => {
                return match self.disk.identity_of_name(&self.path)? {
                    Some(there) if there.kind != Kind::File => self.look_at_no_file(there),
                    _ if error.kind() == io::ErrorKind::PermissionDenied => {
                        let holder = format!("another program ({error})");
                        Ok(Seen::Alive(Obstacle::Holder(holder)))
                    }
                    // It was swapped meanwhile.
                    _ if matches!(
                        error.kind(),
                        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput
                    ) =>
                    {
                        let holder = String::from("another program");
                        Ok(Seen::Alive(Obstacle::Holder(holder)))
                    }
                    _ => Err(error),
                };
            }
        };
        let identity = file.identity()?;
        let unchanged = self.unchanged(&identity);
        let content = file.read_start(LONGEST_RECORD)?;
        let record = Record::parse(&content);
        if let Some(record) = record.as_ref().filter(|record| record.locked) {
            match file.try_lock() {
                Ok(false) => return Ok(Seen::Alive(Obstacle::Holder(record.describe()))),
                Ok(true) if record.is_from_this_machine() => {
                    return self.dead(Some(file), identity, Record::parse(&content));
                }
                Ok(true) => {}
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
        }
        if record.is_none() && self.holds_memory(file.as_ref(), &identity, &content)? {
            return Ok(Seen::Alive(Obstacle::NoLock(
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
        Ok(Seen::Alive(Obstacle::Holder(match record {
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
        Ok(Seen::Alive(Obstacle::no_lock(there.kind)))
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
        record: Option<Record>,
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
    fn pause(&self) -> Duration {
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
    fn create(&self) -> io::Result<Option<Held>> {
        let file = self.disk.create_hidden(&self.private_path())?;
        let Some(locked) = try_lock(file.as_ref())? else {
            // Somebody looked into it by chance.
            return Ok(None);
        };
        let record = Record::new(self.claim.temp_name, locked).to_line();
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
        let record = Record::new(self.claim.temp_name, locked).to_line();
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
            refresh: None,
        }
    }

    /// Removes a file that somebody else made, if it is still the one that was
    /// judged. Its advisory lock is held meanwhile, so that of several who
    /// judged it one does this.
    fn remove(&self, dead: &Dead) -> io::Result<bool> {
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
        if let Some(temp) = dead.record.as_ref().and_then(Record::temp) {
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

/// `FILE` and a suffix.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
