//! Moves a `memory.json` of earlier days to `memory.jsonl`, once, at start
//! (docs/behaviour.md, "Where the file is"). Which two paths these are, and
//! whether to look at all, is `config`'s business.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::ending::Patience;
use crate::store::disk::file_system::{Disk, directory_of};
use crate::store::disk::temp::temp_name;
use crate::store::error::StoreError;
use crate::store::format::line::Content;
use crate::store::format::parts::{Found, walk};
use crate::store::format::salvage::count_memory;
use crate::store::lock::{Claim, Lock};
use crate::words::{count, shell_word};

/// What became of the old file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Migration {
    /// There is none, or the new file is there already.
    NotNeeded,
    /// It is the new file now.
    Moved,
    /// It stays where it is: no memory was found in it, or something else has
    /// taken the new name. The reason, lower case, no full stop.
    LeftAlone(String),
}

/// Whether [`migrate`] would move the file.
pub fn is_due(disk: &dyn Disk, old: &Path, new: &Path) -> bool {
    let is_free = !is_taken(disk, new).unwrap_or(true);
    let holds_memory =
        |old| matches!(disk.read(old), Ok(Some(content)) if holds_memory(&content.bytes));
    is_free && holds_memory(old)
}

/// Gives `old` the name `new` when it holds at least one entity or relation
/// and nothing has that name yet. Bad lines in it do not matter: they come out
/// where they always do, when the memory is read.
///
/// # Errors
/// [`StoreError::Refused`] with a text that names both paths and the cause.
/// Both are then as they were.
pub fn migrate(
    disk: &Arc<dyn Disk>,
    old: &Path,
    new: &Path,
    fsync: bool,
    lock_timeout: Duration,
) -> Result<Migration, StoreError> {
    let failed = |cause: &dyn std::fmt::Display| {
        StoreError::Refused(format!(
            "cannot move {} to {}: {cause}\n\
             move it by hand, or name the file to use with --memory-file",
            old.display(),
            new.display()
        ))
    };
    // What cannot be looked at cannot be used either, which whoever reads the
    // memory will say.
    if is_taken(disk.as_ref(), new).unwrap_or(true) {
        return Ok(Migration::NotNeeded);
    }
    match disk.read(old) {
        Ok(None) => return Ok(Migration::NotNeeded),
        Ok(Some(content)) if holds_memory(&content.bytes) => {}
        Ok(Some(content)) => {
            return Ok(Migration::LeftAlone(nothing_to_move(old, &content.bytes)));
        }
        Err(error) => return Ok(Migration::LeftAlone(error.to_string())),
    }

    // No temp file is made; the lock's record wants a name nevertheless.
    let (temp_name, patience) = (temp_name(), Patience::default());
    let claim = Claim {
        fsync,
        ..Claim::new(new, &temp_name, lock_timeout, &patience)
    };
    let _lock = Lock::acquire(disk, &claim).map_err(|error| failed(&error))?;
    if let Err(error) = disk.rename_new(old, new) {
        let moved_meanwhile = error.kind() == io::ErrorKind::NotFound;
        return match is_taken(disk.as_ref(), new) {
            Ok(true) if moved_meanwhile => Ok(Migration::NotNeeded),
            Ok(true) if error.kind() == io::ErrorKind::AlreadyExists => {
                after_all(disk.as_ref(), old, new)
            }
            _ => Err(failed(&error)),
        };
    }
    if fsync {
        // Should a power cut undo the move, the next start does it again, so
        // a failure here is none of the move.
        let _ = disk.sync_directory(directory_of(new));
    }
    Ok(Migration::Moved)
}

/// The new name was taken while we waited for the lock: by a process that
/// moved the old file, or by one that had no use for it.
fn after_all(disk: &dyn Disk, old: &Path, new: &Path) -> Result<Migration, StoreError> {
    match disk.identity(old) {
        Ok(None) => Ok(Migration::NotNeeded),
        _ => Ok(Migration::LeftAlone(format!(
            "{} was made by another process in the meantime",
            new.display()
        ))),
    }
}

/// Whether anything has this name, a link that leads nowhere too.
fn is_taken(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    Ok(disk.identity(path)?.is_some() || disk.resolve(path)? != path)
}

/// Whether the reader finds an entity or a relation.
fn holds_memory(bytes: &[u8]) -> bool {
    let mut found = false;
    walk(bytes, |part, _| {
        found |= matches!(
            part.found,
            Found::Record(record) if !matches!(record.content, Content::Other)
        );
    });
    found
}

/// Why a file in which the reader finds nothing is left alone.
fn nothing_to_move(old: &Path, bytes: &[u8]) -> String {
    match count_memory(bytes) {
        0 => "no entity and no relation was found in it".to_owned(),
        found => {
            let path = old.display().to_string();
            let word = shell_word(&path);
            format!(
                "{} in it, in a document, not one record a line; run `mcp-memory repair {word}`, \
                 which makes lines of it, and start again",
                count(found, "entity or relation", "entities and relations")
            )
        }
    }
}
