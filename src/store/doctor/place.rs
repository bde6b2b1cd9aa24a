//! What can be said of a memory file's place before anything is read or written
//! there.

use std::path::Path;

use crate::store::disk::file_system::{Disk, directory_of};
use crate::store::disk::identity::Kind;
use crate::store::disk::system::may_make_files_in;

/// What is at the path, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nothing; the first write makes it.
    New,
    /// A file of so many bytes.
    File(u64),
    /// Something that can be no memory file.
    Other(Kind),
    /// The system does not say; whoever reads it hears why.
    Unknown,
}

impl Place {
    /// Looks.
    pub fn of(disk: &dyn Disk, path: &Path) -> Place {
        match disk.identity(path) {
            Ok(None) => Place::New,
            Ok(Some(there)) if there.kind == Kind::File => Place::File(there.size),
            Ok(Some(there)) => Place::Other(there.kind),
            Err(_) => Place::Unknown,
        }
    }
}

/// Whether the file's directory, or where it is still to be made the one it is
/// to be made in, lets this process make files. A write needs that also where
/// the file is there, because it is replaced.
pub fn is_writable(disk: &dyn Disk, path: &Path) -> bool {
    let target = disk.resolve(path).unwrap_or_else(|_| path.to_path_buf());
    let mut directory = directory_of(&target);
    while matches!(disk.identity(directory), Ok(None)) && directory_of(directory) != directory {
        directory = directory_of(directory);
    }
    may_make_files_in(directory)
}
