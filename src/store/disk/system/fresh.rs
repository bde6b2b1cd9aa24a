//! Looks at files that ask the file system itself. Linux keeps what it learned
//! from the network or from a program (FUSE) for a second or longer, and a file
//! read by a size from then would be cut off. On a local disk nothing differs.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, StatxTimestamp, makedev, statx};

use crate::store::disk::identity::{Identity, Kind};

/// What is at the path. `None` where it cannot be said, for whatever reason.
pub(super) fn look(path: &Path, follow: bool) -> Option<Identity> {
    let link = if follow {
        AtFlags::empty()
    } else {
        AtFlags::SYMLINK_NOFOLLOW
    };
    ask(CWD, path, link)
}

/// What an open file is.
pub(super) fn look_at(file: &File) -> Option<Identity> {
    ask(file, Path::new(""), AtFlags::EMPTY_PATH)
}

fn ask(directory: impl AsFd, path: &Path, flags: AtFlags) -> Option<Identity> {
    let flags = flags | AtFlags::STATX_FORCE_SYNC;
    let found = statx(directory, path, flags, StatxFlags::BASIC_STATS).ok()?;
    Some(identity(&found))
}

fn identity(found: &Statx) -> Identity {
    Identity {
        device: makedev(found.stx_dev_major, found.stx_dev_minor),
        inode: found.stx_ino,
        size: found.stx_size,
        modified: since_1970(&found.stx_mtime),
        changed: since_1970(&found.stx_ctime),
        kind: match FileType::from_raw_mode(found.stx_mode.into()) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Fifo => Kind::Fifo,
            FileType::Socket => Kind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
            FileType::Symlink => Kind::Link,
            FileType::Unknown => Kind::Other,
        },
    }
}

fn since_1970(time: &StatxTimestamp) -> i128 {
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}
