//! The reference server itself, where it is installed: what was recorded from
//! it still holds for it.
//!
//! `tests/reference/install.sh` installs it and prints its entry point, which
//! the variable `MCP_MEMORY_REFERENCE` hands to these tests; `.ci/run` does both.
//! `cargo test` alone leaves them out, and needs Rust only. What both servers do with the same calls is compared in
//! differential.rs.

use serde_json::{Value, json};

use super::{installed::installed, sessions};
use crate::support::differences::DIFFERENCES;
use crate::support::repository;
use crate::support::session::Session;

#[test]
#[ignore = "needs the reference server"]
fn the_recorded_contract_is_still_the_references() {
    let reference = installed();
    let mut session = Session::serving(reference.command(), None);
    session.initialize("2025-11-25");
    let mut contract = session.request("tools/list", json!({}))["result"].take();
    drop_descriptions(&mut contract);
    let recorded: Value = serde_json::from_slice(
        &std::fs::read(repository("snapshots/reference/tools_list.json")).unwrap(),
    )
    .unwrap();
    // As text, because the order of tools, properties and required lists is
    // part of the contract.
    assert_eq!(
        format!("{contract:#}"),
        format!("{recorded:#}"),
        "the reference's contract is not the recorded one"
    );
}

#[test]
#[ignore = "needs the reference server"]
fn every_recorded_session_still_holds_for_the_reference() {
    let reference = installed();
    if let Err(report) = sessions::replay_all(|| reference.command()) {
        panic!("{report}\nThe recordings are no longer what the reference does.");
    }
}

#[test]
fn the_readme_lists_exactly_the_declared_differences() {
    let readme = std::fs::read_to_string(repository("README.md")).unwrap();
    let (_, section) = readme
        .split_once("\n## Differences from the reference\n")
        .expect("README.md has the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let listed: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .collect();
    let declared: Vec<&str> = DIFFERENCES.iter().map(|declared| declared.text).collect();
    assert!(
        listed == declared,
        "README.md, \"Differences from the reference\": the list has to be\n{}",
        declared
            .iter()
            .map(|text| format!("- {text}\n"))
            .collect::<String>()
    );
}

/// Sets the descriptions aside, which are not recorded; a property of that
/// name stays.
fn drop_descriptions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| name != "description" || !value.is_string());
            members.values_mut().for_each(drop_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_descriptions),
        _ => {}
    }
}
