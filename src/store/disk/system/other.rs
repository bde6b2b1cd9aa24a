//! The nearest that other systems have. Locks and the syncing of directories
//! are missing there: a lock that is held against reading would hide its
//! record, so locks are judged by their age.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::store::disk::{Attributes, Kind, nanoseconds};

pub(in crate::store::disk) fn inode(metadata: &Metadata) -> (u64, u64, Option<i128>) {
    let created = metadata.created().map_or(0, nanoseconds);
    (0, u64::try_from(created).unwrap_or(0), None)
}

pub(in crate::store::disk) fn kind(kind: FileType) -> Kind {
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

pub(in crate::store::disk) fn set_private(_options: &mut OpenOptions, _private: bool) {}

pub(in crate::store::disk) fn set_careful(_options: &mut OpenOptions, _follow: bool) {}

pub(in crate::store::disk) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

pub(in crate::store::disk) fn set_owner(
    _: &File,
    _: Option<u32>,
    _: Option<u32>,
) -> io::Result<()> {
    Ok(())
}

pub(in crate::store::disk) fn touch(file: &File) -> io::Result<()> {
    file.set_modified(std::time::SystemTime::now())
}

pub(in crate::store::disk) fn try_lock(_file: &File) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::store::disk) fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

pub(in crate::store::disk) fn create_unnamed(_directory: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

pub(in crate::store::disk) fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::store::disk) fn link_error(error: io::Error) -> io::Error {
    error
}
