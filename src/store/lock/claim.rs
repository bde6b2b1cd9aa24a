//! Who wants which lock, and how long things take in the protocol.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::ending::Patience;

/// Who wants which lock, and for how long it is worth waiting.
#[derive(Clone, Copy)]
pub struct Claim<'a> {
    /// The memory file, links followed.
    pub target: &'a Path,
    /// The configured path where it is a link. The lock beside it is taken
    /// first, for programs that do not follow links.
    pub link: Option<&'a Path>,
    /// The temp file that will be made beside the target. Whoever finds this
    /// process dead removes it, or puts it in place where the target is missing.
    pub temp_name: &'a str,
    /// When the wait began, which is when the write was asked for. One that
    /// waited behind others has less time left.
    pub since: Instant,
    /// How long to wait from then on.
    pub timeout: Duration,
    /// May shorten the wait.
    pub patience: &'a Patience,
    /// Whether directories that have to be made are synced.
    pub fsync: bool,
    /// How long is long.
    pub timing: LockTiming,
}

impl<'a> Claim<'a> {
    /// The lock of `target`, wanted since now, on a disk that is to be synced.
    #[must_use]
    pub fn new(
        target: &'a Path,
        temp_name: &'a str,
        timeout: Duration,
        patience: &'a Patience,
    ) -> Claim<'a> {
        Claim {
            target,
            link: None,
            temp_name,
            since: Instant::now(),
            timeout,
            patience,
            fsync: true,
            timing: LockTiming::default(),
        }
    }

    /// When to give up.
    pub(super) fn limit(&self) -> Instant {
        self.patience.limit(self.since + self.timeout)
    }
}

/// The durations of the protocol. Tests shorten them.
#[derive(Debug, Clone, Copy)]
pub struct LockTiming {
    /// A lock whose holder cannot be asked is dead when it was not refreshed
    /// for longer than this.
    pub stale: Duration,
    /// How often a held lock is refreshed.
    pub refresh: Duration,
    /// How long an empty lock file counts as just being written, where a
    /// lock file cannot appear whole.
    pub empty: Duration,
    /// The pause between two looks at a lock that has just been taken. It
    /// grows with the time for which the same holder has the lock.
    pub first_pause: Duration,
    /// The pause once it is clear that this takes long.
    pub longest_pause: Duration,
}

impl Default for LockTiming {
    fn default() -> LockTiming {
        LockTiming {
            stale: Duration::from_secs(30),
            refresh: Duration::from_secs(15),
            empty: Duration::from_secs(2),
            first_pause: Duration::from_millis(1),
            longest_pause: Duration::from_millis(50),
        }
    }
}
