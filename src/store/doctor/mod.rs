//! What is done to a memory file on a person's behalf rather than a model's:
//! checking it, repairing it, moving an old one in. What a person sees of that
//! is printed by `commands`.

mod aside;
pub mod check;
pub mod migrate;
pub mod place;
pub mod repair;

use std::path::Path;

use super::disk::file_system::Disk;
use super::disk::identity::Content;
use super::disk::whole::read_whole;
use super::error::StoreError;

/// Reads the file; anew while somebody writes it.
///
/// # Errors
/// [`StoreError`] when it is not there or cannot be read.
pub fn read(disk: &dyn Disk, path: &Path) -> Result<Content, StoreError> {
    let content = read_whole(disk, path).map_err(|source| StoreError::Io {
        action: "read",
        path: path.to_path_buf(),
        source,
        consequence: "nothing was changed",
    })?;
    content.ok_or_else(|| {
        StoreError::Refused(format!(
            "there is no file {}\nthe server would start with an empty memory there",
            path.display()
        ))
    })
}
