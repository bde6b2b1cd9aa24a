//! `mcp-memory tools` prints the contract, whatever else is set or lies about.

use std::process::Command;

use mcp_memory::tools::{Served, Tool, Toolset};

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
        .env("MEMORY_TOOLSETS", "none")
        .env("MEMORY_READ_ONLY", "perhaps")
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
fn tools_prints_those_of_the_sets_that_are_named_before_or_after_the_word() {
    let reading = Served::of(Toolset::ALL, true);
    let payload = format!(r#"{{"tools":{}}}"#, reading.list());
    let flags = ["--json", "--toolsets", "all", "--read-only"];
    assert_eq!(text(&flags), payload);
    let before = Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
        .args(["--read-only", "--toolsets=all", "tools", "--json"])
        .output()
        .unwrap();
    assert_eq!(before.stdout, payload.as_bytes());
    assert!(!text(&["--read-only"]).contains("create_entities"));
    let unknown = Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
        .args(["tools", "--toolsets", "memori"])
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr);
    assert!(said.contains("did you mean memory?"), "{said}");
}

#[test]
fn tools_markdown_is_a_row_for_every_tool() {
    // What the rows say is compared with the README, in readme.rs.
    let text = text(&["--markdown"]);
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    assert_eq!(rows.count(), Tool::ALL.len());
}

#[test]
fn tools_alone_is_a_table_of_every_tool_its_kind_and_its_arguments() {
    let table = text(&[]);
    let (mut rows, mut summaries, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    for set in table.split("\n\n").collect::<Vec<_>>().chunks(2) {
        let [set, tools] = set else {
            panic!("a set without tools:\n{table}");
        };
        sets.push(*set);
        for tool in tools.lines().collect::<Vec<_>>().chunks(2) {
            rows.push(tool[0].split_whitespace().collect::<Vec<_>>());
            summaries.push(tool[1]);
        }
    }
    let described = Toolset::ALL.iter().map(|set| {
        let when = match *set == Toolset::DEFAULT {
            true => "served by itself".to_owned(),
            false => format!("--toolsets memory,{}", set.name()),
        };
        format!("{} ({when}): {}", set.name(), set.description())
    });
    assert_eq!(sets, described.collect::<Vec<_>>());
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
    for summary in summaries {
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
