//! The durable replacement of a file: at any moment there is the old file or
//! the new one, whole (`docs/behaviour.md`, "Writing"). When to replace, and
//! under which lock, is the caller's to decide.
//!
//! The order is what makes it safe: the new bytes go to a temp file in the
//! same directory, with the old file's attributes; that is synced, so that the
//! name can never lead to half a file; it is renamed over the target; the
//! directory is synced, so that the rename survives too.
//!
//! A rename over a file that is open is one step only on some file systems. On
//! the others the old file is first given a hidden name (`.nfs…`,
//! `.fuse_hidden…`), and a crash before the second step leaves nothing under
//! the target's. So there we close the old file before. That is not enough
//! where another program has it open, so the lock's record says beforehand that
//! the temp file is complete, and whoever breaks the lock of a dead process puts
//! it in place (see [`lock`](crate::store::lock)).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::attributes::keep_attributes;
use super::file_system::{Access, Disk, DiskDirectory, DiskFile, directory_of};
use super::identity::{Identity, nanoseconds};
use crate::store::error::StoreError;

/// A complete, durable file beside the target, not yet in its place. Dropped,
/// it is removed.
pub struct Staged {
    temp: Temp,
    file: Box<dyn DiskFile>,
    /// The file to be replaced, where it may be open meanwhile.
    old: Option<Box<dyn DiskFile>>,
    target: PathBuf,
    /// Where the target is, to be synced.
    directory: Option<Box<dyn DiskDirectory>>,
    /// Whether the rename may be two steps, with no target between them.
    may_leave_a_gap: bool,
    modified: Option<i128>,
}

/// A replacement that is done and durable.
pub struct Published {
    /// What the target is now.
    pub identity: Identity,
    /// Whether the time stamp is as fine as our clock, so that an equal
    /// identity later means that nobody wrote since. Otherwise the bytes have
    /// to be compared.
    pub trusted: bool,
    /// The replaced file, where it could be kept open. The system frees its
    /// blocks when this is dropped: of a file of 50 MB in 11 ms, while the
    /// whole replacement takes 29 ms, and no reply need wait for that.
    pub replaced: Option<Box<dyn DiskFile>>,
}

/// Writes the slices, one after the other, to `temp_name` beside `target`, and
/// makes it ready to take its place: permission bits, and owner and group
/// where the process may set them, are those of the file there now.
///
/// # Errors
/// [`StoreError::Io`]; nothing was changed then and the temp file is gone. A
/// target that may not be written or is no regular file is refused, although
/// it could be renamed over.
pub fn stage(
    disk: &Arc<dyn Disk>,
    target: &Path,
    temp_name: &str,
    slices: &[&[u8]],
    fsync: bool,
) -> Result<Staged, StoreError> {
    let on_target = |source| StoreError::unchanged("write", target, source);
    let old = disk.open(target, Access::Write).map_err(on_target)?;
    let path = directory_of(target).join(temp_name);
    let on_temp = |source| StoreError::unchanged("write", &path, source);
    // Until it has the old file's mode, nobody else may look into it.
    let file = disk.create_new(&path, old.is_some()).map_err(on_temp)?;
    let temp = Temp {
        disk: Arc::clone(disk),
        path: path.clone(),
        renamed: false,
    };
    file.write_all(slices).map_err(on_temp)?;
    if let Some(old) = &old {
        keep_attributes(target, old.as_ref(), file.as_ref()).map_err(on_temp)?;
    }
    let may_leave_a_gap = old
        .as_ref()
        .is_some_and(|old| !old.may_be_open_when_replaced());
    // Closed here and not right before the rename, because a program that is a
    // file system hears of it only a moment later.
    let old = old.filter(|_| !may_leave_a_gap);
    let modified = set_fine_stamp(file.as_ref());
    let mut directory = None;
    if fsync {
        file.sync().map_err(on_temp)?;
        let path = directory_of(target);
        let fail = |source| StoreError::unchanged("open the directory", path, source);
        directory = Some(disk.open_directory(path).map_err(fail)?);
    }
    Ok(Staged {
        temp,
        file,
        old,
        target: target.to_path_buf(),
        directory,
        may_leave_a_gap,
        modified,
    })
}

