//! What people reported of servers of this kind, about the file, its place and
//! the end of a session, with the issue each case comes from. Only what no
//! other test shows; `tests/README.md` says where the rest is.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::processes::bare_session;
use crate::support::session::{Session, command};
use crate::support::tools::{call_request, create, creating};

const ADA: &str =
    r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#;
const BO: &str = r#"{"type":"entity","name":"Bo","entityType":"t","observations":[]}"#;

/// A file that was made by hand or by another tool is read, shows nothing but
/// the declared fields, and keeps its lines when `Bo` is added.
#[track_caller]
fn check_kept(file: &str, entities: Value, relations: Value, expected: &str) {
    let mut session = Session::holding(file);
    session.initialize("2025-06-18");
    let graph = session.call("read_graph", json!({}));
    assert_eq!(
        graph["structuredContent"],
        json!({"entities": entities, "relations": relations})
    );
    create_bo(&mut session);
    assert_eq!(String::from_utf8(session.bytes()).unwrap(), expected);
}

/// modelcontextprotocol/servers#1481
#[test]
fn a_file_with_an_empty_object_is_an_empty_graph() {
    check_kept("{}", json!([]), json!([]), &format!("{{}}\n{BO}\n"));
}

/// modelcontextprotocol/servers#1818, #2044, #2397
#[test]
fn a_record_without_observations_or_type_is_shown_with_empty_ones_and_kept() {
    let old = "{\"type\":\"entity\",\"name\":\"Old\",\"entityType\":\"note\"}\n\
               {\"type\":\"entity\",\"name\":\"Bare\"}\n";
    check_kept(
        old,
        json!([
            {"name": "Old", "entityType": "note", "observations": []},
            {"name": "Bare", "entityType": "", "observations": []},
        ]),
        json!([]),
        &format!("{old}{BO}\n"),
    );
}

/// modelcontextprotocol/servers#3144, itseasy21/mcp-knowledge-graph
#[test]
fn fields_of_other_tools_are_kept_and_not_shown() {
    let entity = r#"{"type":"entity","name":"T","entityType":"t","observations":["x"],"custom_id":"c-1","createdAt":"2025-01-01T00:00:00Z","version":1}"#;
    let relation = r#"{"type":"relation","from":"T","to":"T","relationType":"is","createdAt":"2025-01-01T00:00:00Z","version":1}"#;
    check_kept(
        &format!("{entity}\n{relation}\n"),
        json!([{"name": "T", "entityType": "t", "observations": ["x"]}]),
        json!([{"from": "T", "to": "T", "relationType": "is"}]),
        &format!("{entity}\n{BO}\n{relation}\n"),
    );
}

/// glslang/windbg-mcp#117, axodotdev/axoasset#87, modelcontextprotocol/servers#3173
#[test]
fn a_file_from_an_editor_on_windows_is_read_and_written_plainly() {
    check_kept(
        &format!("\u{feff}{ADA}\r\n\r\n  \r\n{ADA}  \r\n"),
        json!([
            {"name": "Ada", "entityType": "person", "observations": ["likes tea"]},
            {"name": "Ada", "entityType": "person", "observations": ["likes tea"]},
        ]),
        json!([]),
        &format!("{ADA}\n{ADA}\n{BO}\n"),
    );
}

/// Reads and writes fail with these parts in their text, and cost no byte.
#[track_caller]
fn check_refused(file: &str, parts: &[&str]) {
    let mut session = Session::holding(file);
    session.initialize("2025-06-18");
    let path = session.file().display().to_string();
    for (tool, arguments) in [
        ("read_graph", json!({})),
        ("create_entities", json!({"entities": [bo()]})),
    ] {
        let result = session.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        for part in parts {
            let part = part.replace("FILE", &path);
            assert!(text.contains(&part), "{tool} does not say {part:?}: {text}");
        }
    }
    assert_eq!(session.bytes(), file.as_bytes());
}

/// modelcontextprotocol/servers#1481
#[test]
fn a_file_that_holds_a_json_array_is_refused_by_name_and_kept() {
    check_refused(
        &format!("[{ADA}]"),
        &["FILE:1:1: ", "array", "mcp-memory repair FILE"],
    );
}

/// notactuallytreyanastasio/deciduous#212
#[test]
fn of_many_bad_lines_ten_are_named_and_the_others_counted() {
    let lines: Vec<String> = (1..=620)
        .map(|line| match line % 23 {
            // 26 lines of which the ends are gone, and one that ran into the
            // next.
            0 => ADA[..40].to_owned(),
            7 if line == 30 => format!("{ADA}{ADA}"),
            _ => ADA.to_owned(),
        })
        .collect();
    let parts: Vec<String> = [23, 30, 46, 69, 92, 115, 138, 161, 184, 207]
        .iter()
        .map(|line| format!("FILE:{line}:"))
        .chain(["and 17 more bad lines".to_owned()])
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    check_refused(&lines.join("\n"), &parts);
}

