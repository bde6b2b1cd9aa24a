//! Group commit: one write of the memory file for all updates that wait.
//!
//! A write costs what the disk costs, so updates that arrive while one is in
//! progress share the next. Each still gets its own result and its own change
//! notification, in order, as if they had run one by one; and none is answered
//! before the file that holds it is durable.
//!
//! The steps, each of which can fail and leaves the old file or the new one:
//! take the lock, read the file if it changed, apply, write a temp file, look
//! whether the file and the lock are still ours, rename, tell.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::batch::{Batch, Spoilt};
use super::cache::{Cache, Purpose, Snapshot};
use super::job::Update;
use super::listeners::Listeners;
use super::watch::Watch;
use crate::ending::Patience;
use crate::store::disk::file_system::{Disk, DiskFile};
use crate::store::disk::identity::Identity;
use crate::store::disk::replace;
use crate::store::disk::temp::temp_name;
use crate::store::error::StoreError;
use crate::store::format::document::MAX_BYTES;
use crate::store::lock::acquire::Lock;
use crate::store::lock::claim::{Claim, LockTiming};
use crate::store::lock::locks::Locks;

/// A file of more bytes takes longer to be closed for good than a thread takes
/// to be started.
const LARGE: u64 = 1 << 20;

/// How the memory file is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// The memory file; links in it are followed at every call.
    pub path: PathBuf,
    /// Whether a write is made durable before it is answered.
    pub fsync: bool,
    /// How long a write waits for its turn.
    pub lock_timeout: Duration,
    /// When a lock counts as left behind, and how often one is refreshed.
    pub lock_timing: LockTiming,
}

/// Reads and writes the memory file for the store's thread.
pub struct Committer {
    options: Options,
    disk: Arc<dyn Disk>,
    locks: Locks,
    listeners: Listeners,
    cache: Cache,
    watch: Option<Watch>,
    /// The state of the file that subscribers know of.
    announced: Option<Identity>,
}

impl Committer {
    /// A committer that has read nothing yet.
    pub fn new(options: Options, disk: Arc<dyn Disk>, listeners: Listeners) -> Committer {
        Committer {
            options,
            locks: Locks::on(&disk),
            disk,
            listeners,
            cache: Cache::default(),
            watch: None,
            announced: None,
        }
    }

    /// The graph as the file holds it now. Takes no lock.
    pub fn snapshot(&mut self) -> Result<&Snapshot, StoreError> {
        let target = self.target()?;
        self.refresh(&target, Purpose::Reading)
            .map(|snapshot| &*snapshot)
    }

    /// Somebody is subscribed, since the file had the identity `baseline`.
    pub fn watch(&mut self, baseline: Option<Identity>, look: impl Fn() + Send + Sync + 'static) {
        if self.watch.is_some() {
            return;
        }
        let Ok(target) = self.target() else { return };
        let now = self.disk.identity(&target).ok().flatten();
        // What this server wrote or read last is no news.
        self.announced = match self.cache.snapshot() {
            Some(_) if now == self.cache.identity() => now,
            _ => baseline,
        };
        self.watch = Some(Watch::start(&target, look));
    }

    /// Nobody is subscribed any more.
    pub fn stop_watching(&mut self) {
        self.watch = None;
    }

    /// Whether somebody is subscribed.
    pub fn is_watching(&self) -> bool {
        self.watch.is_some()
    }

    /// Looks whether others changed the file, and tells subscribers.
    pub fn look(&mut self) {
        if let Some(watch) = &self.watch {
            watch.looked();
            if let Ok(target) = self.target() {
                // What is wrong with the file is said to whoever asks for it.
                let _ = self.refresh(&target, Purpose::Reading);
            }
        }
    }

    /// Applies `first` and the updates that `more` yields until it has none,
    /// writes them once, and finishes each.
    pub fn commit(
        &mut self,
        first: Box<dyn Update>,
        mut more: impl FnMut() -> Option<Box<dyn Update>>,
    ) {
        let wait = Wait {
            since: first.asked(),
            patience: first.patience().clone(),
        };
        let mut batch = Batch::default();
        batch.extend([first]);
        match self.write(&wait, &mut batch, &mut more) {
            Ok(replaced) => {
                batch.succeed(|| self.listeners.ring());
                replaced.close();
            }
            Err(error) => {
                // The graph in memory may hold what the file does not.
                self.cache.forget();
                batch.fail(error);
            }
        }
        self.cache.renew_when_worn();
    }

