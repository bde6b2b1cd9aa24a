//! Who holds a lock: the record inside a lock file, and what this process
//! writes into it. Whether a holder is alive is [`watched`](super::watched)'s to
//! judge.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::store::disk::system;
use crate::store::disk::temp::{is_private_name, is_temp_name};

/// Marks a lock file as ours.
const PROGRAM: &str = "mcp-memory";

/// More than a record needs; a longer lock file is not ours.
pub(super) const LONGEST_RECORD: usize = 4096;

/// The record in a lock file of ours: one line of JSON. Fields that came later
/// are optional, because servers of all versions share a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Holder {
    program: String,
    /// For people, who may want to look at the process.
    pid: u32,
    /// Host names repeat, and one machine is started again and again. Only
    /// where both are ours do we see the advisory lock that the holder took.
    host: String,
    /// Which start of the machine. Empty where the system does not tell.
    boot: String,
    /// Seconds since 1970.
    time: u64,
    /// The name of the file that is renamed over the target.
    temp: String,
    /// Whether the holder also has the lock file's advisory lock, and others
    /// can see that. Without it only age can tell.
    pub(super) locked: bool,
    /// The name under which the lock file was made, which also tells this
    /// record from every other.
    #[serde(default)]
    private: String,
    /// The number of the device on which the holder sees the lock file. One
    /// directory can be mounted twice, as it is and through a program (FUSE),
    /// and who sees the file on another device may not see its advisory lock.
    #[serde(default)]
    device: Option<u64>,
    /// Whether the temp file is complete and the target may be missing for a
    /// moment. Not known of holders of earlier versions.
    #[serde(default)]
    pub(super) ready: Option<bool>,
}

impl Holder {
    /// This process, which has not begun to write.
    pub(super) fn this(temp: &str, private: &str, device: u64) -> Holder {
        let machine = Machine::this();
        Holder {
            program: PROGRAM.to_owned(),
            pid: std::process::id(),
            host: machine.host.clone(),
            boot: machine.boot.clone(),
            time: seconds_since_1970(),
            temp: temp.to_owned(),
            locked: false,
            private: private.to_owned(),
            device: Some(device),
            ready: Some(false),
        }
    }

    /// The bytes of the lock file. As many whatever is true, so that the
    /// record can be written over.
    pub(super) fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("strings and numbers are JSON");
        let shorter = usize::from(self.locked) + usize::from(self.ready == Some(true));
        line.extend(std::iter::repeat_n(b' ', shorter));
        line.push(b'\n');
        line
    }

    /// `None` unless it is a complete record of ours.
    pub(super) fn parse(bytes: &[u8]) -> Option<Holder> {
        let line = bytes.strip_suffix(b"\n")?;
        let record: Holder = serde_json::from_slice(line).ok()?;
        (record.program == PROGRAM).then_some(record)
    }

    /// Whether the holder's advisory lock is one that we see, where the lock
    /// file is on this device for us.
    pub(super) fn shares_locks_with_us(&self, device: u64) -> bool {
        let machine = Machine::this();
        self.host == machine.host
            && self.boot == machine.boot
            && self.device.is_none_or(|theirs| theirs == device)
    }

    /// Whether both are one record, in whatever state.
    pub(super) fn is_same(&self, other: &Holder) -> bool {
        !self.private.is_empty() && self.private == other.private
    }

    /// The temp file that is left of a dead holder. A name that we would not
    /// have made is not believed, or a lock file could have any file removed.
    pub(super) fn temp(&self) -> Option<&str> {
        Some(&*self.temp).filter(|name| is_temp_name(name))
    }

    /// What can be left under the lock file's own first name.
    pub(super) fn private(&self) -> Option<&str> {
        Some(&*self.private).filter(|name| is_private_name(name))
    }

    /// The holder in words.
    pub(super) fn describe(&self) -> String {
        let held = seconds_since_1970().saturating_sub(self.time);
        let host = match &*self.host {
            "" => String::new(),
            host => format!(" on host {host:?}"),
        };
        format!("{}, process {}{host}, for {held} s", self.program, self.pid)
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
            host: system::host_name(),
            boot: system::boot_id(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::disk::temp::{private_name, temp_name};

    #[test]
    fn a_record_is_read_back_and_only_a_complete_one() {
        let (temp, private) = (temp_name(), private_name());
        let line = Holder::this(&temp, &private, 7).to_line();
        let record = Holder::parse(&line).unwrap();
        assert!(record.shares_locks_with_us(7));
        assert!(!record.shares_locks_with_us(8));
        assert_eq!(record.temp(), Some(temp.as_str()));
        assert_eq!(record.private(), Some(private.as_str()));
        for end in 0..line.len() {
            assert!(Holder::parse(&line[..end]).is_none(), "cut at {end}");
        }
    }

    #[test]
    fn a_record_can_be_written_over_in_every_state() {
        let mut record = Holder::this(&temp_name(), &private_name(), 7);
        let length = record.to_line().len();
        for (locked, ready) in [(false, true), (true, false), (true, true)] {
            (record.locked, record.ready) = (locked, Some(ready));
            let line = record.to_line();
            assert_eq!(line.len(), length);
            let read = Holder::parse(&line).unwrap();
            assert_eq!((read.locked, read.ready), (locked, Some(ready)));
            assert!(read.is_same(&record));
        }
    }

    /// What servers of earlier versions write is understood, and what they
    /// look for is there.
    #[test]
    fn a_record_of_an_earlier_version_is_one_of_ours() {
        let line = br#"{"program":"mcp-memory","pid":7,"host":"h","boot":"b","time":1,"temp":".mcp-memory-0123456789ab.tmp","locked":true}
"#;
        let record = Holder::parse(line).unwrap();
        assert_eq!(record.temp(), Some(".mcp-memory-0123456789ab.tmp"));
        assert!(record.locked);
        assert_eq!(record.ready, None);
        assert_eq!(record.private(), None);
        assert!(!record.is_same(&Holder::parse(line).unwrap()));
        let ours = Holder::this("", "", 7).to_line();
        let ours: serde_json::Value = serde_json::from_slice(&ours).unwrap();
        let theirs: serde_json::Value = serde_json::from_slice(line).unwrap();
        for key in theirs.as_object().unwrap().keys() {
            assert!(ours.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_record_of_another_program_is_foreign() {
        let line = Holder::this("", "", 7).to_line();
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
            ".mcp-memory-/../../../ab.lock",
            "memory.jsonl.lock",
            "",
        ] {
            let record = Holder::this(name, name, 7);
            assert_eq!(record.temp(), None, "{name}");
            assert_eq!(record.private(), None, "{name}");
        }
    }
}
