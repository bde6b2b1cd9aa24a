//! What the store asks of a file system, as a trait. How this machine answers
//! is in [`real`](super::real); what is asked, and in which order, is decided
//! in [`replace`](super::replace) and in [`lock`](crate::store::lock).
//!
//! The trait is there for the tests: a double can fail any step, write down
//! the order of the steps, or stand for a disk that forgets what was not
//! synced. What a test is to see must go through it, so reading, locking and
//! replacing a memory file does.

use std::ffi::{CStr, CString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::identity::{Attributes, Content, Identity};

/// A file system.
///
/// Methods that take a path follow no link in its last component unless they
/// say so; [`Disk::resolve`] is called first.
pub trait Disk: Send + Sync + 'static {
    /// The path with the links in its last component followed, also where the
    /// last one leads to nothing: then the place where the file would be made.
    ///
    /// # Errors
    /// A chain of more than 40 links, or a directory that cannot be searched.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// What is at the path now, links followed. `None`: nothing.
    ///
    /// # Errors
    /// The system's, e.g. where a parent is a file.
    fn identity(&self, path: &Path) -> io::Result<Option<Identity>>;

    /// The same for a link itself, which is not followed.
    ///
    /// # Errors
    /// The system's.
    fn identity_of_name(&self, path: &Path) -> io::Result<Option<Identity>>;

    /// The whole file, links followed. `None`: there is none.
    ///
    /// # Errors
    /// The system's. Anything but a regular file is refused before it is
    /// opened, because opening a FIFO or a device can block or have effects.
    fn read(&self, path: &Path) -> io::Result<Option<Content>>;

    /// Opens an existing regular file, without changing it. `None`: there is
    /// none.
    ///
    /// # Errors
    /// The system's, and a refusal of anything but a regular file.
    fn open(&self, path: &Path, access: Access) -> io::Result<Option<Box<dyn DiskFile>>>;

    /// Makes a file that must not exist yet, with the umask's default
    /// permissions, or for nobody but its owner where `private`.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or the system's.
    fn create_new(&self, path: &Path, private: bool) -> io::Result<Box<dyn DiskFile>>;

    /// Makes a file that nobody looks for until [`DiskFile::link`] gives it
    /// its name: without any name where the system can do that, because then
    /// nothing is left of it when this process is killed, else as `path`,
    /// which is removed with the returned value. Default permissions.
    ///
    /// # Errors
    /// The system's.
    fn create_hidden(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Gives `from` the name `to`, in place of what had it.
    ///
    /// # Errors
    /// The system's; then nothing was changed.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives `from` the name `to`, which nothing has yet. Where the system has
    /// nothing better it is a look and a rename, which is as good as the lock
    /// that the caller holds.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or the system's; then nothing was
    /// changed.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file's name.
    ///
    /// # Errors
    /// The system's, [`io::ErrorKind::NotFound`] too.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes one directory.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or the system's.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// The system's, where it is not empty or none.
    fn remove_directory(&self, path: &Path) -> io::Result<()>;

    /// Opens a directory, so that the names in it can be made durable. What
    /// cannot be opened is found out that way before anything is changed.
    ///
    /// # Errors
    /// The system's.
    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>>;
}

impl dyn Disk {
    /// Makes the names in a directory durable.
    ///
    /// # Errors
    /// The system's.
    pub fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.open_directory(path)?.sync()
    }
}

/// An open directory.
pub trait DiskDirectory: Send + Sync {
    /// Makes the names in it durable.
    ///
    /// # Errors
    /// The system's. Where the system knows no such thing it is no error.
    fn sync(&self) -> io::Result<()>;
}

/// An open file. All methods take `&self`, because a lock file is refreshed
/// by another thread than the one that holds it.
pub trait DiskFile: Send + Sync {
    /// Writes all slices, one after the other, at the file's cursor.
    ///
    /// # Errors
    /// The system's; any part may have been written.
    fn write_all(&self, slices: &[&[u8]]) -> io::Result<()>;

    /// Writes over the file's first bytes, which are at least as many.
    ///
    /// # Errors
    /// The system's; any part may have been written.
    fn write_over(&self, bytes: &[u8]) -> io::Result<()>;

    /// At most the first `limit` bytes.
    ///
    /// # Errors
    /// The system's.
    fn read_start(&self, limit: usize) -> io::Result<Vec<u8>>;

    /// Makes contents and attributes durable.
    ///
    /// # Errors
    /// The system's.
    fn sync(&self) -> io::Result<()>;

    /// Sets the modification time.
    ///
    /// # Errors
    /// The system's.
    fn set_modified(&self, time: SystemTime) -> io::Result<()>;

    /// Sets the modification time to now, by the file system's clock.
    ///
    /// # Errors
    /// The system's.
    fn touch(&self) -> io::Result<()>;

    /// What this file is now, whatever its name leads to.
    ///
    /// # Errors
    /// The system's.
    fn identity(&self) -> io::Result<Identity>;

    /// Permission bits, owner and number of names.
    ///
    /// # Errors
    /// The system's.
    fn attributes(&self) -> io::Result<Attributes>;

    /// Sets the permission bits.
    ///
    /// # Errors
    /// The system's.
    fn set_mode(&self, mode: u32) -> io::Result<()>;

    /// Sets owner and group; `None` leaves one as it is.
    ///
    /// # Errors
    /// The system's.
    fn set_owner(&self, user: Option<u32>, group: Option<u32>) -> io::Result<()>;

    /// The names of the extended attributes, access control lists among them.
    /// None where the system or the file system has no such thing.
    ///
    /// # Errors
    /// The system's.
    fn extended(&self) -> io::Result<Vec<CString>>;

    /// One extended attribute's value.
    ///
    /// # Errors
    /// The system's.
    fn get_extended(&self, name: &CStr) -> io::Result<Vec<u8>>;

    /// Sets one extended attribute, or removes it.
    ///
    /// # Errors
    /// The system's.
    fn set_extended(&self, name: &CStr, value: Option<&[u8]>) -> io::Result<()>;

    /// Whether the file may be open while another is renamed over it, and the
    /// rename is one step all the same. Network file systems and most that run
    /// as a program of their own (FUSE) first give an open file another name,
    /// and for that moment nothing has the name that everybody looks for.
    /// Windows refuses. Where it is not known that it may, `false`.
    fn may_be_open_when_replaced(&self) -> bool;

    /// Takes the file's advisory lock, which ends with the file or the
    /// process. `false`: somebody else has it.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where the file system has no such locks,
    /// or the system's.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives a hidden file its name. It is not hidden any more then.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], or the system's. Where there are no
    /// hard links it can be any (see [`cause::means_no_such_thing`]).
    ///
    /// [`cause::means_no_such_thing`]: super::cause::means_no_such_thing
    fn link(&self, path: &Path) -> io::Result<()>;
}

/// For what an existing file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To see whether it may be written; nothing is cut off.
    Write,
    /// To read it and to take its advisory lock. Some file systems give that
    /// only to those who may write, so it is opened for writing where that is
    /// allowed, and else for reading.
    Lock,
}

/// The directory a file is in: `.` for a bare name.
#[must_use]
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
