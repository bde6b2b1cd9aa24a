//! The same as in [`faults`](super::faults), but nothing is played: a disk that
//! is really full, permissions that are really missing, system calls that
//! really fail (docs/behaviour.md, "Writing"). Through the built binary.
//!
//! Most of it takes root, to make a small disk or to become somebody else, or
//! strace, and is ignored without `--include-ignored`.

#![cfg(target_os = "linux")]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::files::names_in;
use crate::support::session::{Session, command};
use crate::support::tools::{ADA, create, creating, fail_to_create, names, refusal};

#[test]
#[ignore = "needs root"]
fn a_full_disk_is_an_error_and_once_there_is_space_again_writes_work() {
    let directory = tempfile::tempdir().unwrap();
    let mut shell = Command::new("unshare");
    shell
        .args(["-m", "sh", "-c"])
        .arg(
            "mount -t tmpfs -o size=2m none \"$1\" && printf '%s' \"$2\" >\"$1/memory.jsonl\" \
             && head -c 1500000 /dev/zero >\"$1/ballast\" && exec \"$0\"",
        )
        .arg(env!("CARGO_BIN_EXE_mcp-memory"))
        .arg(directory.path())
        .arg(ADA)
        .env("MEMORY_FILE_PATH", directory.path().join("memory.jsonl"));
    let mut session = Session::spawn(shell);
    let big = "x".repeat(1_000_000);
    let observations = json!({"observations": [{"entityName": "Ada", "contents": [big]}]});

    assert_eq!(names(&mut session), ["Ada"]);
    // Only the server and its like see that disk.
    let root = format!("/proc/{}/root", session.pid());
    let disk = PathBuf::from(format!("{root}{}", directory.path().display()));
    let result = session.call("add_observations", observations.clone());
    let text = refusal(&result);
    assert!(text.contains("No space left on device"), "{text}");
    assert!(text.contains("nothing was written"), "{text}");
    assert_eq!(
        std::fs::read_to_string(disk.join("memory.jsonl")).unwrap(),
        ADA
    );
    assert_eq!(names_in(&disk), ["ballast", "memory.jsonl"]);
    assert_eq!(names(&mut session), ["Ada"]);

    // What fits is written all the same.
    create(&mut session, "Bo");
    std::fs::remove_file(disk.join("ballast")).unwrap();
    let result = session.call("add_observations", observations);
    assert_ne!(result["isError"], true);
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
    assert_eq!(names_in(&disk), ["memory.jsonl"]);
}

/// A directory that everybody may look into, with the server's binary in it
/// and room for a memory file.
struct Unprivileged {
    directory: tempfile::TempDir,
}

impl Unprivileged {
    fn new() -> Unprivileged {
        let directory = tempfile::tempdir().unwrap();
        set_mode(directory.path(), 0o755);
        std::fs::copy(
            env!("CARGO_BIN_EXE_mcp-memory"),
            directory.path().join("server"),
        )
        .unwrap();
        set_mode(&directory.path().join("server"), 0o755);
        std::fs::create_dir(directory.path().join("notes")).unwrap();
        set_mode(&directory.path().join("notes"), 0o777);
        Unprivileged { directory }
    }

    fn notes(&self) -> PathBuf {
        self.directory.path().join("notes")
    }

    fn file(&self) -> PathBuf {
        self.notes().join("memory.jsonl")
    }

