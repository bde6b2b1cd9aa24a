//! Locks of programs that know only the plain protocol (docs/behaviour.md,
//! "Several processes, one file"): create `FILE.lock` exclusively, refresh it,
//! remove it. And the lock beside a link.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use mcp_memory::store::StoreError;
use mcp_memory::store::disk::{Disk as _, RealDisk};

use super::other::{Other, one_more};
use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_in};
use crate::support::writing::Writer;

/// A memory file's path, with a lock of another program beside it that was
/// last refreshed then.
fn foreign_lock(modified: SystemTime) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let lock = std::fs::File::create(lock_of(&directory.path().join("memory.jsonl"))).unwrap();
    lock.set_modified(modified).unwrap();
    (directory, file)
}

fn once() -> Writer {
    Writer::on(RealDisk)
}

#[track_caller]
fn check_is_locked(writer: &Writer, file: &Path) {
    let error = writer.write(file, b"new").err().expect("it is locked");
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("another program"), "{error}");
    assert!(!file.exists());
}

#[test]
fn a_lock_older_than_its_limit_is_dead() {
    let (directory, file) = foreign_lock(SystemTime::now() - Duration::from_secs(31));
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_younger_lock_is_held_by_another_program() {
    let (_directory, file) = foreign_lock(SystemTime::now() - Duration::from_secs(20));
    check_is_locked(&once(), &file);
}

#[test]
fn a_lock_from_the_future_is_held_and_dead_once_it_does_not_change() {
    let (directory, file) = foreign_lock(SystemTime::now() + Duration::from_secs(3600));
    check_is_locked(&once(), &file);
    let mut writer = once().patient();
    writer.timing.stale = Duration::from_millis(20);
    writer.write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_lock_that_is_refreshed_is_never_dead() {
    let (_directory, file) = foreign_lock(SystemTime::now());
    let lock = std::fs::File::open(lock_of(&file)).unwrap();
    let refreshed = AtomicU64::new(0);
    // Whenever it is looked at, it has just been refreshed.
    let disk = Scripted::new(RealDisk, move |_, step| {
        if step == "open memory.jsonl.lock" {
            let seconds = 3600 + refreshed.fetch_add(1, Ordering::SeqCst);
            let time = SystemTime::now() + Duration::from_secs(seconds);
            lock.set_modified(time).unwrap();
        }
        None
    });
    let mut writer = Writer::on(disk);
    writer.timing.stale = Duration::from_millis(20);
    writer.limit = Duration::from_millis(200);
    check_is_locked(&writer, &file);
}

/// A write fails, says this about what is at the lock's path, and leaves it.
#[track_caller]
fn check_is_no_lock(file: &Path, what: &str) {
    let mut writer = once();
    // As if everything were old.
    writer.timing.stale = Duration::ZERO;
    writer.limit = Duration::from_millis(20);
    let lock = lock_of(file);
    let before = std::fs::symlink_metadata(&lock).unwrap().file_type();
    let error = writer.write(file, b"new").err().expect("it is in the way");
    assert!(matches!(error, StoreError::NotALock { .. }), "{error}");
    let said = format!("{} is {what}", lock.display());
    assert!(error.to_string().contains(&said), "{error}");
    assert_eq!(
        std::fs::symlink_metadata(&lock).unwrap().file_type(),
        before
    );
    assert!(!file.exists());
}

#[test]
fn what_is_no_file_at_the_locks_path_is_named_and_not_removed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let lock = lock_of(&directory.path().join("memory.jsonl"));
    let no_lock = "not a lock file; remove it if no program needs it";

    std::fs::create_dir_all(lock.join("precious")).unwrap();
    check_is_no_lock(&file, &format!("a directory, {no_lock}"));
    std::fs::remove_dir_all(&lock).unwrap();

    assert!(
        Command::new("mkfifo")
            .arg(&lock)
            .status()
            .unwrap()
            .success()
    );
    check_is_no_lock(&file, &format!("a FIFO, {no_lock}"));
    std::fs::remove_file(&lock).unwrap();

    let socket = std::os::unix::net::UnixListener::bind(&lock).unwrap();
    check_is_no_lock(&file, &format!("a socket, {no_lock}"));
    drop(socket);
    std::fs::remove_file(&lock).unwrap();

    // A link is not followed: what it leads to is no lock of this file.
    for to in ["/etc/passwd", "/etc", "nothing"] {
        std::os::unix::fs::symlink(to, &lock).unwrap();
        check_is_no_lock(&file, &format!("a symbolic link, {no_lock}"));
        std::fs::remove_file(&lock).unwrap();
    }
}

#[test]
fn an_empty_directory_is_a_lock_of_other_programs_and_dead_when_old() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let lock = lock_of(&directory.path().join("memory.jsonl"));
    std::fs::create_dir(&lock).unwrap();
    let error = once().write(&file, b"new").err().expect("it is young");
    assert!(matches!(error, StoreError::NotALock { .. }), "{error}");
    let opened = std::fs::File::open(&lock).unwrap();
    opened
        .set_modified(SystemTime::now() - Duration::from_secs(31))
        .unwrap();
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_memory_file_that_is_named_like_a_lock_is_never_removed() {
    let relation = r#"{"type":"relation","from":"a","to":"b","relationType":"c"}"#;
    let entity = r#"{"type":"entity","name":"A","entityType":"t","observations":[]}"#;
    let long = format!("{{\"type\":\"entity\",\"name\":\"{}\"}}", "n".repeat(9000));
    let documents = [
        relation.to_owned(),
        format!("\u{FEFF}\n{entity}\n"),
        format!("broken\n{entity}\n"),
        format!("[\n{entity}\n]"),
        long,
    ];
    for memory in documents {
        let (directory, file) = foreign_lock(SystemTime::now());
        let lock = lock_of(&directory.path().join("memory.jsonl"));
        std::fs::write(&lock, &memory).unwrap();
        check_is_no_lock(&file, "a memory file of its own, not a lock file");
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), memory);
    }
}

