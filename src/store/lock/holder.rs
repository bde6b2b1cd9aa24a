//! Who holds a lock: the record inside a lock file, and what this process
//! writes into it. Whether a holder is alive is [`watched`](super::watched)'s to
//! judge.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::store::disk::temp::is_temp_name;

/// Marks a lock file as ours.
const PROGRAM: &str = "mcp-memory";

/// More than a record needs; a longer lock file is not ours.
pub(super) const LONGEST_RECORD: usize = 4096;

/// The record in a lock file of ours: one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Holder {
    program: String,
    /// For people, who may want to look at the process.
    pid: u32,
    host: String,
    /// A lock of the same host from before its last start is not trusted to
    /// be free. Empty where the system does not tell.
    boot: String,
    /// Seconds since 1970.
    time: u64,
    /// The name of the file that is renamed over the target.
    temp: String,
    /// Whether the holder also has the lock file's advisory lock. Without it,
    /// which is how it is on some network file systems, only age can tell.
    pub(super) locked: bool,
}

impl Holder {
    /// This process's record.
    pub(super) fn new(temp: &str, locked: bool) -> Holder {
        let machine = Machine::this();
        Holder {
            program: PROGRAM.to_owned(),
            pid: std::process::id(),
            host: machine.host.clone(),
            boot: machine.boot.clone(),
            time: seconds_since_1970(),
            temp: temp.to_owned(),
            locked,
        }
    }

    /// The bytes of the lock file.
    pub(super) fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("strings and numbers are JSON");
        line.push(b'\n');
        line
    }

    /// `None` unless it is a complete record of ours.
    pub(super) fn parse(bytes: &[u8]) -> Option<Holder> {
        let line = bytes.strip_suffix(b"\n")?;
        let record: Holder = serde_json::from_slice(line).ok()?;
        (record.program == PROGRAM).then_some(record)
    }

    /// Whether the advisory lock that we see is the one the holder took.
    pub(super) fn is_from_this_machine(&self) -> bool {
        let machine = Machine::this();
        self.host == machine.host && self.boot == machine.boot
    }

    /// The temp file to remove with a dead lock. A name that we would not
    /// have made is not believed, or a lock file could have any file removed.
    pub(super) fn temp(&self) -> Option<&str> {
        is_temp_name(&self.temp).then_some(self.temp.as_str())
    }

    /// The holder in words.
    pub(super) fn describe(&self) -> String {
        let held = seconds_since_1970().saturating_sub(self.time);
        format!(
            "{}, process {} on host {:?}, for {held} s",
            self.program, self.pid, self.host
        )
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}

struct Machine {
    host: String,
    boot: String,
}

impl Machine {
    fn this() -> &'static Machine {
        static THIS: OnceLock<Machine> = OnceLock::new();
        THIS.get_or_init(|| Machine {
            host: host(),
            boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
                .map(|id| id.trim().to_owned())
                .unwrap_or_default(),
        })
    }
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

#[cfg(not(unix))]
fn host() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::disk::temp::temp_name;

    #[test]
    fn a_record_is_read_back_and_only_a_complete_one() {
        let temp = temp_name();
        let line = Holder::new(&temp, true).to_line();
        let record = Holder::parse(&line).unwrap();
        assert!(record.is_from_this_machine());
        assert_eq!(record.temp(), Some(temp.as_str()));
        for end in 0..line.len() {
            assert!(Holder::parse(&line[..end]).is_none(), "cut at {end}");
        }
    }

    #[test]
    fn a_record_of_another_program_is_foreign() {
        let line = Holder::new("", true).to_line();
        let line = String::from_utf8(line).unwrap();
        assert!(Holder::parse(line.replace(PROGRAM, "other").as_bytes()).is_none());
        assert!(Holder::parse(b"4242\n").is_none());
    }

    #[test]
    fn a_record_cannot_have_any_file_removed() {
        for name in [
            "memory.jsonl",
            "../.mcp-memory-0123456789ab.tmp",
            ".mcp-memory-0123456789ab/.tmp",
            ".mcp-memory-/../../../ab.tmp",
            "",
        ] {
            assert_eq!(Holder::new(name, true).temp(), None, "{name}");
        }
    }
}
