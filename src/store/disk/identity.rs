//! What a file is at a moment, by which one state of it is told from another,
//! and what a replacement keeps of it.

use std::fmt;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

/// What tells one state of a file from another. Two equal identities mean the
/// same bytes, as far as the time stamps are fine enough to tell (see
/// `docs/behaviour.md`, "Writing").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The device.
    pub device: u64,
    /// The inode on that device. Where the system has none, the time at which
    /// the file was made, in nanoseconds.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// When the contents changed, in nanoseconds since 1970.
    pub modified: i128,
    /// When anything about the file changed, in nanoseconds since 1970.
    pub changed: i128,
    /// Whether it is a file at all.
    pub kind: Kind,
}

impl Identity {
    /// Whether both are one file, in whatever state.
    #[must_use]
    pub fn is_same_file(&self, other: &Identity) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// A symbolic link, where it is not followed.
    Link,
    /// Anything else.
    Other,
}

impl Kind {
    /// With its article.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Kind::File => "a file",
            Kind::Directory => "a directory",
            Kind::Fifo => "a FIFO",
            Kind::Socket => "a socket",
            Kind::Device => "a device",
            Kind::Link => "a symbolic link",
            Kind::Other => "something else",
        }
    }

    /// Fails unless this is a regular file, in words that follow a path and a
    /// colon.
    ///
    /// # Errors
    /// [`io::ErrorKind::IsADirectory`] for a directory, else
    /// [`io::ErrorKind::InvalidInput`].
    pub fn must_be_file(self) -> io::Result<()> {
        match self {
            Kind::File => Ok(()),
            Kind::Directory => Err(io::Error::new(io::ErrorKind::IsADirectory, NotAFile(self))),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, NotAFile(self))),
        }
    }
}

#[derive(Debug)]
struct NotAFile(Kind);

impl fmt::Display for NotAFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it is {}, not a regular file", self.0.words())
    }
}

impl std::error::Error for NotAFile {}

/// A file's bytes, with what the file was when reading began and ended. Where
/// the two differ, somebody wrote meanwhile and the bytes may be torn.
#[derive(Debug)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The opened file, before the first byte was read.
    pub before: Identity,
    /// The opened file, after the last one.
    pub after: Identity,
}

/// What a replacement keeps of the file it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits, `0o7777` at most.
    pub mode: u32,
    /// The owner's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
    /// How many names (hard links) the file has.
    pub links: u64,
}

/// A time as nanoseconds since 1970, negative before it.
#[must_use]
pub fn nanoseconds(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).expect("a time stamp fits into i128"),
        Err(before) => -i128::try_from(before.duration().as_nanos()).expect("as above"),
    }
}