/// One create with these flags and variables, `ROOT` being an empty directory
/// and the working one, leaves exactly this file.
#[track_caller]
fn check_place(flags: &[&str], variables: &[(&str, &str)], expected: &str) {
    let root = tempfile::tempdir().unwrap();
    let rooted = |text: &str| text.replace("ROOT", root.path().to_str().unwrap());
    let mut command = command();
    command
        .current_dir(root.path())
        .args(flags.iter().map(|flag| rooted(flag)));
    for (name, value) in variables {
        command.env(name, rooted(value));
    }
    let mut session = Session::spawn(command);
    session.initialize("2025-06-18");
    create_bo(&mut session);
    assert_eq!(files_below(root.path()), [expected]);
    let file = root.path().join(expected);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{BO}\n"));
    let said = session.stderr();
    let with_slashes = |text: &str| text.replace('\\', "/");
    let file = with_slashes(file.to_str().unwrap());
    assert!(with_slashes(&said).contains(&file), "{said}");
}

/// modelcontextprotocol/servers#220, #692, #1600, #2036, #4327,
/// yonatangross/orchestkit#2474, #2631, CherryHQ/cherry-studio#4990,
/// code-yeongyu/oh-my-openagent#4286
#[test]
fn the_file_is_made_where_it_was_asked_for_and_nothing_else_anywhere() {
    let path = "MEMORY_FILE_PATH";
    check_place(&[], &[], "memory.jsonl");
    check_place(&[], &[(path, "")], "memory.jsonl");
    check_place(&[], &[(path, "ROOT/dir/memory.json")], "dir/memory.json");
    check_place(&[], &[(path, ".claude/memory.json")], ".claude/memory.json");
    check_place(
        &[],
        &[(path, "no/such/memory.jsonl")],
        "no/such/memory.jsonl",
    );
    check_place(
        &["--memory-file", "flag.jsonl"],
        &[(path, "ROOT/variable.jsonl")],
        "flag.jsonl",
    );
    #[cfg(unix)]
    check_place(
        &[],
        &[(path, "~/memory.jsonl"), ("HOME", "ROOT/home")],
        "home/memory.jsonl",
    );
}

/// A string of every kind that has to be escaped, or looks as if it had to,
/// comes back from the file as it went in.
#[test]
fn odd_characters_survive_a_restart_on_one_line() {
    let odd = json!([
        "l1\nl2\r",
        "t\t",
        "\u{2028}\u{85}\u{feff}",
        "\u{0}\u{7f}",
        "a\\\"b/",
        "👋é",
        ""
    ]);
    let entity = json!({"name": "odd\n", "entityType": "\u{1b}", "observations": odd});
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    session.call("create_entities", json!({"entities": [entity]}));
    assert_eq!(session.bytes().iter().filter(|&&b| b == b'\n').count(), 1);
    let mut second = Session::start(session.file());
    second.initialize("2025-06-18");
    let graph = second.call("read_graph", json!({}));
    assert_eq!(graph["structuredContent"]["entities"], json!([entity]));
}

/// modelcontextprotocol/servers#4117: there is no quota that nobody set.
#[test]
fn a_long_observation_and_very_many_are_stored() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let long = "x".repeat(20_000_000);
    let many: Vec<String> = (0..100_000).map(|at| format!("fact {at}")).collect();
    for (name, observations) in [("long", json!([long])), ("many", json!(many))] {
        let entity = json!({"name": name, "entityType": "t", "observations": observations});
        let result = session.call("create_entities", json!({"entities": [entity]}));
        assert_eq!(result["structuredContent"]["entities"][0], entity, "{name}");
        let graph = session.call("open_nodes", json!({"names": [name]}));
        assert_eq!(graph["structuredContent"]["entities"][0], entity, "{name}");
    }
}

/// A client that writes and leaves at once.
#[test]
fn a_write_with_the_end_of_input_right_behind_it_is_stored_and_answered() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let id = session.fresh_id();
    session.send(&create_request(&id));
    session.close_input();
    let answers = session.rest();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["id"], id);
    assert!(session.wait().success());
    assert_eq!(session.bytes(), format!("{BO}\n").as_bytes());
}

/// ooples/token-optimizer-mcp#177: a killed client sends no signal, its pipes
/// end, both at once.
#[test]
fn a_server_whose_client_was_killed_stores_what_it_was_asked_to_and_exits() {
    use std::io::Write as _;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let (mut child, mut input, output) = bare_session(&file);
    writeln!(input, "{}", create_request(&json!(1))).unwrap();
    drop(output);
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{BO}\n"));
}

fn bo() -> Value {
    json!({"name": "Bo", "entityType": "t", "observations": []})
}

#[track_caller]
fn create_bo(session: &mut Session) {
    create(session, "Bo");
}

fn create_request(id: &Value) -> Value {
    call_request(id.clone(), "create_entities", creating("Bo"))
}

/// The files in a directory and those below it, by their relative paths.
fn files_below(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                files.push(relative.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    files.sort();
    files
}
