//! The contract: `tools.yaml`, what is generated from it, how it changes from
//! release to release, and what it shares with the reference.

mod changes;
mod differences;
mod examples;
mod manifest;
mod nasty_names;
mod published;
mod schemas;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use mcp_memory::tools::TOOLS_LIST;
use serde_json::Value;

const REFRESH: &str = "UPDATE_SNAPSHOTS=1 cargo test --test it committed_copy";

fn tools_list() -> Value {
    serde_json::from_slice(TOOLS_LIST).unwrap()
}

pub fn tools() -> Vec<Value> {
    tools_list()["tools"].as_array().unwrap().clone()
}

pub fn name(tool: &Value) -> String {
    tool["name"].as_str().unwrap().to_owned()
}

pub fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

/// Compares a generated text with its committed copy, or renews the copy.
#[track_caller]
pub fn committed(name: &str, generated: &str) {
    let path = snapshots().join(name);
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(&path, generated).unwrap();
        return;
    }
    let copy = fs::read_to_string(&path).unwrap_or_default();
    if copy != generated {
        let difference = difference(&copy, generated);
        panic!(
            "snapshots/{name} is not what tools.yaml gives:\n{difference}\nto accept: {REFRESH}"
        );
    }
}

/// Lets rustfmt check a committed copy.
#[track_caller]
pub fn formatted(name: &str) {
    let check = Command::new("rustfmt")
        .args(["--edition", "2024", "--check"])
        .arg(snapshots().join(name))
        .output()
        .expect("rustfmt runs (rustup component add rustfmt)");
    let difference = String::from_utf8_lossy(&check.stdout);
    let errors = String::from_utf8_lossy(&check.stderr);
    assert!(
        check.status.success(),
        "change codegen/tools.rs.j2:\n{difference}{errors}"
    );
}

/// The lines that changed, each with a little of what stands around it.
fn difference(old: &str, new: &str) -> String {
    let lines = similar::TextDiff::from_lines(old, new);
    lines.unified_diff().context_radius(2).to_string()
}