    /// Takes the lock and writes, again and again until nobody interferes.
    fn write(
        &mut self,
        wait: &Wait,
        batch: &mut Batch,
        more: &mut dyn FnMut() -> Option<Box<dyn Update>>,
    ) -> Result<Replaced, StoreError> {
        let limit = wait.since + self.options.lock_timeout;
        loop {
            if wait.patience.ending().is_stopped() {
                return Err(StoreError::ShuttingDown);
            }
            let target = self.target()?;
            let temp_name = temp_name();
            let claim = Claim {
                link: Some(&*self.options.path).filter(|path| *path != target),
                since: wait.since,
                fsync: self.options.fsync,
                timing: self.options.lock_timing,
                ..Claim::new(
                    &target,
                    &temp_name,
                    self.options.lock_timeout,
                    &wait.patience,
                )
            };
            let lock = self.locks.acquire(&claim)?;
            batch.extend(std::iter::from_fn(&mut *more));
            if let Some(replaced) = self.write_locked(batch, &lock, &target, &temp_name)? {
                return Ok(replaced);
            }
            if Instant::now() >= limit {
                return Err(StoreError::Refused(format!(
                    "the memory file {} kept changing under other programs for {:.0} s\n\
                     nothing was written; try again",
                    target.display(),
                    self.options.lock_timeout.as_secs_f32(),
                )));
            }
        }
    }

    /// What was replaced; None when somebody else wrote the file or took the
    /// lock meanwhile, and all has to be done again.
    fn write_locked(
        &mut self,
        batch: &mut Batch,
        lock: &Lock,
        target: &Path,
        temp_name: &str,
    ) -> Result<Option<Replaced>, StoreError> {
        if !self.apply(batch, target)? {
            return Ok(Some(Replaced::default()));
        }
        let old = self.cache.identity();
        let snapshot = self.cache.snapshot();
        let document = snapshot.expect("updates were applied to it").document();
        let staged = replace::stage(
            &self.disk,
            target,
            temp_name,
            &document.slices(),
            self.options.fsync,
        )?;
        let fail = |error| StoreError::unchanged("look at", target, error);
        let is_undisturbed =
            self.disk.identity(target).map_err(fail)? == old && lock.is_ours().map_err(fail)?;
        if !is_undisturbed {
            self.cache.forget();
            return Ok(None);
        }
        let published = lock.publish(staged)?;
        self.announced = Some(published.identity);
        self.cache.adopt(published.identity, published.trusted);
        Ok(Some(Replaced {
            file: published.replaced,
            size: old.map_or(0, |old| old.size),
        }))
    }

    /// Applies the batch to the file as it is now. Whether the graph changed.
    fn apply(&mut self, batch: &mut Batch, target: &Path) -> Result<bool, StoreError> {
        loop {
            let document = self.refresh(target, Purpose::Writing)?.document_mut();
            match batch.apply(document, MAX_BYTES) {
                Ok(is_change) => return Ok(is_change),
                Err(Spoilt) => self.cache.forget(),
            }
        }
    }

    /// The file as it is now. A change that others made is told.
    fn refresh(&mut self, target: &Path, purpose: Purpose) -> Result<&mut Snapshot, StoreError> {
        let refreshed = self.cache.refresh(&*self.disk, target, purpose);
        if self.watch.is_some() {
            let identity = match refreshed {
                Ok(_) => self.cache.identity(),
                // It cannot be read, which is news too.
                Err(_) => self.disk.identity(target).ok().flatten(),
            };
            let is_same = matches!(refreshed, Ok(true));
            if identity != self.announced && !is_same {
                self.listeners.ring();
            }
            self.announced = identity;
        }
        refreshed?;
        Ok(self.cache.snapshot_mut().expect("it was refreshed"))
    }

    fn target(&self) -> Result<PathBuf, StoreError> {
        self.disk
            .resolve(&self.options.path)
            .map_err(|error| StoreError::unchanged("find", &self.options.path, error))
    }
}

/// For how long a write may wait for the lock: as long as the oldest of its
/// updates, which is the only one that waits. Those that come later join once
/// the lock is there, or wait on their own if it never is.
struct Wait {
    /// When that one was asked for, not when its turn came: behind one that
    /// waits in vain, the next does not wait the whole time again.
    since: Instant,
    /// Its connection's.
    patience: Patience,
}

/// A file that was replaced, still open.
#[derive(Default)]
struct Replaced {
    file: Option<Box<dyn DiskFile>>,
    size: u64,
}

impl Replaced {
    /// Closes it, a large one on another thread: the system frees its blocks
    /// then, which takes longer than writing a small change, and the next
    /// update need not wait for it.
    fn close(self) {
        if self.size > LARGE {
            // Where no thread is to be had, the file is closed here and now.
            let _ = std::thread::Builder::new().spawn(move || drop(self.file));
        }
    }
}
