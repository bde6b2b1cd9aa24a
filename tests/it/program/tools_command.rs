//! `mcp-memory tools` prints the contract, whatever else is set or lies about.

use std::process::Command;

use mcp_memory::tools::{Served, Tool};

/// What it prints. The environment is one in which the server would warn, or
/// refuse to start.
fn printed(flags: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("memory.json"), "{\"type\":\"entity\"").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
        .arg("tools")
        .args(flags)
        .current_dir(directory.path())
        .env("MEMORY_FILE_PATH", "${HOME}/memory.jsonl")
        .env("MEMORY_STRICT_RELATIONS", "perhaps")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let left: Vec<_> = directory.path().read_dir().unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    output.stdout
}

fn text(flags: &[&str]) -> String {
    String::from_utf8(printed(flags)).unwrap()
}

#[test]
fn tools_json_is_the_payload_of_tools_list_byte_for_byte() {
    let payload = format!(r#"{{"tools":{}}}"#, Served::default().list());
    assert_eq!(printed(&["--json"]), payload.as_bytes());
}

#[test]
fn tools_markdown_is_a_row_for_every_tool() {
    // What the rows say is compared with the README, in readme.rs.
    assert_eq!(text(&["--markdown"]).lines().count(), 2 + Tool::ALL.len());
}

#[test]
fn tools_alone_is_a_table_of_every_tool_its_kind_and_its_arguments() {
    let table = text(&[]);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .step_by(2)
        .map(|row| row.split_whitespace().collect())
        .collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let expected: Vec<&str> = Tool::ALL.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, expected);
    for row in [
        "search_nodes reads query, limit?, observationLimit?",
        "delete_entities deletes entityNames",
        "create_entities adds entities",
    ] {
        let row: Vec<&str> = row.split(' ').collect();
        assert!(rows.contains(&row), "{row:?} is not in\n{table}");
    }
    for summary in table.lines().skip(1).step_by(2) {
        assert!(
            summary.starts_with("    ") && summary.ends_with('.'),
            "{summary}"
        );
    }
}

#[test]
fn tools_has_one_form_at_a_time() {
    let output = Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
        .args(["tools", "--json", "--markdown"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}