    fn start(&self, file: &Path) -> Session {
        let mut setpriv = Command::new("setpriv");
        setpriv
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(self.directory.path().join("server"))
            .env("MEMORY_FILE_PATH", file)
            .current_dir("/");
        Session::spawn(setpriv)
    }
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A write fails for lack of permission, reads work, the file is as it was.
#[track_caller]
fn check_may_not_write(session: &mut Session, file: &Path) {
    let before = std::fs::metadata(file).unwrap();
    let text = fail_to_create(session, "Bo");
    assert!(text.contains("Permission denied"), "{text}");
    assert!(text.contains("nothing was written"), "{text}");
    assert!(text.contains(&file.display().to_string()), "{text}");
    assert_eq!(names(session), ["Ada"]);
    let after = std::fs::metadata(file).unwrap();
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
    assert_eq!(names_in(file.parent().unwrap()), ["memory.jsonl"]);
}

#[test]
#[ignore = "needs root"]
fn a_read_only_directory_is_an_error_and_reads_go_on() {
    let place = Unprivileged::new();
    std::fs::write(place.file(), ADA).unwrap();
    set_mode(&place.file(), 0o666);
    set_mode(&place.notes(), 0o555);
    let mut session = place.start(&place.file());
    check_may_not_write(&mut session, &place.file());
    set_mode(&place.notes(), 0o777);
    create(&mut session, "Bo");
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
}

#[test]
#[ignore = "needs root"]
fn a_read_only_file_is_not_replaced_although_its_directory_allows_it() {
    let place = Unprivileged::new();
    std::fs::write(place.file(), ADA).unwrap();
    for mode in [0o444, 0o644] {
        // It is root's, so the second mode does not let others write either.
        set_mode(&place.file(), mode);
        let mut session = place.start(&place.file());
        check_may_not_write(&mut session, &place.file());
    }
    set_mode(&place.file(), 0o666);
    let mut session = place.start(&place.file());
    create(&mut session, "Bo");
    let now = std::fs::metadata(place.file()).unwrap();
    // Whoever may not give files away becomes the owner; the bits stay.
    assert_eq!((now.uid(), now.mode() & 0o7777), (65534, 0o666));
}

#[test]
#[ignore = "needs root"]
fn a_file_that_may_not_be_read_is_an_error_for_reads_and_writes() {
    let place = Unprivileged::new();
    std::fs::write(place.file(), ADA).unwrap();
    set_mode(&place.file(), 0o600);
    let mut session = place.start(&place.file());
    let read = refusal(&session.call("read_graph", json!({})));
    let write = fail_to_create(&mut session, "Bo");
    for text in [read, write] {
        assert!(text.contains("Permission denied"), "{text}");
        assert!(text.contains("memory.jsonl"), "{text}");
    }
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), ADA);
    assert_eq!(names_in(&place.notes()), ["memory.jsonl"]);
}

#[test]
#[ignore = "needs root"]
fn a_directory_that_may_not_be_made_is_an_error() {
    let place = Unprivileged::new();
    set_mode(&place.notes(), 0o555);
    let file = place.notes().join("more/memory.jsonl");
    let mut session = place.start(&file);
    assert_eq!(names(&mut session), [""; 0]);
    let text = fail_to_create(&mut session, "Ada");
    let directory = place.notes().join("more").display().to_string();
    assert!(text.contains(&directory), "{text}");
    assert!(text.contains("Permission denied"), "{text}");
}

#[test]
fn a_parent_that_is_a_file_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let parent = directory.path().join("notes");
    std::fs::write(&parent, "mine").unwrap();
    let mut server = command();
    let file = parent.join("memory.jsonl");
    server.env("MEMORY_FILE_PATH", &file);
    let mut session = Session::spawn(server);
    let read = refusal(&session.call("read_graph", json!({})));
    let write = fail_to_create(&mut session, "Ada");
    for text in [read, write] {
        assert!(text.contains("Not a directory"), "{text}");
        assert!(text.contains(&file.display().to_string()), "{text}");
    }
    assert_eq!(std::fs::read_to_string(&parent).unwrap(), "mine");
}

/// One system call of the first write fails with this error; the next write
/// works.
#[track_caller]
fn check_failing_call(injection: &str, reason: &str, is_changed: bool) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, ADA).unwrap();
    let mut strace = Command::new("strace");
    strace
        .args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            &format!("inject={injection}"),
        ])
        .arg(env!("CARGO_BIN_EXE_mcp-memory"))
        .env("MEMORY_FILE_PATH", &file);
    let mut session = Session::spawn(strace);
    let text = refusal(&session.call("create_entities", creating("Bo")));
    assert!(text.contains(reason), "{injection}: {text}");
    let says = if is_changed {
        "the change is in the file"
    } else {
        "nothing was written"
    };
    assert!(text.contains(says), "{injection}: {text}");
    let mut expected = vec!["Ada"];
    if is_changed {
        expected.push("Bo");
    } else {
        assert_eq!(std::fs::read_to_string(&file).unwrap(), ADA, "{injection}");
    }
    assert_eq!(names(&mut session), expected, "{injection}");
    assert_eq!(names_in(directory.path()), ["memory.jsonl"], "{injection}");
    create(&mut session, "Cy");
    expected.push("Cy");
    assert_eq!(names(&mut session), expected, "{injection}");
    session.close_input();
    assert!(session.wait().success());
}

#[test]
#[ignore = "needs strace"]
fn system_calls_that_fail_leave_the_old_file_or_the_new_one() {
    let io = "Input/output error";
    check_failing_call("writev:error=ENOSPC:when=1", "No space left", false);
    check_failing_call("writev:error=ENOSPC:when=2", "No space left", false);
    check_failing_call("writev:error=EIO:when=2", io, false);
    check_failing_call("linkat:error=ENOSPC:when=1", "No space left", false);
    check_failing_call("flock:error=EIO:when=1", io, false);
    check_failing_call("fsync:error=EIO:when=1", io, false);
    check_failing_call("fsync:error=EIO:when=2", io, true);
    check_failing_call("/^rename:error=EACCES:when=1", "Permission denied", false);
}
