//! Locks on file systems that keep fewer promises than a local disk: no hard
//! links, advisory locks that a file's second name does not share, numbers that
//! belong to a path, records that cannot be read (docs/behaviour.md, "Several
//! processes, one file"). Played here; on the real ones `real_disks` runs.

#![cfg(unix)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use mcp_memory::store::StoreError;
use mcp_memory::store::disk::whole::read_whole;
use mcp_memory::store::disk::{RealDisk, temp_name};
use serde_json::Value;

use super::other::Other;
use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_in};
use crate::support::writing::Writer;

const NOT_PERMITTED: i32 = 1;
const NOTHING_THERE: i32 = 2;
const INPUT_OUTPUT: i32 = 5;
const INVALID: i32 = 22;
const OUT_OF_RANGE: i32 = 34;
const STALE_HANDLE: i32 = 116;

fn file() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    (directory, file)
}

fn record_of(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(lock_of(file)).unwrap()).unwrap()
}

/// Steps that begin like this fail with this error of the system.
fn failing(step: &'static str, error: i32) -> Scripted {
    Scripted::new(RealDisk, move |_, done| {
        done.starts_with(step)
            .then(|| io::Error::from_raw_os_error(error))
    })
}

#[track_caller]
fn check_is_locked(writer: &Writer, file: &Path) {
    let error = writer.write(file, b"new").err().expect("it is locked");
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
}

