//! Reading a file that others may be writing.

use std::io;
use std::path::Path;

use super::file_system::Disk;
use super::identity::Content;

/// How often a file that changes while it is read is read before it is taken as
/// it came.
const READS_OF_A_MOVING_FILE: usize = 3;

/// Reads the file, again when it changed meanwhile, because what was read may
/// then be half of the old file and half of the new one.
pub fn read_whole(disk: &dyn Disk, path: &Path) -> io::Result<Option<Content>> {
    let mut reads = 1;
    loop {
        match disk.read(path)? {
            Some(content) if content.before != content.after && reads < READS_OF_A_MOVING_FILE => {
                reads += 1;
            }
            content => return Ok(content),
        }
    }
}
