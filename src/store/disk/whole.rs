//! Reading a file that others may be writing.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::cause::means_nothing_there;
use super::file_system::Disk;
use super::identity::Content;

/// How often a file that changes while it is read is read before it is taken as
/// it came.
const READS_OF_A_MOVING_FILE: usize = 3;

/// For how long a file is opened anew that another computer replaces whenever it
/// is read, and how long is waited between two attempts.
const LONGEST_REPLACING: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// Reads the file, again when it changed meanwhile, because what was read may
/// then be half of the old file and half of the new one. Where another computer
/// replaces the file, an open one can be gone before its end; then there is a new
/// one under the name.
pub fn read_whole(disk: &dyn Disk, path: &Path) -> io::Result<Option<Content>> {
    let (mut reads, started) = (1, Instant::now());
    loop {
        match disk.read(path) {
            Err(error) if means_nothing_there(&error) && started.elapsed() < LONGEST_REPLACING => {
                std::thread::sleep(PAUSE);
            }
            Ok(Some(content))
                if content.before != content.after && reads < READS_OF_A_MOVING_FILE =>
            {
                reads += 1;
            }
            result => return result,
        }
    }
}
