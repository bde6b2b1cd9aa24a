//! Unix.

use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::fs::{PermissionsExt as _, fchown};
use std::path::Path;

use rustix::fs::{OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::Errno;

use crate::store::disk::{Attributes, Kind};

pub(in crate::store::disk) fn inode(metadata: &Metadata) -> (u64, u64, Option<i128>) {
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    (metadata.dev(), metadata.ino(), Some(changed))
}

pub(in crate::store::disk) fn kind(kind: FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Directory
    } else if kind.is_fifo() {
        Kind::Fifo
    } else if kind.is_socket() {
        Kind::Socket
    } else if kind.is_char_device() || kind.is_block_device() {
        Kind::Device
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

pub(in crate::store::disk) fn attributes(metadata: &Metadata) -> Attributes {
    Attributes {
        mode: metadata.mode() & 0o7777,
        user: metadata.uid(),
        group: metadata.gid(),
        links: metadata.nlink(),
    }
}

pub(in crate::store::disk) fn set_private(options: &mut OpenOptions, private: bool) {
    options.mode(if private { 0o600 } else { 0o666 });
}

/// A FIFO swapped in after the look does not block the open.
pub(in crate::store::disk) fn set_careful(options: &mut OpenOptions, follow: bool) {
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if !follow {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits().cast_signed());
}

pub(in crate::store::disk) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

pub(in crate::store::disk) fn set_owner(
    file: &File,
    user: Option<u32>,
    group: Option<u32>,
) -> io::Result<()> {
    fchown(file, user, group)
}

/// "Now" is left to the file system, whose clock on a network is not ours.
pub(in crate::store::disk) fn touch(file: &File) -> io::Result<()> {
    let stamp = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    let times = Timestamps {
        last_access: stamp(UTIME_OMIT),
        last_modification: stamp(UTIME_NOW),
    };
    Ok(rustix::fs::futimens(file, &times)?)
}

pub(in crate::store::disk) fn try_lock(file: &File) -> io::Result<bool> {
    match fs2::FileExt::try_lock_exclusive(file) {
        Ok(()) => Ok(true),
        Err(error) if error.raw_os_error() == fs2::lock_contended_error().raw_os_error() => {
            Ok(false)
        }
        Err(error) => Err(match Errno::from_io_error(&error) {
            Some(Errno::NOTSUP | Errno::NOSYS | Errno::NOLCK) => {
                io::Error::new(io::ErrorKind::Unsupported, error)
            }
            _ => error,
        }),
    }
}

/// Some file systems cannot sync a directory and say so; there is nothing
/// that could be done about it.
pub(in crate::store::disk) fn sync_directory(path: &Path) -> io::Result<()> {
    match File::open(path)?.sync_all() {
        Err(error)
            if matches!(
                Errno::from_io_error(&error),
                Some(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS)
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

/// `None` where the file system cannot make a file without a name.
#[cfg(target_os = "linux")]
pub(in crate::store::disk) fn create_unnamed(directory: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o666);
    options.custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(directory) {
        Ok(file) => Ok(Some(file)),
        Err(error) => match Errno::from_io_error(&error) {
            // The first is what file systems say, the others what kernels
            // say that know no such files.
            Some(Errno::NOTSUP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            _ => Err(error),
        },
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::store::disk) fn create_unnamed(_directory: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
pub(in crate::store::disk) fn link_unnamed(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let number = format!("/proc/self/fd/{}", file.as_raw_fd());
    let number = Path::new(&number);
    let result = rustix::fs::linkat(
        rustix::fs::CWD,
        number,
        rustix::fs::CWD,
        path,
        rustix::fs::AtFlags::SYMLINK_FOLLOW,
    );
    match result {
        // Without /proc such a file cannot be named.
        Err(Errno::NOENT) if !number.exists() => Err(io::ErrorKind::Unsupported.into()),
        result => result.map_err(|error| link_error(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::store::disk) fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What systems say where there are no hard links.
pub(in crate::store::disk) fn link_error(error: io::Error) -> io::Error {
    match Errno::from_io_error(&error) {
        Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::XDEV | Errno::MLINK) => {
            io::Error::new(io::ErrorKind::Unsupported, error)
        }
        _ => error,
    }
}
