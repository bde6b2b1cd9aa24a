//! The memory file as it was last read or written, and when that may still be
//! believed.
//!
//! A file is told from its later self by its identity: device, inode, size and
//! time stamps. A stamp is only as fine as the file system's clock, so a file
//! that was changed a moment ago can be changed again under the same stamp
//! (what git calls racily clean). Such a file is read again and compared, and
//! parsed only where it differs. What this server wrote itself is believed at
//! once where its time stamp could be set to the clock's full resolution, which
//! no other write repeats.
//!
//! How long ago a file was changed is not known for certain: the file system's
//! clock may be another machine's, and behind ours. What is certain is that a
//! file which was the same twice, two seconds apart, gets another stamp from
//! now on. Until then a write reads the file again, because it would overwrite
//! what it did not see; a read believes our clock.
//!
//! A file that others write in place can be read half-written. What can be seen
//! of that is waited out; the rest is why this server renames.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::diagnostics;
use crate::graph::Graph;
use crate::store::disk::file_system::Disk;
use crate::store::disk::identity::{Content, Identity, nanoseconds};
use crate::store::disk::whole::read_whole;
use crate::store::error::StoreError;
use crate::store::format::document::Document;

/// The graph as it was at one moment. A clone is the same one, and costs
/// nothing; it stays as it is while the memory goes on.
#[derive(Clone, Default)]
pub struct Snapshot {
    document: Arc<Document>,
    has_file: bool,
}

impl From<Document> for Snapshot {
    fn from(document: Document) -> Snapshot {
        Snapshot {
            document: Arc::new(document),
            has_file: true,
        }
    }
}

impl Snapshot {
    /// What is remembered.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.document.graph()
    }

    /// Whether there was a file; where there is none the memory is empty.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.has_file
    }

    /// The document the graph is of.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The document, to change it: a copy of its own, if somebody still looks
    /// at this one.
    pub(super) fn document_mut(&mut self) -> &mut Document {
        Arc::make_mut(&mut self.document)
    }
}

/// The coarsest clock of a file system in use: FAT counts in two seconds.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// How long a file that was cut off must stay as it is to be taken for whole.
const REST: Duration = Duration::from_millis(50);

/// How long such a file is waited for in all.
const LONGEST_REWRITE: Duration = Duration::from_secs(1);

/// For how long a file that was there may be missing and is still expected
/// back. Where replacing it takes two steps, there is none between them.
const LONGEST_GAP: Duration = Duration::from_millis(250);

/// The pause between two looks for it.
const PAUSE: Duration = Duration::from_millis(5);

/// The parsed memory file.
#[derive(Default)]
pub struct Cache {
    entry: Option<Entry>,
    /// The file that was there last, also when what it held is forgotten.
    last: Option<Identity>,
}

struct Entry {
    snapshot: Snapshot,
    /// The file's identity; None where there is no file.
    identity: Option<Identity>,
    trust: Trust,
}

/// Whether an equal identity means equal bytes.
#[derive(Debug, Clone, Copy)]
enum Trust {
    /// It does.
    Sure,
    /// Not for certain yet.
    SameSince {
        /// When the file had been read with this identity and these bytes for
        /// the first time.
        first_read: Instant,
        /// Whether it was old by then, if the clocks agree.
        seems_old: bool,
    },
}

/// What the file is looked at for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To answer a read.
    Reading,
    /// To replace it, under its lock.
    Writing,
}

impl Trust {
    fn is_enough_for(self, purpose: Purpose) -> bool {
        match self {
            Trust::Sure => true,
            Trust::SameSince {
                first_read,
                seems_old,
            } => purpose == Purpose::Reading && seems_old && first_read.elapsed() <= COARSEST_CLOCK,
        }
    }
}

impl Cache {
    /// Makes what is cached the file as it is now. Whether it was that already:
    /// false where other bytes were found, or nothing was cached.
    ///
    /// # Errors
    /// [`StoreError::BadLines`], or what kept the file from being read. What
    /// was cached is forgotten then.
    pub fn refresh(
        &mut self,
        disk: &dyn Disk,
        path: &Path,
        purpose: Purpose,
    ) -> Result<bool, StoreError> {
        let fail = |error| StoreError::unchanged("read", path, error);
        let known = match self.entry.take() {
            Some(entry) if entry.trust.is_enough_for(purpose) => {
                if disk.identity(path).map_err(fail)? == entry.identity {
                    self.entry = Some(entry);
                    return Ok(true);
                }
                Some(entry)
            }
            entry => entry,
        };
        let (started, now) = (Instant::now(), SystemTime::now());
        let Some(content) = read_at_rest(disk, path, self.last).map_err(fail)? else {
            if self.last.take().is_some() {
                diagnostics::warn(format_args!(
                    "the memory file {} was there and is gone; the memory is empty now",
                    path.display()
                ));
            }
            return self.keep_or_load(known, Vec::new(), path, None, |_| Trust::Sure);
        };
        let identity = content.before;
        let is_whole = identity == content.after;
        let trust = |same: Option<Trust>| match same {
            Some(Trust::SameSince { first_read, .. })
                if is_whole && started.duration_since(first_read) > COARSEST_CLOCK =>
            {
                Trust::Sure
            }
            Some(same @ Trust::SameSince { .. }) if is_whole => same,
            _ => Trust::SameSince {
                first_read: Instant::now(),
                seems_old: is_whole && has_settled(&identity, now),
            },
        };
        self.last = Some(identity);
        self.keep_or_load(known, content.bytes, path, Some(identity), trust)
    }

