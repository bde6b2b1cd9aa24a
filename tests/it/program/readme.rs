//! What the README shows is what happens, and what it lists is what there is.
//!
//! `.ci/run` runs the README's commands as they stand, through cargo; here
//! the same lines go to the built binary.

use std::path::Path;

use serde_json::Value;

use crate::support::repository;
use crate::support::session::{Session, command};

#[test]
fn the_session_in_the_readme_answers_what_the_readme_shows() {
    let readme = readme();
    let (script, shown) = demonstration(&readme);
    let mut lines = 0;
    let directory = tempfile::tempdir().unwrap();
    let mut server = command();
    server.current_dir(&directory).args(flags(script));
    let mut session = Session::spawn(server);
    for line in script.lines().filter_map(quoted) {
        session.send_raw(format!("{line}\n").as_bytes());
        lines += 1;
    }
    session.close_input();
    let mut got: Vec<Value> = session.rest();
    // Replies carry an id and may come in any order.
    got.sort_by_key(|reply| reply["id"].as_u64());
    let got: Vec<String> = got.iter().map(Value::to_string).collect();
    assert!(session.wait().success(), "{}", session.stderr());
    assert_eq!(lines, 3, "a session of three lines");
    assert_eq!(
        got.join("\n")
            .replace(&version(env!("CARGO_PKG_VERSION")), &version("…")),
        versions_aside(shown.trim_end()),
        "README.md shows something else; copy what the command above it prints"
    );
}

#[test]
fn the_tools_table_is_what_the_program_prints() {
    let mut tools = command();
    let output = tools.args(["tools", "--markdown"]).output().unwrap();
    let readme = readme();
    let tables = String::from_utf8(output.stdout).unwrap();
    assert!(
        section(&readme, "## Tools").contains(&tables),
        "to accept: put what `cargo run -- tools --markdown` prints under \"## Tools\""
    );
}

#[test]
fn every_link_into_the_repository_leads_somewhere() {
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/behaviour.md",
        "docs/performance.md",
        "snapshots/reference/README.md",
        "tests/README.md",
    ] {
        let path = repository(document);
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{document}: {link} leads nowhere");
            assert!(
                anchor.is_empty() || anchors(&target).iter().any(|known| known == anchor),
                "{document}: no heading for {link}"
            );
        }
    }
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let readme = readme();
    let promises: Vec<&str> = section(&readme, "## What is promised")
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    assert!(!promises.is_empty());
    for promise in promises {
        let proofs: Vec<(&str, &str)> = promise
            .split("[`")
            .skip(1)
            .map(|rest| {
                let (name, rest) = rest.split_once("`](").expect("a link with a test's name");
                (name, rest.split(')').next().unwrap())
            })
            .collect();
        assert!(!proofs.is_empty(), "no test is named for: {promise}");
        for (name, file) in proofs {
            let text = std::fs::read_to_string(repository(file)).unwrap_or_default();
            assert!(
                text.contains(&format!("fn {name}(")),
                "{file} has no test {name}"
            );
        }
    }
}

/// Without the lock an append can fall between a server's last look at the
/// file and its rename, and be lost.
#[cfg(unix)]
#[test]
fn the_readme_s_append_under_the_lock_and_a_server_that_writes_lose_nothing() {
    const APPENDS: usize = 5;
    let readme = readme();
    let script = append_under_lock(&readme);
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let file = session.file().to_path_buf();
    let mut shell = std::process::Command::new("sh")
        .arg("-ec")
        .arg(format!("for at in $(seq {APPENDS}); do {script}\ndone"))
        .current_dir(file.parent().unwrap())
        .env("PATH", path_with_the_program())
        .spawn()
        .unwrap();
    let mut created = 0;
    let shell = loop {
        let entity = serde_json::json!({
            "name": format!("E{created}"), "entityType": "t", "observations": [],
        });
        let arguments = serde_json::json!({"entities": [entity]});
        session.call("create_entities", arguments);
        created += 1;
        if let Some(status) = shell.try_wait().unwrap() {
            break status;
        }
    };
    assert!(shell.success());
    let graph = session.call("read_graph", serde_json::json!({}));
    let entities = graph["structuredContent"]["entities"].as_array().unwrap();
    let appended = entities.iter().filter(|entity| entity["name"] == "Cy");
    assert_eq!(appended.count(), APPENDS);
    assert_eq!(entities.len(), APPENDS + created);
}