/// A plain file as a lock, of this age.
fn foreign_lock(file: &Path, age: Duration) {
    let lock = std::fs::File::create(lock_of(file)).unwrap();
    lock.set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn whatever_is_said_to_a_hard_link_the_lock_is_made_in_place() {
    for error in [NOT_PERMITTED, INPUT_OUTPUT, OUT_OF_RANGE] {
        let (directory, file) = file();
        let disk = failing("link ", error);
        let lock = Writer::on(disk.clone()).lock(&file, None).unwrap();
        assert_eq!(names_in(directory.path()), ["memory.jsonl.lock"]);
        assert_eq!(record_of(&file)["locked"], true);
        check_is_locked(&Writer::on(RealDisk), &file);
        drop(lock);
        Writer::on(disk).write(&file, b"new").unwrap();
        assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
    }
}

/// SMB does so to a file that is open by its first name, for a lock as for any.
#[test]
fn a_lock_that_cannot_be_opened_by_its_second_name_is_made_in_place() {
    let (directory, file) = file();
    let is_first = AtomicUsize::new(0);
    let disk = Scripted::new(RealDisk, move |_, step| {
        (step == "open memory.jsonl.lock" && is_first.fetch_add(1, Ordering::Relaxed) == 0)
            .then(|| io::Error::from_raw_os_error(INVALID))
    });
    let lock = Writer::on(disk.clone()).lock(&file, None).unwrap();
    assert!(disk.failed().is_some(), "nothing failed");
    assert_eq!(names_in(directory.path()), ["memory.jsonl.lock"]);
    assert_eq!(record_of(&file)["locked"], true);
    check_is_locked(&Writer::on(RealDisk), &file);
    drop(lock);
    Writer::on(disk).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

/// An advisory lock that the file's own name does not show is none for others.
/// They must not take its holder for dead.
#[test]
fn where_a_lock_is_not_seen_through_the_name_the_record_says_so_and_age_decides() {
    let (directory, file) = file();
    // As if each opening were a file of its own.
    let apart = Scripted::new(RealDisk, |_, step| {
        (step == "try_lock memory.jsonl.lock").then(|| io::ErrorKind::Unsupported.into())
    });
    let lock = Writer::on(apart).lock(&file, None).unwrap();
    assert_eq!(record_of(&file)["locked"], false);
    assert!(lock.is_ours().unwrap());
    check_is_locked(&Writer::on(RealDisk), &file);
    drop(lock);
    assert_eq!(names_in(directory.path()), [""; 0]);
}

#[test]
fn until_it_is_known_that_others_see_the_lock_the_record_does_not_say_so() {
    let (_directory, file) = file();
    let said = Arc::new(AtomicUsize::new(0));
    let disk = Scripted::new(RealDisk, {
        let (file, said) = (file.clone(), Arc::clone(&said));
        move |_, step| {
            if step == "try_lock memory.jsonl.lock" {
                assert_eq!(record_of(&file)["locked"], false);
                said.fetch_add(1, Ordering::SeqCst);
            }
            None
        }
    });
    let _lock = Writer::on(disk).lock(&file, None).unwrap();
    assert_eq!(said.load(Ordering::SeqCst), 1);
    assert_eq!(record_of(&file)["locked"], true);
}

/// One directory, seen on two devices: a program in between does not hand
/// advisory locks on.
#[test]
fn a_holder_that_sees_the_lock_on_another_device_is_judged_by_age() {
    let (directory, file) = file();
    Other::holding(&file).kill();
    let mut record = record_of(&file);
    record["device"] = 4242.into();
    std::fs::write(lock_of(&file), format!("{record}\n")).unwrap();
    check_is_locked(&Writer::on(RealDisk), &file);
    let old = SystemTime::now() - Duration::from_secs(31);
    let lock = std::fs::File::options().append(true).open(lock_of(&file));
    lock.unwrap().set_modified(old).unwrap();
    Writer::on(RealDisk).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_lock_of_an_earlier_version_is_judged_as_before() {
    let (directory, file) = file();
    Other::holding(&file).kill();
    let mut record = record_of(&file);
    for later in ["private", "device", "ready"] {
        record.as_object_mut().unwrap().remove(later);
    }
    std::fs::write(lock_of(&file), format!("{record}\n")).unwrap();
    Writer::on(RealDisk).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn an_unreadable_lock_is_judged_by_its_age_and_removed_when_it_is_old() {
    let (directory, file) = file();
    let disk = || failing("open memory.jsonl.lock", 13);
    foreign_lock(&file, Duration::from_secs(20));
    check_is_locked(&Writer::on(disk()), &file);
    foreign_lock(&file, Duration::from_secs(31));
    // Only the dead one cannot be opened.
    let first = AtomicUsize::new(0);
    let disk = Scripted::new(RealDisk, move |_, step| {
        let is_first =
            step == "open memory.jsonl.lock" && first.fetch_add(1, Ordering::SeqCst) == 0;
        is_first.then(|| io::Error::from_raw_os_error(13))
    });
    Writer::on(disk).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

/// What cannot be looked into may be somebody's memory.
#[test]
fn an_unreadable_file_that_is_too_large_for_a_lock_is_named_and_not_removed() {
    let (_directory, file) = file();
    let lock = std::fs::File::create(lock_of(&file)).unwrap();
    lock.set_len(4097).unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(3600))
        .unwrap();
    let disk = failing("open memory.jsonl.lock", 13);
    let error = Writer::on(disk).write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::NotALock { .. }), "{error}");
    assert!(error.to_string().contains("may not be read"), "{error}");
    assert!(lock_of(&file).exists());
}

/// On SMB the holder's advisory lock keeps others from reading the record.
#[test]
fn a_lock_whose_record_may_not_be_read_is_held_however_old() {
    let (_directory, file) = file();
    foreign_lock(&file, Duration::from_secs(3600));
    check_is_locked(&Writer::on(failing("read memory.jsonl.lock", 13)), &file);
    assert!(lock_of(&file).exists());
}

#[test]
fn a_lock_that_vanishes_while_it_is_read_is_gone() {
    for error in [STALE_HANDLE, NOTHING_THERE] {
        let (directory, file) = file();
        foreign_lock(&file, Duration::ZERO);
        let disk = Scripted::new(RealDisk, {
            let lock = lock_of(&file);
            let vanished = AtomicUsize::new(0);
            move |_, step| {
                let is_first = step == "read memory.jsonl.lock"
                    && vanished.fetch_add(1, Ordering::SeqCst) == 0;
                is_first.then(|| {
                    std::fs::remove_file(&lock).unwrap();
                    io::Error::from_raw_os_error(error)
                })
            }
        });
        Writer::on(disk).write(&file, b"new").unwrap();
        assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
    }
}

/// Some file systems have no word for "somebody was quicker".
#[test]
fn an_error_that_may_be_a_lost_race_is_waited_out_and_one_that_stays_is_said() {
    for error in [NOT_PERMITTED, NOTHING_THERE] {
        let (directory, file) = file();
        let lost = AtomicUsize::new(0);
        let disk = Scripted::new(RealDisk, move |_, step| match step {
            "link memory.jsonl.lock" => Some(io::ErrorKind::Unsupported.into()),
            "create memory.jsonl.lock" if lost.fetch_add(1, Ordering::SeqCst) < 3 => {
                Some(io::Error::from_raw_os_error(error))
            }
            _ => None,
        });
        Writer::on(disk).patient().write(&file, b"new").unwrap();
        assert_eq!(names_in(directory.path()), ["memory.jsonl"]);

        let disk = Scripted::new(RealDisk, move |_, step| match step {
            "link memory.jsonl.lock" => Some(io::ErrorKind::Unsupported.into()),
            "create memory.jsonl.lock" => Some(io::Error::from_raw_os_error(error)),
            _ => None,
        });
        let error = Writer::on(disk)
            .patient()
            .write(&file, b"no")
            .err()
            .unwrap();
        assert!(matches!(error, StoreError::Io { .. }), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
    }
}

#[test]
fn the_lock_and_the_temp_file_have_names_of_their_own_and_the_record_has_both() {
    let (_directory, file) = file();
    let temp = temp_name();
    let _lock = Writer::on(RealDisk)
        .lock_naming(&temp, &file, None)
        .unwrap();
    let record = record_of(&file);
    assert_eq!(record["temp"], temp);
    let private = record["private"].as_str().unwrap();
    assert!(private.starts_with(".mcp-memory-") && private.ends_with(".lock"));
    assert_eq!(record["ready"], false);
}

#[test]
fn what_a_dead_holder_left_under_the_locks_first_name_goes() {
    let (directory, file) = file();
    Other::holding(&file).kill();
    let private = record_of(&file)["private"].as_str().unwrap().to_owned();
    std::fs::write(directory.path().join(private), "").unwrap();
    Writer::on(RealDisk).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

/// NFS and some programs that are a file system answer so to reads of a file
/// that was replaced after it was opened.
#[test]
fn a_file_that_another_computer_replaces_while_it_is_read_is_opened_anew() {
    for error in [STALE_HANDLE, NOTHING_THERE] {
        let (_directory, file) = file();
        std::fs::write(&file, "new").unwrap();
        let disk = Scripted::new(RealDisk, move |number, step| {
            (number < 3 && step.starts_with("read ")).then(|| io::Error::from_raw_os_error(error))
        });
        let content = read_whole(&disk, &file).unwrap().unwrap();
        assert_eq!(content.bytes, b"new");
        assert!(disk.failed().is_some(), "no read failed");
    }
}
