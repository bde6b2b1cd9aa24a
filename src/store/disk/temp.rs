//! Names of files on their way to another name: such as nobody else uses, and
//! such as can be told from a user's files, because whoever finds a dead
//! process's lock removes what it names.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

const PREFIX: &str = ".mcp-memory-";

/// Of what becomes a memory file.
const TEMP: &str = ".tmp";

/// Of what becomes a lock file. Not the same, because some file systems keep a
/// removed name until the file is closed.
const PRIVATE: &str = ".lock";

/// A new short name for a temp file, independent of the target's name, which
/// may be as long as names can be.
#[must_use]
pub fn temp_name() -> String {
    name(TEMP)
}

/// A new name for a lock file that is not to be found yet.
pub(in crate::store) fn private_name() -> String {
    name(PRIVATE)
}

fn name(suffix: &str) -> String {
    format!("{PREFIX}{:012x}{suffix}", random() >> 16)
}

/// A number that is not the same twice.
pub(in crate::store) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Whether [`temp_name`] could have made it.
pub(in crate::store) fn is_temp_name(name: &str) -> bool {
    is_ours(name, TEMP)
}

/// Whether [`private_name`] could have made it.
pub(in crate::store) fn is_private_name(name: &str) -> bool {
    is_ours(name, PRIVATE)
}

fn is_ours(name: &str, suffix: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(suffix))
        .is_some_and(|middle| {
            middle.len() == 12 && middle.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}
