//! Helpers that several areas share. What only one area needs stays in that
//! area's folder.

mod cases;
pub mod differences;
pub mod disks;
pub mod files;
pub mod forgetting;
pub mod processes;
pub mod random;
pub mod session;
pub mod store;
pub mod tools;
pub mod writing;

pub use cases::cases;

use std::path::PathBuf;

use serde_json::Value;

/// A path inside the repository, wherever the tests are started.
pub fn repository(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The answer is an error of this code and no result. Returns its message.
#[track_caller]
pub fn assert_error(answer: &Value, code: i64) -> &str {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(answer.get("result").is_none(), "{answer}");
    answer["error"]["message"].as_str().expect("a message")
}