    /// Caches `bytes`, as the `known` snapshot where it stands for the same.
    /// `trust` is told how far that was trusted, if the identity is the same
    /// too.
    fn keep_or_load(
        &mut self,
        known: Option<Entry>,
        bytes: Vec<u8>,
        path: &Path,
        identity: Option<Identity>,
        trust: impl FnOnce(Option<Trust>) -> Trust,
    ) -> Result<bool, StoreError> {
        // What is not kept goes before the new one is built, or both are in
        // memory at once.
        let known = known.filter(|known| known.snapshot.document().matches(&bytes));
        let is_kept = known.is_some();
        let same = known.as_ref().filter(|known| known.identity == identity);
        let trust = trust(same.map(|known| known.trust));
        let document = match known {
            Some(known) => known.snapshot.document,
            None => Arc::new(Document::parse(bytes).map_err(|lines| {
                let path = path.to_owned();
                StoreError::BadLines { path, lines }
            })?),
        };
        let has_file = identity.is_some();
        let snapshot = Snapshot { document, has_file };
        self.entry = Some(Entry {
            snapshot,
            identity,
            trust,
        });
        Ok(is_kept)
    }

    /// The identity of what was last read; None where there was no file.
    pub fn identity(&self) -> Option<Identity> {
        self.entry.as_ref().and_then(|entry| entry.identity)
    }

    /// What is cached was just written: the file has this identity now.
    /// Whether an equal identity will mean equal bytes is `trusted`.
    pub fn adopt(&mut self, identity: Identity, trusted: bool) {
        if let Some(entry) = &mut self.entry {
            entry.snapshot.document_mut().saved();
            entry.snapshot.has_file = true;
            entry.identity = Some(identity);
            self.last = Some(identity);
            entry.trust = if trusted {
                Trust::Sure
            } else {
                Trust::SameSince {
                    first_read: Instant::now(),
                    seems_old: false,
                }
            };
        }
    }

    /// What is cached, whether the file still holds it or not.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        self.entry.as_ref().map(|entry| &entry.snapshot)
    }

    /// What is cached, to change it.
    pub fn snapshot_mut(&mut self) -> Option<&mut Snapshot> {
        self.entry.as_mut().map(|entry| &mut entry.snapshot)
    }

    /// Puts what is cached into one piece again when so much of it is dead
    /// that it costs more than it saves.
    pub fn renew_when_worn(&mut self) {
        if let Some(entry) = &mut self.entry
            && entry.snapshot.document().is_worn()
        {
            entry.snapshot.document = Arc::new(entry.snapshot.document().renewed());
        }
    }

    /// Drops what is cached, because it may not be what the file holds.
    pub fn forget(&mut self) {
        self.entry = None;
    }
}

/// Reads the file, later when it seems to be in the middle of a rewrite: it is
/// the same file as `last`, but shorter, or `last` is gone. Programs that write a
/// file in place cut it off first, and what is there then is not what they mean
/// to say. Others remove it and make it anew, and on some file systems there is
/// nothing for a moment while a file is replaced: taken for an empty memory, it
/// would be written back as one.
fn read_at_rest(
    disk: &dyn Disk,
    path: &Path,
    last: Option<Identity>,
) -> io::Result<Option<Content>> {
    let started = Instant::now();
    loop {
        let content = read_whole(disk, path)?;
        let Some(last) = last else {
            return Ok(content);
        };
        let Some(found) = content.as_ref().map(|content| content.after) else {
            if started.elapsed() < LONGEST_GAP {
                std::thread::sleep(PAUSE);
                continue;
            }
            return Ok(None);
        };
        let is_cut = found.is_same_file(&last) && found.size < last.size;
        if !is_cut || started.elapsed() > LONGEST_REWRITE {
            return Ok(content);
        }
        std::thread::sleep(REST);
        if disk.identity(path)? == Some(found) {
            return Ok(content);
        }
    }
}

/// Whether the file was last changed so long before `now` that a later change
/// gets another time stamp.
fn has_settled(identity: &Identity, now: SystemTime) -> bool {
    let clock = i128::try_from(COARSEST_CLOCK.as_nanos()).expect("two seconds fit");
    identity.modified.max(identity.changed) + clock < nanoseconds(now)
}
