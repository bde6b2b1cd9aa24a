//! Helpers that several areas share. What only one area needs stays in that
//! area's file.

#![allow(
    dead_code,
    reason = "a kit: which of it is in use changes with the tests"
)]

pub mod calls;
pub mod differences;
pub mod disks;
pub mod forgetting;
pub mod in_process;
pub mod memory_file;
pub mod odd_lines;
pub mod other;
pub mod pair;
pub mod random;
pub mod reference;
pub mod session;
pub mod texts;
pub mod tools;
pub mod writing;

use std::path::PathBuf;

/// A path inside the repository, wherever the tests are started.
pub fn repository(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// So many random cases; as many as `PROPTEST_CASES` says in the long form,
/// which is run by hand.
pub fn cases(usual: u32) -> proptest::prelude::ProptestConfig {
    let given = proptest::prelude::ProptestConfig::default();
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => given,
        None => proptest::prelude::ProptestConfig {
            cases: usual,
            ..given
        },
    }
}