impl Staged {
    /// Whether a crash while the target is replaced may leave nothing under its
    /// name, so that somebody has to know of this file.
    #[must_use]
    pub fn may_leave_a_gap(&self) -> bool {
        self.may_leave_a_gap
    }

    /// Puts the file in the target's place.
    ///
    /// # Errors
    /// [`StoreError::Io`]: nothing was changed and the temp file is gone.
    /// [`StoreError::NotDurable`]: the change is in the file, but a power cut
    /// may undo it.
    pub fn publish(mut self) -> Result<Published, StoreError> {
        let staged = self.file.identity();
        self.temp
            .disk
            .rename(&self.temp.path, &self.target)
            .map_err(|source| cannot_replace(&self.target, source))?;
        self.temp.renamed = true;
        if let Some(directory) = &self.directory {
            directory.sync().map_err(|source| StoreError::NotDurable {
                path: self.target.clone(),
                source,
            })?;
        }
        // The rename changed the file's change time, so only a look from now
        // on tells what the target is. Should that fail, the older one stands
        // for it: it matches nothing, and the file will be read again.
        let (identity, trusted) = match (self.file.identity(), staged) {
            (Ok(identity), _) => (identity, self.modified == Some(identity.modified)),
            (Err(_), Ok(identity)) => (identity, false),
            (Err(source), Err(_)) => {
                return Err(StoreError::NotDurable {
                    path: self.target.clone(),
                    source,
                });
            }
        };
        Ok(Published {
            identity,
            trusted,
            replaced: self.old.take(),
        })
    }
}

fn cannot_replace(target: &Path, source: io::Error) -> StoreError {
    if source.kind() != io::ErrorKind::ResourceBusy {
        return StoreError::unchanged("replace", target, source);
    }
    StoreError::Io {
        action: "replace",
        path: target.to_path_buf(),
        source,
        consequence: "nothing was written; the memory file is as it was\n\
                      if the file is a mount of its own, as in a container started with \
                      `-v FILE:FILE`, mount its directory instead",
    }
}

/// Makes the directories that lead to `target`, and says whether any was
/// missing.
///
/// # Errors
/// [`StoreError::Io`]; the memory file was not made.
pub fn create_parents(disk: &dyn Disk, target: &Path, fsync: bool) -> Result<bool, StoreError> {
    let mut missing = Vec::new();
    let mut directory = directory_of(target);
    loop {
        let fail = |source| StoreError::unchanged("create the directory", directory, source);
        if disk.identity(directory).map_err(fail)?.is_some() {
            break;
        }
        missing.push(directory);
        directory = directory_of(directory);
    }
    let any = !missing.is_empty();
    for directory in missing.into_iter().rev() {
        let fail = |source| StoreError::unchanged("create the directory", directory, source);
        match disk.create_directory(directory) {
            // Somebody else was as quick.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => result.map_err(fail)?,
        }
        if fsync {
            disk.sync_directory(directory_of(directory)).map_err(fail)?;
        }
    }
    Ok(any)
}

/// The temp file's name, removed unless it became the target.
struct Temp {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    renamed: bool,
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing more can be done; the lock's record names it, too.
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// Replaces the kernel's time stamp, which ticks in milliseconds or worse, by
/// one of the clock's full resolution, so that no other write carries the same.
/// `None` where the file system would not keep it.
fn set_fine_stamp(file: &dyn DiskFile) -> Option<i128> {
    let now = SystemTime::now();
    file.set_modified(now).ok()?;
    let kept = file.identity().ok()?.modified;
    (kept == nanoseconds(now)).then_some(kept)
}
