//! The server started with less than it needs: a place that cannot be written,
//! a limit of the system, a stderr that nobody reads.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::files::names_beside;
use crate::support::processes::signal;
use crate::support::session::{Session, command};
use crate::support::tools::{ADA, creating, names, refusal};

#[test]
#[ignore = "needs root"]
fn an_unwritable_working_directory_is_warned_about_and_named_in_the_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let set_mode = |path: &Path| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let server = directory.path().join("server");
    std::fs::copy(env!("CARGO_BIN_EXE_mcp-memory"), &server).unwrap();
    set_mode(&server);
    set_mode(directory.path());
    let mut setpriv = Command::new("setpriv");
    setpriv
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&server)
        .env_remove("MEMORY_FILE_PATH")
        .current_dir(&directory);
    let mut session = Session::spawn(setpriv);
    session.initialize("2025-11-25");
    let text = refusal(&session.call("create_entities", creating("Ada")));
    let advice = "no memory file is configured: add --memory-file with an absolute path to the \
                  client's configuration";
    assert!(text.contains("Permission denied"), "{text}");
    assert!(text.ends_with(&format!("\n{advice}")), "{text}");
    let said = session.stderr();
    let place = directory
        .path()
        .canonicalize()
        .unwrap()
        .join("memory.jsonl");
    let warning = format!(
        "warning: this program may not write where {} is, so nothing can be stored; {advice}",
        place.display()
    );
    assert!(said.contains(&warning), "{said}");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_the_server_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, ADA).unwrap();
    let mut shell = Command::new("sh");
    // In blocks of 512 bytes.
    shell
        .args(["-c", "ulimit -f 100; exec \"$0\""])
        .arg(env!("CARGO_BIN_EXE_mcp-memory"))
        .env("MEMORY_FILE_PATH", &file);
    let mut session = Session::spawn(shell);
    session.initialize("2025-11-25");
    let big = json!({"observations": [{"entityName": "Ada", "contents": ["x".repeat(300_000)]}]});
    let text = refusal(&session.call("add_observations", big));
    assert!(text.contains("File too large"), "{text}");
    assert!(text.contains("nothing was written"), "{text}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ADA);
    assert_eq!(names_beside(&file), [""; 0]);
    assert_eq!(names(&mut session), ["Ada"]);
}

/// Runs the server under this limit, to the end of its input: whether it says
/// what is wrong, in words, and exits with 1, or serves.
#[track_caller]
fn check_limit(limit: &[&str], server: &Path) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let mut limited = Command::new(limit[0]);
    limited
        .args(&limit[1..])
        .arg(server)
        .env("MEMORY_FILE_PATH", directory.path().join("memory.jsonl"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = limited.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may be gone already.
    let _ = writeln!(
        input,
        "{}",
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    );
    drop(input);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panicked"), "{limit:?}: {said}");
    let served = String::from_utf8(output.stdout)
        .unwrap()
        .contains("\"id\":1");
    if !served {
        let words = [
            "cannot serve: ",
            "error while loading shared libraries",
            "sh: ",
        ];
        assert!(
            words.iter().any(|word| said.contains(word)),
            "{limit:?}: {said}"
        );
        assert_ne!(output.status.code(), Some(0), "{limit:?}: {said}");
    }
    served
}

#[test]
fn too_few_descriptors_are_an_error_in_words() {
    let server = Path::new(env!("CARGO_BIN_EXE_mcp-memory"));
    let served: Vec<bool> = (4..24)
        .map(|number| check_limit(&["prlimit", &format!("--nofile={number}")], server))
        .collect();
    assert!(!served[1] && served[served.len() - 1], "{served:?}");
}

#[test]
#[ignore = "needs root"]
fn too_few_threads_are_an_error_in_words() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let server = directory.path().join("server");
    std::fs::copy(env!("CARGO_BIN_EXE_mcp-memory"), &server).unwrap();
    for path in [directory.path(), &server] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // A user whom nobody else is, and whom the limit therefore counts alone.
    let user = ["--reuid", "65431", "--regid", "65431", "--clear-groups"];
    let served: Vec<bool> = (1..10)
        .map(|number| {
            let nproc = format!("--nproc={number}");
            let limit = [&["setpriv"], &user[..], &["prlimit", &nproc]].concat();
            check_limit(&limit, &server)
        })
        .collect();
    assert!(!served[0] && served[served.len() - 1], "{served:?}");
}

/// A pipe that is full, as that of a client is that never reads stderr.
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter, usize) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let size = rustix::pipe::fcntl_getpipe_size(&writer).unwrap();
    writer.write_all(&vec![b'x'; size]).unwrap();
    (reader, writer, size)
}

#[test]
fn a_stderr_that_nobody_reads_holds_nothing_up_and_is_told_what_was_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let (mut reader, writer, size) = full_pipe();
    let mut server = command()
        .env("MEMORY_FILE_PATH", directory.path().join("memory.jsonl"))
        .env("MEMORY_STRICT_RELATIONS", "perhaps")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(writer)
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    writeln!(input, "{ping}").unwrap();
    let mut answer = [0; 36];
    server
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut answer)
        .unwrap();
    assert_eq!(answer, *b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    // Now somebody reads.
    let mut filler = vec![0; size];
    reader.read_exact(&mut filler).unwrap();
    drop(input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    // Two warnings and the file.
    assert_eq!(
        rest,
        "mcp-memory: 3 lines left out here, because nobody read them\n"
    );
}

#[test]
fn the_end_does_not_wait_for_a_reader_of_stderr() {
    let (reader, writer, _) = full_pipe();
    let mut wrong = command();
    wrong.arg("--frobnicate").stderr(writer);
    assert_eq!(wrong.status().unwrap().code(), Some(2));
    drop(reader);
}

#[test]
fn started_on_a_terminal_it_says_what_it_waits_for() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let directory = tempfile::tempdir().unwrap();
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let name = Path::new(name.to_str().unwrap());
    let line = std::fs::File::options()
        .read(true)
        .write(true)
        .open(name)
        .unwrap();
    let mut server = command();
    server
        .env("MEMORY_FILE_PATH", directory.path().join("memory.jsonl"))
        .stdin(line)
        .stderr(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut said = String::new();
    let mut stderr = server.stderr.take().unwrap();
    let expected = "mcp-memory: waiting for an MCP client on standard input, which is a terminal \
                    here: Ctrl-C ends it, and mcp-memory --help says what else it does\n";
    let mut buffer = [0; 4096];
    while !said.ends_with(expected) {
        let length = stderr.read(&mut buffer).unwrap();
        assert_ne!(length, 0, "{said}");
        said.push_str(str::from_utf8(&buffer[..length]).unwrap());
    }
    let status = format!("/proc/{}/status", server.id());
    crate::support::session::eventually("it catches SIGINT", || {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        caught & (1 << 1) != 0
    });
    // Ctrl-C is this signal.
    signal(server.id(), "INT");
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