/// The reference leaves out the last line feed; what follows without one would
/// share a line with its last record.
#[cfg(unix)]
#[test]
fn the_readme_s_append_begins_a_line_of_its_own_whatever_the_file_ends_with() {
    const BO: &str = r#"{"type":"entity","name":"Bo","entityType":"person","observations":[]}"#;
    const CY: &str = r#"{"type":"entity","name":"Cy","entityType":"person","observations":[]}"#;
    let readme = readme();
    for (before, after) in [
        (BO.to_owned(), format!("{BO}\n{CY}\n")),
        (format!("{BO}\n"), format!("{BO}\n{CY}\n")),
        (String::new(), format!("{CY}\n")),
    ] {
        let mut session = Session::holding(&before);
        let file = session.file().to_path_buf();
        let status = std::process::Command::new("sh")
            .args(["-ec", append_under_lock(&readme)])
            .current_dir(file.parent().unwrap())
            .env("PATH", path_with_the_program())
            .status()
            .unwrap();
        assert!(status.success());
        assert_eq!(String::from_utf8(session.bytes()).unwrap(), after);
        session.initialize("2025-11-25");
        let graph = session.call("read_graph", serde_json::json!({}));
        let entities = graph["structuredContent"]["entities"].as_array().unwrap();
        assert_eq!(entities.len(), after.lines().count());
    }
}

/// The README's shell command that appends a record.
#[cfg(unix)]
fn append_under_lock(readme: &str) -> &str {
    let start = readme.find("```sh\nmcp-memory with-lock ");
    let start = start.expect("the append") + "```sh\n".len();
    let (script, _) = readme[start..].split_once("```").expect("it ends");
    script
}

/// Where a shell finds the built program.
#[cfg(unix)]
fn path_with_the_program() -> std::ffi::OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_mcp-memory"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

/// The README's first command and the block that shows its output.
fn demonstration(readme: &str) -> (&str, &str) {
    let (_, rest) = readme.split_once("```sh\n").expect("a command");
    let (script, rest) = rest.split_once("```").expect("the command ends");
    let (_, rest) = rest.split_once("```json\n").expect("its output");
    let (shown, _) = rest.split_once("```").expect("the output ends");
    (script, shown)
}

/// The server's flags: what follows `--` in `cargo run`.
fn flags(script: &str) -> Vec<&str> {
    let run = script
        .lines()
        .find(|line| line.contains("cargo run"))
        .expect("it runs cargo");
    let (_, flags) = run.split_once(" -- ").expect("it passes flags");
    flags.split_whitespace().collect()
}

/// What stands between the single quotes of a line of the script that begins
/// with one.
fn quoted(line: &str) -> Option<&str> {
    let (text, _) = line.trim().strip_prefix('\'')?.rsplit_once('\'')?;
    Some(text)
}

/// How a server names its version on the wire.
fn version(number: &str) -> String {
    format!(r#""version":"{number}"}}"#)
}

/// What the README shows, whatever version was current when it was written.
fn versions_aside(shown: &str) -> String {
    let (before, rest) = shown
        .split_once(r#""title":"Memory","version":""#)
        .expect("the README shows the server's name and version");
    let (_, after) = rest.split_once('"').expect("the version ends");
    format!(r#"{before}"title":"Memory","version":"…"{after}"#)
}

/// The text under a heading, up to the next one of the same level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text
        .split_once(&format!("\n{heading}\n"))
        .expect("the heading exists");
    rest.split("\n## ").next().unwrap()
}

/// The anchors of a Markdown file's headings, as they are linked to.
fn anchors(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect()
        })
        .collect()
}

fn readme() -> String {
    std::fs::read_to_string(repository("README.md")).unwrap()
}
