//! Writing to stderr only as much as it has room for, on Unix, where the system
//! tells.

use std::io::Write as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A pipe that has room has room for this much (`PIPE_BUF` is 4096 on Linux and
/// at least 512 on every Unix).
const ROOM: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Writes what there is room for, waiting so long for it at most. How much that
/// was; all of it where nobody can read it any more.
pub(super) fn write(text: &[u8], wait: Duration) -> usize {
    let mut stderr = std::io::stderr().lock();
    let deadline = Instant::now() + wait;
    let mut written = 0;
    for part in text.chunks(ROOM) {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
        let left = Timespec::try_from(left).ok();
        // Where it cannot be asked, nothing is known against it.
        if let Ok(0) = poll(&mut fds, left.as_ref()) {
            return written;
        }
        match stderr.write(part) {
            Ok(length) if length == part.len() => written += length,
            Ok(length) => return written + length,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return written,
            Err(_) => return text.len(),
        }
    }
    written
}

/// Nothing waits here.
pub(super) fn finish(_: Duration) {}