#[test]
fn a_record_cannot_have_another_file_removed() {
    let (directory, file) = foreign_lock(SystemTime::now());
    std::fs::remove_file(lock_of(&directory.path().join("memory.jsonl"))).unwrap();
    std::fs::write(directory.path().join("precious"), "").unwrap();
    Other::holding(&file).kill();
    let lock = lock_of(&directory.path().join("memory.jsonl"));
    let record = std::fs::read(&lock).unwrap();
    let mut record: serde_json::Value = serde_json::from_slice(&record).unwrap();
    record["temp"] = "precious".into();
    std::fs::write(&lock, format!("{record}\n")).unwrap();
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl", "precious"]);
}

#[test]
fn the_lock_beside_a_link_is_taken_as_well_and_excludes_who_holds_it() {
    let (directory, link) = foreign_lock(SystemTime::now());
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("real.jsonl");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(RealDisk.resolve(&link).unwrap(), target);

    // A program that does not follow the link holds the lock beside it.
    let error = once().lock(&target, Some(&link)).err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert_eq!(names_in(elsewhere.path()), [""; 0]);

    std::fs::remove_file(lock_of(&directory.path().join("memory.jsonl"))).unwrap();
    let lock = once().lock(&target, Some(&link)).unwrap();
    assert_eq!(names_in(elsewhere.path()), ["real.jsonl.lock"]);
    assert_eq!(
        names_in(directory.path()),
        ["memory.jsonl", "memory.jsonl.lock"]
    );
    // One that was given the target itself is excluded, too.
    assert!(once().lock(&target, None).is_err());

    std::fs::remove_file(lock_of(&directory.path().join("memory.jsonl"))).unwrap();
    assert!(!lock.is_ours().unwrap(), "either lock lost is lost");
}

#[test]
fn a_link_in_a_directory_that_may_not_be_written_needs_no_lock_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("real.jsonl");
    let link = directory.path().join("link.jsonl");
    let disk = Scripted::failing_always(
        RealDisk,
        "link link.jsonl.lock",
        std::io::ErrorKind::PermissionDenied,
    );
    let _lock = Writer::on(disk).lock(&target, Some(&link)).unwrap();
    assert_eq!(names_in(directory.path()), ["real.jsonl.lock"]);
}

/// The plain protocol as another program speaks it, counting in the file.
const PLAIN: &str = r#"
const fs = require("fs");
const [file, rounds] = [process.argv[2], Number(process.argv[3])];
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
for (let round = 0; round < rounds; round++) {
  for (;;) {
    try { fs.closeSync(fs.openSync(file + ".lock", "wx")); break; }
    catch (error) { if (error.code !== "EEXIST") throw error; pause(); }
  }
  let old = "";
  try { old = fs.readFileSync(file, "utf8"); } catch {}
  fs.writeFileSync(file + ".plain", String(Number(old || 0) + 1));
  fs.utimesSync(file + ".lock", new Date(), new Date());
  fs.renameSync(file + ".plain", file);
  fs.unlinkSync(file + ".lock");
}
"#;

#[test]
#[ignore = "needs node"]
fn programs_with_the_plain_protocol_take_turns_with_us() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let script = directory.path().join("plain.js");
    std::fs::write(&script, PLAIN).unwrap();
    let mut plain: Vec<_> = (0..2)
        .map(|_| {
            let mut node = Command::new("node");
            node.arg(&script).arg(&file).arg("50").stdin(Stdio::null());
            node.spawn().expect("node can be started")
        })
        .collect();
    let mut other = Other::start(&file);
    other.tell("count 50");
    let mut writer = once().patient();
    writer.fsync = false;
    for _ in 0..50 {
        writer.update(&file, one_more).unwrap();
    }
    assert_eq!(other.answer(), "counted");
    for plain in &mut plain {
        assert!(plain.wait().unwrap().success());
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"200");
    assert_eq!(names_in(directory.path()), ["memory.jsonl", "plain.js"]);
}
