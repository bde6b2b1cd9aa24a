//! Unix.

use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::fs::{PermissionsExt as _, fchown};
use std::path::Path;

use rustix::fs::{OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::Errno;

#[cfg(target_os = "linux")]
use crate::store::disk::cause::means_no_such_thing;
use crate::store::disk::file_system::Access;
use crate::store::disk::identity::{Attributes, Identity, Kind};

/// What is at the path.
pub(in crate::store::disk) fn look(path: &Path, follow: bool) -> io::Result<Identity> {
    #[cfg(target_os = "linux")]
    if let Some(identity) = super::fresh::look(path, follow) {
        return Ok(identity);
    }
    let metadata = if follow {
        std::fs::metadata(path)
    } else {
        std::fs::symlink_metadata(path)
    };
    Ok(identity(&metadata?))
}

/// What an open file is.
pub(in crate::store::disk) fn look_at(file: &File) -> io::Result<Identity> {
    #[cfg(target_os = "linux")]
    if let Some(identity) = super::fresh::look_at(file) {
        return Ok(identity);
    }
    Ok(identity(&file.metadata()?))
}

fn identity(metadata: &Metadata) -> Identity {
    Identity {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.len(),
        modified: since_1970(metadata.mtime(), metadata.mtime_nsec()),
        changed: since_1970(metadata.ctime(), metadata.ctime_nsec()),
        kind: kind(metadata.file_type()),
    }
}

fn since_1970(seconds: i64, nanoseconds: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
}

fn kind(kind: FileType) -> Kind {
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

/// Makes a file that must not be there yet.
pub(in crate::store::disk) fn create(path: &Path, private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    options.mode(if private { 0o600 } else { 0o666 });
    options.open(path)
}

/// Opens a file that was seen to be a regular one. A FIFO swapped in since then
/// does not block the open.
pub(in crate::store::disk) fn open(path: &Path, access: Access, follow: bool) -> io::Result<File> {
    let open = |read: bool, write: bool| {
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        let mut options = OpenOptions::new();
        options.custom_flags(flags.bits().cast_signed());
        options.read(read).write(write).open(path)
    };
    match access {
        Access::Read => open(true, false),
        Access::Write => open(false, true),
        // Only what no open can do is told from what this one may not.
        Access::Lock => match open(true, true) {
            Err(error) if means_nothing_but_denied(&error) => open(true, false),
            result => result,
        },
    }
}

fn means_nothing_but_denied(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::TXTBSY)
    )
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

/// The advisory lock of an open file, which needs nothing beside the file.
#[derive(Debug)]
pub(in crate::store::disk) struct Exclusive;

impl Exclusive {
    /// For a file that was just made.
    pub(in crate::store::disk) fn of_new() -> Exclusive {
        Exclusive
    }

    /// For a file that was opened.
    pub(in crate::store::disk) fn of_opened(_path: &Path) -> Exclusive {
        Exclusive
    }

    /// Takes it. `false`: somebody else has it.
    pub(in crate::store::disk) fn try_lock(&self, file: &File) -> io::Result<bool> {
        let Err(error) = fs2::FileExt::try_lock_exclusive(file) else {
            return Ok(true);
        };
        match Errno::from_io_error(&error) {
            // The last is what network file systems say whose servers know
            // only locks of another kind.
            Some(Errno::WOULDBLOCK | Errno::ACCESS) => Ok(false),
            // NFS locks only what is open for writing, and says of the rest
            // that it is not open. We do not hold what we may not write.
            Some(Errno::NOTSUP | Errno::NOSYS | Errno::NOLCK | Errno::BADF | Errno::INVAL) => {
                Err(io::Error::new(io::ErrorKind::Unsupported, error))
            }
            _ => Err(error),
        }
    }
}

pub(in crate::store::disk) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

pub(in crate::store::disk) fn remove(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// A directory whose names can be made durable.
pub(in crate::store::disk) struct Directory(File);

impl Directory {
    pub(in crate::store::disk) fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory(File::open(path)?))
    }

    /// Some file systems cannot sync a directory and say so; there is nothing
    /// that could be done about it.
    pub(in crate::store::disk) fn sync(&self) -> io::Result<()> {
        match self.0.sync_all() {
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
}

/// File systems of this machine's own kernel that rename over an open file in
/// one step. Any other may be the network's, or a program.
#[cfg(target_os = "linux")]
pub(in crate::store::disk) fn may_be_open_when_replaced(file: &File) -> bool {
    const BCACHEFS: u64 = 0xca45_1a4e;
    const BTRFS: u64 = 0x9123_683e;
    const EXT: u64 = 0xef53;
    const F2FS: u64 = 0xf2f5_2010;
    const TMPFS: u64 = 0x0102_1994;
    const XFS: u64 = 0x5846_5342;
    const ZFS: u64 = 0x2fc1_2fc1;
    rustix::fs::fstatfs(file).is_ok_and(|it| {
        // Where the field is narrower, the highest bit is its sign.
        let magic = it.f_type as u64 & 0xffff_ffff;
        [BCACHEFS, BTRFS, EXT, F2FS, TMPFS, XFS, ZFS].contains(&magic)
    })
}

#[cfg(not(target_os = "linux"))]
pub(in crate::store::disk) fn may_be_open_when_replaced(_file: &File) -> bool {
    false
}

/// What this machine is called.
pub(in crate::store) fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

/// What tells one start of this machine from the next. Empty where the system
/// does not say.
pub(in crate::store) fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map(|id| id.trim().to_owned())
        .unwrap_or_default()
}

/// `None` where the file system cannot make a file without a name.
#[cfg(target_os = "linux")]
pub(in crate::store::disk) fn create_unnamed(directory: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o666);
    options.custom_flags(OFlags::TMPFILE.bits().cast_signed());
    match options.open(directory) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_a_directory(&error) || means_no_such_thing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::store::disk) fn create_unnamed(_directory: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// What kernels say that know no files without a name, and try to open the
/// directory.
#[cfg(target_os = "linux")]
fn is_a_directory(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::ISDIR)
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
        result => Ok(result?),
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::store::disk) fn link_unnamed(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file a second name.
pub(in crate::store::disk) fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(from, to)
}

/// Whether this process may make files there, as far as permissions tell.
pub(in crate::store) fn may_make_files_in(directory: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    let access = Access::WRITE_OK | Access::EXEC_OK;
    !matches!(
        accessat(CWD, directory, access, AtFlags::EACCESS),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS)
    )
}
