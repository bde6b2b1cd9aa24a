//! Windows.
//!
//! There are no advisory locks on Windows: a lock that is held against writing
//! is held against reading too, and would hide the record in a lock file. What
//! comes close is the share mode, with which a file is opened: while one handle
//! is open that shares the file for reading only, nobody else can open it for
//! writing. It ends with the process, others can read the file, and whether it
//! is there is found out by opening the file for writing.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::store::disk::file_system::Access;
use crate::store::disk::identity::{Attributes, Identity, Kind, nanoseconds};
use crate::store::disk::patience::patiently;

const SHARE_READ: u32 = 1;
const SHARE_WRITE: u32 = 2;
const SHARE_DELETE: u32 = 4;
const SHARE_ALL: u32 = SHARE_READ | SHARE_WRITE | SHARE_DELETE;
/// What keeps others from writing, and lets them read, rename and remove.
const SHARE_NO_WRITE: u32 = SHARE_READ | SHARE_DELETE;

/// Without it a directory cannot be opened.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// A link itself.
const OPEN_REPARSE_POINT: u32 = 0x0020_0000;

const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const DELETE_PENDING: i32 = 303;

/// What is at the path.
pub(in crate::store::disk) fn look(path: &Path, follow: bool) -> io::Result<Identity> {
    let link = if follow { 0 } else { OPEN_REPARSE_POINT };
    let mut options = OpenOptions::new();
    // Asks for no right to the contents, so nobody's share mode is in the way.
    options.access_mode(0).share_mode(SHARE_ALL);
    options.custom_flags(BACKUP_SEMANTICS | link);
    look_at(&options.open(path)?)
}

/// What an open file is. A new file can get the time of creation of one that
/// had its name before, so files are told apart by their number on the volume.
pub(in crate::store::disk) fn look_at(file: &File) -> io::Result<Identity> {
    let metadata = file.metadata()?;
    let information = winapi_util::file::information(file)?;
    let modified = metadata.modified().map_or(0, nanoseconds);
    Ok(Identity {
        device: information.volume_serial_number(),
        inode: information.file_index(),
        size: metadata.len(),
        modified,
        changed: modified,
        kind: kind(metadata.file_type()),
    })
}

fn kind(kind: FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Directory
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

pub(in crate::store::disk) fn attributes(_metadata: &Metadata) -> Attributes {
    Attributes {
        mode: 0,
        user: 0,
        group: 0,
        links: 1,
    }
}

/// Makes a file that must not be there yet, which nobody else writes while we
/// have it.
pub(in crate::store::disk) fn create(path: &Path, _private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    options.share_mode(SHARE_NO_WRITE);
    patiently(is_in_use, || options.open(path))
}

pub(in crate::store::disk) fn open(path: &Path, access: Access, follow: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match access {
        // Whoever may write it has its lock, so that is asked for later.
        Access::Read | Access::Lock => options.read(true),
        Access::Write => options.write(true),
    };
    if !follow {
        options.custom_flags(OPEN_REPARSE_POINT);
    }
    match access {
        // A lock that cannot be opened is one that is held.
        Access::Lock => options.open(path).map_err(|error| {
            if is_in_use(&error) {
                io::Error::new(io::ErrorKind::PermissionDenied, error)
            } else {
                error
            }
        }),
        Access::Read | Access::Write => patiently(is_in_use, || options.open(path)),
    }
}

/// Whether another program has the file just now, a scanner for example, or it
/// was removed and is still open somewhere.
fn is_in_use(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(ACCESS_DENIED | SHARING_VIOLATION | DELETE_PENDING)
    )
}

/// The right to be the only one who has a file open for writing.
#[derive(Debug)]
pub(in crate::store::disk) enum Exclusive {
    /// It came with the file.
    FromTheStart,
    /// It takes another handle.
    Later {
        path: PathBuf,
        handle: Mutex<Option<File>>,
    },
}

impl Exclusive {
    /// For a file that was just made.
    pub(in crate::store::disk) fn of_new() -> Exclusive {
        Exclusive::FromTheStart
    }

    /// For a file that was opened.
    pub(in crate::store::disk) fn of_opened(path: &Path) -> Exclusive {
        Exclusive::Later {
            path: path.to_path_buf(),
            handle: Mutex::new(None),
        }
    }

    /// Takes it. `false`: somebody else has it.
    pub(in crate::store::disk) fn try_lock(&self, file: &File) -> io::Result<bool> {
        let Exclusive::Later { path, handle } = self else {
            return Ok(true);
        };
        let mut handle = handle.lock().unwrap_or_else(PoisonError::into_inner);
        if handle.is_some() {
            return Ok(true);
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).share_mode(SHARE_NO_WRITE);
        options.custom_flags(OPEN_REPARSE_POINT);
        match options.open(path) {
            Ok(opened) => {
                // The name may be another file's by now.
                let is_same = look_at(&opened)?.is_same_file(&look_at(file)?);
                *handle = is_same.then_some(opened);
                Ok(is_same)
            }
            Err(error) => match error.raw_os_error() {
                Some(SHARING_VIOLATION | DELETE_PENDING) => Ok(false),
                // We may not write it, whoever has it.
                Some(ACCESS_DENIED) => Err(io::Error::new(io::ErrorKind::Unsupported, error)),
                _ if error.kind() == io::ErrorKind::NotFound => Ok(false),
                _ => Err(error),
            },
        }
    }
}

pub(in crate::store::disk) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(in crate::store::disk) fn set_owner(
    _file: &File,
    _user: Option<u32>,
    _group: Option<u32>,
) -> io::Result<()> {
    Ok(())
}

pub(in crate::store::disk) fn touch(file: &File) -> io::Result<()> {
    file.set_modified(std::time::SystemTime::now())
}

pub(in crate::store::disk) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    patiently(is_in_use, || std::fs::rename(from, to))
}

pub(in crate::store::disk) fn remove(path: &Path) -> io::Result<()> {
    patiently(is_in_use, || std::fs::remove_file(path))
}

/// A directory. Windows makes names durable by itself.
pub(in crate::store::disk) struct Directory;

impl Directory {
    pub(in crate::store::disk) fn open(_path: &Path) -> io::Result<Directory> {
        Ok(Directory)
    }

    pub(in crate::store::disk) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

pub(in crate::store::disk) fn may_be_open_when_replaced(_file: &File) -> bool {
    false
}

pub(in crate::store::disk) fn create_unnamed(_directory: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

pub(in crate::store::disk) fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A lock file is made where it is to stay: a second name of an open file could
/// not be removed before the file is closed, and FAT has no second names.
pub(in crate::store::disk) fn link(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Not known. Who holds a lock is seen across the network, too.
pub(in crate::store) fn host_name() -> String {
    String::new()
}

/// Not known, and not needed: no handle outlives the system.
pub(in crate::store) fn boot_id() -> String {
    String::new()
}

/// Only the attempt would tell.
pub(in crate::store) fn may_make_files_in(_directory: &Path) -> bool {
    true
}
