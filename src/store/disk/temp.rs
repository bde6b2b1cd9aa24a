//! Names of temp files: such as nobody else uses, and such as can be told from
//! a user's files, because whoever finds a dead process's lock removes what it
//! names.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

const TEMP_PREFIX: &str = ".mcp-memory-";
const TEMP_SUFFIX: &str = ".tmp";

/// A new short name for a temp file, independent of the target's name, which
/// may be as long as names can be.
#[must_use]
pub fn temp_name() -> String {
    format!("{TEMP_PREFIX}{:012x}{TEMP_SUFFIX}", random() >> 16)
}

/// A number that is not the same twice.
pub(in crate::store) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Whether [`temp_name`] could have made it.
pub(in crate::store) fn is_temp_name(name: &str) -> bool {
    name.strip_prefix(TEMP_PREFIX)
        .and_then(|rest| rest.strip_suffix(TEMP_SUFFIX))
        .is_some_and(|middle| {
            middle.len() == 12 && middle.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}
