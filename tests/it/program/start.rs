//! What the server says when it starts, and to the first who reads.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::session::{Session, command};
use crate::support::tools::creating;

/// What the server says on stderr until its input ends, without the warning
/// that a test's directory is a temporary one.
fn said(change: impl FnOnce(&mut Command)) -> Vec<String> {
    let mut server = command();
    change(&mut server);
    let output = server.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stderr).unwrap();
    let lines = text.lines().filter(|line| !line.contains("can be deleted"));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_start_line_says_that_the_file_is_new_or_how_large_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let line = |what: &str| format!("mcp-memory: memory file {} ({what})", file.display());
    let start = || {
        said(|server| {
            server.arg("--memory-file").arg(&file);
        })
    };
    assert_eq!(start(), [line("new")]);
    std::fs::write(&file, "").unwrap();
    assert_eq!(start(), [line("0 bytes")]);
    std::fs::write(&file, "\n".repeat(1500)).unwrap();
    assert_eq!(start(), [line("1.5 kB")]);
}

#[test]
fn a_directory_in_the_file_s_place_is_warned_about() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let lines = said(|server| {
        server.arg("--memory-file").arg(path);
    });
    let name = path.display();
    assert_eq!(
        lines,
        [
            format!(
                "mcp-memory: warning: {name} is a directory, so nothing can be read or stored; \
                 name a file in it"
            ),
            format!("mcp-memory: memory file {name}"),
        ]
    );
}

#[test]
fn the_first_read_of_a_missing_file_says_so_and_no_other() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let said = |session: &mut Session, tool: &str, arguments| {
        let result = session.call(tool, arguments);
        let notes = result["content"].as_array().unwrap().iter().skip(1);
        let notes = notes.map(|item| item["text"].as_str().unwrap().to_owned());
        notes
            .collect::<String>()
            .contains("There is no memory file yet")
    };
    assert!(said(&mut session, "read_graph", json!({})));
    assert!(!said(&mut session, "read_graph", json!({})));

    // Another server: a search finds it missing as well, and what is there is
    // not missing.
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let query = json!({"query": "tea"});
    assert!(said(&mut session, "search_nodes", query.clone()));
    let mut session = Session::holding("");
    session.initialize("2025-11-25");
    assert!(!said(&mut session, "search_nodes", query));
    assert!(!said(&mut session, "read_graph", json!({})));
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    session.call("create_entities", creating("Ada"));
    assert!(!said(&mut session, "read_graph", json!({})));
}
