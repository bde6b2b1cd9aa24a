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

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::StoreError;
use super::disk::{Disk, Identity, nanoseconds};
use super::document::Document;
use super::memory::Snapshot;

/// The coarsest clock of a file system in use: FAT counts in two seconds.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);

/// How often a file that changes while it is read is read again before its bad
/// lines are believed.
const READS_OF_A_MOVING_FILE: usize = 3;

/// The parsed memory file.
#[derive(Default)]
pub struct Cache {
    entry: Option<Entry>,
}

struct Entry {
    document: Snapshot,
    /// The file's identity; None where there is no file.
    identity: Option<Identity>,
    /// Whether an equal identity means equal bytes.
    is_trusted: bool,
}

impl Cache {
    /// The file as it is now.
    ///
    /// # Errors
    /// [`StoreError::BadLines`], or what kept the file from being read. What
    /// was cached is forgotten then.
    pub fn refresh(&mut self, disk: &dyn Disk, path: &Path) -> Result<&mut Snapshot, StoreError> {
        let entry = match self.entry.take() {
            Some(entry) => reread_if_changed(entry, disk, path)?,
            None => read(None, disk, path)?,
        };
        Ok(&mut self.entry.insert(entry).document)
    }

    /// The identity of what was last read; None where there was no file.
    pub fn identity(&self) -> Option<Identity> {
        self.entry.as_ref().and_then(|entry| entry.identity)
    }

    /// What is cached was just written: the file has this identity now.
    pub fn adopt(&mut self, identity: Identity, is_trusted: bool) {
        if let Some(entry) = &mut self.entry {
            Arc::make_mut(&mut entry.document).saved();
            entry.identity = Some(identity);
            entry.is_trusted = is_trusted;
        }
    }

    /// What is cached, whether the file still holds it or not.
    pub fn document(&self) -> Option<&Snapshot> {
        self.entry.as_ref().map(|entry| &entry.document)
    }

    /// Puts what is cached into one piece again when so much of it is dead
    /// that it costs more than it saves.
    pub fn renew_when_worn(&mut self) {
        if let Some(entry) = &mut self.entry
            && entry.document.is_worn()
        {
            entry.document = Arc::new(entry.document.renewed());
        }
    }

    /// Drops what is cached, because it may not be what the file holds.
    pub fn forget(&mut self) {
        self.entry = None;
    }
}

fn reread_if_changed(entry: Entry, disk: &dyn Disk, path: &Path) -> Result<Entry, StoreError> {
    let identity = disk
        .identity(path)
        .map_err(|error| StoreError::unchanged("read", path, error))?;
    if identity == entry.identity && entry.is_trusted {
        return Ok(entry);
    }
    read(Some(entry.document), disk, path)
}

/// Reads the file, and keeps `known` where it holds the same bytes.
fn read(mut known: Option<Snapshot>, disk: &dyn Disk, path: &Path) -> Result<Entry, StoreError> {
    let mut reads = 1;
    loop {
        let started = SystemTime::now();
        let content = disk
            .read(path)
            .map_err(|error| StoreError::unchanged("read", path, error))?;
        let Some(content) = content else {
            return Ok(Entry {
                document: known
                    .filter(|document| document.matches(&[]))
                    .unwrap_or_default(),
                identity: None,
                is_trusted: true,
            });
        };
        let is_torn = content.before != content.after;
        let is_trusted = !is_torn && has_settled(&content.before, started);
        let identity = Some(content.before);
        if known
            .as_ref()
            .is_some_and(|known| known.matches(&content.bytes))
        {
            let document = known.take().expect("it was looked at just now");
            return Ok(Entry {
                document,
                identity,
                is_trusted,
            });
        }
        // Before the new one is built, or both are in memory at once.
        known = None;
        match Document::parse(content.bytes) {
            Ok(document) => {
                return Ok(Entry {
                    document: Arc::new(document),
                    identity,
                    is_trusted,
                });
            }
            Err(_) if is_torn && reads < READS_OF_A_MOVING_FILE => reads += 1,
            Err(lines) => {
                return Err(StoreError::BadLines {
                    path: path.to_owned(),
                    lines,
                });
            }
        }
    }
}

/// Whether the file was last changed so long before `now` that a later change
/// gets another time stamp.
fn has_settled(identity: &Identity, now: SystemTime) -> bool {
    let clock = i128::try_from(COARSEST_CLOCK.as_nanos()).expect("two seconds fit");
    identity.modified.max(identity.changed) + clock < nanoseconds(now)
}
