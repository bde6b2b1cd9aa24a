//! Processes that a test starts, signals or leaves without a reader itself.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::session::{command, initialize_request};

/// The server on this memory file with bare pipes, for a test that is the
/// client which closes or does not read them.
pub fn bare_server(file: &Path) -> Child {
    command()
        .env("MEMORY_FILE_PATH", file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}

/// As [`bare_server`], after the answer to `initialize`.
pub fn bare_session(file: &Path) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut child = bare_server(file);
    let mut input = child.stdin.take().expect("stdin is piped");
    let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    writeln!(input, "{}", initialize_request("2025-11-25")).expect("the server reads");
    output
        .read_line(&mut String::new())
        .expect("the server answers");
    (child, input, output)
}

/// Sends a signal by its name, such as `KILL`.
#[cfg(unix)]
#[track_caller]
pub fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .status();
    let status = status.expect("kill can be started");
    assert!(status.success(), "kill -s {name} {pid}");
}
