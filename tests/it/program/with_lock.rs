//! `mcp-memory with-lock`: another program's turn at the memory file.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::json;

use crate::support::files::{lock_of, names_in};
use crate::support::processes::signal;
use crate::support::session::{Session, command};

/// A memory file's path in a directory of its own.
fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    (directory, file)
}

fn with_lock(file: &Path, flags: &[&str], script: &str) -> Command {
    let mut with_lock = command();
    with_lock
        .arg("with-lock")
        .args(flags)
        .arg(file)
        .args(["--", "sh", "-c", script])
        .current_dir(file.parent().unwrap())
        .stdin(Stdio::null());
    with_lock
}

fn run(file: &Path, flags: &[&str], script: &str) -> (Option<i32>, String, String) {
    told(&with_lock(file, flags, script).output().unwrap())
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A command that holds the lock until it is ended, and has said that it runs.
fn holder(file: &Path, script: &str) -> Child {
    let script = format!("{script}; echo running; read line <&3");
    let mut held = with_lock(file, &[], &format!("mkfifo f; exec 3<>f; {script}"));
    let mut child = held.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let output = child.stdout.as_mut().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    assert_eq!(line, "running\n");
    child
}

#[test]
fn the_command_runs_under_the_lock_and_its_exit_code_is_passed_on() {
    let (directory, file) = place();
    let (code, stdout, stderr) = run(&file, &[], "ls; exit 7");
    assert_eq!((code, stderr.as_str()), (Some(7), ""));
    assert_eq!(stdout, "memory.jsonl.lock\n");
    assert_eq!(names_in(directory.path()), [""; 0]);
    assert_eq!(run(&file, &[], "kill -KILL $$").0, Some(128 + 9));
}

#[test]
fn the_command_has_our_input_and_arguments() {
    let (_directory, file) = place();
    let mut echo = command();
    echo.arg("with-lock").arg(&file);
    echo.args(["--", "echo", "--memory-file", "a b"]);
    assert_eq!(told(&echo.output().unwrap()).1, "--memory-file a b\n");
}

#[test]
fn a_command_that_cannot_run_has_the_codes_of_env() {
    let (directory, file) = place();
    for (program, code) in [("no-such-program-here", 127), ("./", 126)] {
        let mut with_lock = command();
        with_lock.arg("with-lock").arg(&file).args(["--", program]);
        let (got, _, stderr) = told(&with_lock.current_dir(&directory).output().unwrap());
        assert_eq!(got, Some(code), "{stderr}");
        let start = format!("mcp-memory: cannot run {program}: ");
        assert!(stderr.starts_with(&start), "{stderr}");
    }
    assert_eq!(names_in(directory.path()), [""; 0]);
}

#[test]
fn a_held_lock_is_waited_for_and_then_named() {
    let (_directory, file) = place();
    let mut holder = holder(&file, ":");
    let (code, stdout, stderr) = run(&file, &["--lock-timeout", "0.1"], "echo never");
    assert_eq!((code, stdout.as_str()), (Some(125), ""));
    let held = format!("{} is held by", lock_of(&file).display());
    assert!(stderr.contains(&held), "{stderr}");
    assert!(
        stderr.contains(&format!("process {}", holder.id())),
        "{stderr}"
    );
    assert!(stderr.contains("the command was not run"), "{stderr}");
    signal(holder.id(), "TERM");
    assert_eq!(holder.wait().unwrap().code(), Some(128 + 15));
}

#[test]
fn a_dead_lock_is_broken() {
    let (directory, file) = place();
    let lock = std::fs::File::create(lock_of(&file)).unwrap();
    lock.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(
        run(&file, &[], ":"),
        (Some(0), String::new(), String::new())
    );
    assert_eq!(names_in(directory.path()), [""; 0]);
}

#[test]
fn a_signal_ends_the_command_and_the_lock_is_gone() {
    for (name, number) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let (_directory, file) = place();
        let mut child = holder(&file, ":");
        signal(child.id(), name);
        assert_eq!(child.wait().unwrap().code(), Some(128 + number), "{name}");
        assert!(!lock_of(&file).exists(), "{name}");
    }
}

#[test]
fn the_lock_is_held_until_a_command_that_finishes_first_is_done() {
    let (_directory, file) = place();
    // It does what it has to when the signal comes.
    let mut child = holder(&file, "trap 'ls memory.jsonl.lock; exit 3' TERM");
    signal(child.id(), "TERM");
    let mut rest = String::new();
    let output = child.stdout.as_mut().unwrap();
    std::io::Read::read_to_string(output, &mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(rest, "memory.jsonl.lock\n");
    assert!(!lock_of(&file).exists());
}

#[test]
fn a_signal_ends_the_wait_and_the_command_is_not_run() {
    let (_directory, file) = place();
    let mut holder = holder(&file, ":");
    let mut waiting = with_lock(&file, &[], "echo never");
    let waiting = waiting.stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    // Which of the two it is in when the signal comes makes no difference once
    // it hears signals, and until then a signal just ends it.
    let status = format!("/proc/{}/status", waiting.id());
    crate::support::session::eventually("it catches SIGTERM", || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
        caught.is_none_or(|set| set & (1 << 14) != 0)
    });
    signal(waiting.id(), "TERM");
    let (code, stdout, stderr) = told(&waiting.wait_with_output().unwrap());
    assert_eq!((code, stdout.as_str()), (Some(125), ""));
    assert!(stderr.contains("the command was not run"), "{stderr}");
    signal(holder.id(), "TERM");
    holder.wait().unwrap();
}

#[test]
fn a_server_waits_for_the_command() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let file = session.file().to_path_buf();
    let mut holder = holder(&file, ":");
    let line = r#"{"type":"entity","name":"Cy","entityType":"t","observations":[]}"#;
    let id = session.fresh_id();
    let bo = json!({"name": "Bo", "entityType": "t", "observations": []});
    session.send(
        &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "create_entities", "arguments": {"entities": [bo]}}}),
    );
    std::fs::write(&file, format!("{line}\n")).unwrap();
    signal(holder.id(), "TERM");
    holder.wait().unwrap();
    assert!(session.answer(&id)["result"].is_object());
    let graph = session.call("read_graph", json!({}));
    let entities = &graph["structuredContent"]["entities"];
    assert_eq!(
        (&entities[0]["name"], &entities[1]["name"]),
        (&json!("Cy"), &json!("Bo"))
    );
}
