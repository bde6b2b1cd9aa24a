//! The contract: `tools.yaml`, what is generated from it, how it changes from
//! release to release, and what it shares with the reference.

mod changes;
mod differences;
mod examples;
mod listed_by_hand;
mod manifest;
mod manifest_of_sets;
mod nasty_names;
mod published;
mod schema_for_editors;
mod schemas;

#[path = "../../../codegen/mod.rs"]
mod codegen;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use mcp_memory::tools::Served;
use serde_json::Value;

const REFRESH: &str = "UPDATE_SNAPSHOTS=1 cargo test --test it committed_copy";

/// All tools, whichever set they are of.
pub fn tools() -> Vec<Value> {
    listed(&Served::all())
}

pub fn listed(served: &Served) -> Vec<Value> {
    serde_json::from_str(&served.list()).unwrap()
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
            "snapshots/{name} is not what is generated now:\n{difference}\nto accept: {REFRESH}"
        );
    }
}

/// A generated Rust text as rustfmt lays it out.
#[track_caller]
pub fn formatted(rust: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rustfmt runs (rustup component add rustfmt)");
    let mut input = rustfmt.stdin.take().expect("stdin is a pipe");
    let writing = std::thread::spawn({
        let rust = rust.to_owned();
        move || input.write_all(rust.as_bytes())
    });
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "change codegen/tools.rs.j2:\n{errors}"
    );
    writing.join().unwrap().expect("rustfmt reads all");
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}

/// The lines that changed, each with a little of what stands around it.
fn difference(old: &str, new: &str) -> String {
    let lines = similar::TextDiff::from_lines(old, new);
    lines.unified_diff().context_radius(2).to_string()
}
