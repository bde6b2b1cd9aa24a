//! `FILE.lock` (docs/behaviour.md, "Several processes, one file"), on the real
//! disk: who gets it, who loses it, and what is left behind. Locks of other
//! programs are in [`foreign_locks`](super::foreign_locks).

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_memory::ending::Ending;
use mcp_memory::store::StoreError;
use mcp_memory::store::disk::{Disk as _, RealDisk, temp_name};
use serde_json::Value;

use super::other::{Other, one_more};
use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_in};
use crate::support::processes::signal;
use crate::support::session::eventually;
use crate::support::writing::Writer;

fn file() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    (directory, file)
}

fn once() -> Writer {
    Writer::on(RealDisk)
}

#[test]
fn a_held_lock_is_one_file_and_a_released_one_is_none() {
    let (directory, file) = file();
    let lock = once().lock(&file, None).unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl.lock"]);
    assert!(lock.is_ours().unwrap());
    drop(lock);
    assert_eq!(names_in(directory.path()), [""; 0]);
}

#[test]
fn the_lock_file_says_who_holds_it_and_names_the_temp_file() {
    let (_directory, file) = file();
    let temp = temp_name();
    let _lock = once().lock_naming(&temp, &file, None).unwrap();
    let record: Value = serde_json::from_slice(&std::fs::read(lock_of(&file)).unwrap()).unwrap();
    assert_eq!(record["program"], "mcp-memory");
    assert_eq!(record["pid"], std::process::id());
    assert_eq!(record["temp"], temp);
    for text in ["host", "boot"] {
        assert!(!record[text].as_str().unwrap().is_empty(), "{record}");
    }
    assert!(record["time"].is_u64(), "{record}");
}

#[test]
fn a_panic_gives_the_lock_back() {
    let (directory, file) = file();
    let result = std::panic::catch_unwind(|| {
        let _lock = once().lock(&file, None).unwrap();
        std::panic::resume_unwind(Box::new("a panic under the lock"));
    });
    assert!(result.is_err());
    assert_eq!(names_in(directory.path()), [""; 0]);
}

#[test]
fn a_wait_in_vain_says_who_holds_the_lock_and_that_nothing_was_written() {
    let (_directory, file) = file();
    std::fs::write(&file, "old").unwrap();
    let other = Other::holding(&file);
    let text = once().write(&file, b"new").err().unwrap().to_string();
    for part in [
        lock_of(&file).display().to_string(),
        format!("mcp-memory, process {} on host ", other.pid()),
        "nothing was written".to_owned(),
    ] {
        assert!(text.contains(&part), "{part:?} is not in {text:?}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
}

#[test]
fn a_waiter_gets_the_lock_when_it_is_given_back_and_not_before() {
    let (_directory, file) = file();
    let lock = once().lock(&file, None).unwrap();
    let disk = Scripted::recording(RealDisk);
    let released = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _lock = Writer::on(disk.clone())
                .patient()
                .lock(&file, None)
                .unwrap();
            assert!(released.load(Ordering::SeqCst));
        });
        let looks = |steps: Vec<String>| {
            let looks = steps
                .iter()
                .filter(|step| *step == "open memory.jsonl.lock");
            looks.count()
        };
        eventually("it waits", || looks(disk.steps()) > 2);
        released.store(true, Ordering::SeqCst);
        drop(lock);
    });
}

#[test]
fn a_killed_holder_is_dead_at_once_and_its_temp_file_goes() {
    let (directory, file) = file();
    let mut other = Other::holding(&file);
    assert_eq!(other.ask("stage half of it"), "staged");
    other.kill();
    assert_eq!(
        names_in(directory.path()).len(),
        2,
        "a lock and a temp file"
    );
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_suspended_holder_is_alive_however_old_its_lock() {
    let (_directory, file) = file();
    let mut other = Other::holding(&file);
    signal(other.pid(), "STOP");
    make_old(&lock_of(&file));
    let error = once().write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    signal(other.pid(), "CONT");
    assert_eq!(other.ask("ours"), "true");
}

#[test]
fn a_holder_whose_lock_was_removed_meanwhile_knows_it_and_leaves_the_next_ones_alone() {
    let (_directory, file) = file();
    let mut other = Other::holding(&file);
    signal(other.pid(), "STOP");
    // What a program does that goes by age only.
    std::fs::remove_file(lock_of(&file)).unwrap();
    let lock = once().lock(&file, None).unwrap();
    signal(other.pid(), "CONT");
    assert_eq!(other.ask("ours"), "false");
    assert_eq!(other.ask("release"), "released");
    assert!(lock.is_ours().unwrap());
}

#[test]
fn a_held_lock_is_refreshed() {
    let (_directory, file) = file();
    let mut writer = once();
    writer.timing.refresh = Duration::from_millis(5);
    let lock = writer.lock(&file, None).unwrap();
    make_old(&lock_of(&file));
    let old = RealDisk.identity(&lock_of(&file)).unwrap().unwrap();
    for _ in 0..2 {
        eventually("the lock is refreshed", || {
            let now = RealDisk.identity(&lock_of(&file)).unwrap().unwrap();
            now.modified > old.modified
        });
        make_old(&lock_of(&file));
    }
    assert!(lock.is_ours().unwrap());
}

#[test]
fn ten_waiters_on_one_dead_lock_all_get_through_and_one_breaks_it() {
    let (directory, file) = file();
    Other::holding(&file).kill();
    let disk = Scripted::recording(RealDisk);
    let inside = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let lock = Writer::on(disk.clone())
                    .patient()
                    .lock(&file, None)
                    .unwrap();
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                std::thread::yield_now();
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(lock);
            });
        }
    });
    let steps = disk.steps();
    let count = |step: &str| steps.iter().filter(|done| *done == step).count();
    // One name is gone for each of the ten, and one for the dead.
    assert_eq!(count("remove memory.jsonl.lock"), 11);
    assert_eq!(names_in(directory.path()), [""; 0]);
}

/// Whoever broke a lock and was killed before it removed its guard leaves
/// nothing else, so that no dead lock leads to it.
#[test]
fn a_dead_guard_without_a_lock_goes_with_the_next_write() {
    let (directory, file) = file();
    let guard = PathBuf::from(format!("{}.break", lock_of(&file).display()));
    Other::holding(&file).kill();
    std::fs::rename(lock_of(&file), &guard).unwrap();
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn the_lock_that_came_meanwhile_is_not_taken_for_the_dead_one() {
    let (_directory, file) = file();
    Other::holding(&file).kill();
    // Between judging the dead lock and removing it, somebody else does so and
    // takes the lock.
    let lock = lock_of(&file);
    let disk = Scripted::new(RealDisk, move |_, step| {
        if step == "link memory.jsonl.lock.break" {
            std::fs::remove_file(&lock).unwrap();
            std::fs::write(&lock, "theirs").unwrap();
        }
        None
    });
    let error = Writer::on(disk).write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert_eq!(std::fs::read(lock_of(&file)).unwrap(), b"theirs");
}

#[test]
fn a_lock_is_broken_under_a_guard_of_the_breakers_own() {
    let (directory, file) = file();
    Other::holding(&file).kill();
    let guards = Arc::new(Mutex::new(Vec::new()));
    let guard = PathBuf::from(format!("{}.break", lock_of(&file).display()));
    let disk = Scripted::new(RealDisk, {
        let guards = Arc::clone(&guards);
        move |_, step| {
            if step == "remove memory.jsonl.lock" {
                let record = std::fs::read(&guard).ok();
                let record = record.map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap());
                guards.lock().unwrap().push(record);
            }
            None
        }
    });
    Writer::on(disk).write(&file, b"new").unwrap();
    let guards = guards.lock().unwrap();
    // The first removal breaks, the second gives back.
    let [Some(guard), None] = guards.as_slice() else {
        panic!("{guards:?}");
    };
    assert_eq!(guard["pid"], std::process::id());
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_lock_under_a_dead_guard_is_broken() {
    let (directory, file) = file();
    let guard = PathBuf::from(format!("{}.break", lock_of(&file).display()));
    Other::holding(&file).kill();
    std::fs::copy(lock_of(&file), &guard).unwrap();
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);

    Other::holding(&file).kill();
    std::fs::write(&guard, "").unwrap();
    make_old(&guard);
    once().write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_fresh_guard_of_another_program_keeps_a_dead_lock_from_being_broken() {
    let (_directory, file) = file();
    let guard = PathBuf::from(format!("{}.break", lock_of(&file).display()));
    Other::holding(&file).kill();
    std::fs::write(&guard, "").unwrap();
    let error = once().write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(guard.exists());
}

#[test]
fn a_lock_of_another_host_or_boot_is_held_as_long_as_it_is_fresh() {
    let (_directory, file) = file();
    for field in ["host", "boot"] {
        Other::holding(&file).kill();
        let record = std::fs::read(lock_of(&file)).unwrap();
        let mut record: Value = serde_json::from_slice(&record).unwrap();
        record[field] = "another".into();
        std::fs::write(lock_of(&file), format!("{record}\n")).unwrap();
        let error = once().write(&file, b"new").err().unwrap();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
        make_old(&lock_of(&file));
        once().write(&file, b"new").unwrap();
    }
}

#[test]
fn without_advisory_locks_age_decides() {
    let unlocked =
        || Scripted::failing_always(RealDisk, "try_lock", std::io::ErrorKind::Unsupported);
    let (directory, file) = file();
    let lock = Writer::on(unlocked()).lock(&file, None).unwrap();
    // Neither on such a disk nor on one that has them is it taken for dead.
    for writer in [Writer::on(unlocked()), once()] {
        let error = writer.write(&file, b"new").err().unwrap();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    }
    make_old(&lock_of(&file));
    Writer::on(unlocked()).write(&file, b"new").unwrap();
    assert!(!lock.is_ours().unwrap());
    drop(lock);
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn without_hard_links_the_lock_still_excludes_and_goes_when_its_holder_dies() {
    let linkless = || Scripted::failing_always(RealDisk, "link", std::io::ErrorKind::Unsupported);
    let (directory, file) = file();
    let lock = Writer::on(linkless()).lock(&file, None).unwrap();
    for writer in [Writer::on(linkless()), once()] {
        let error = writer.write(&file, b"new").err().unwrap();
        assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    }
    drop(lock);
    Other::holding(&file).kill();
    Writer::on(linkless()).write(&file, b"new").unwrap();
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn an_empty_lock_is_being_written_for_a_moment_where_it_cannot_appear_whole() {
    let linkless = || Scripted::failing_always(RealDisk, "link", std::io::ErrorKind::Unsupported);
    let (_directory, file) = file();
    std::fs::write(lock_of(&file), "").unwrap();
    let mut writer = Writer::on(linkless());
    let error = writer.write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    writer.timing.empty = Duration::ZERO;
    writer.write(&file, b"new").unwrap();

    // Where it can, some other program made it, and may hold it longer.
    std::fs::write(lock_of(&file), "").unwrap();
    let mut writer = once();
    writer.timing.empty = Duration::ZERO;
    let error = writer.write(&file, b"new").err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
}

#[test]
fn a_signal_ends_the_wait() {
    let (_directory, file) = file();
    let _other = Other::holding(&file);
    let mut writer = once().patient();
    let ending = Ending::default();
    writer.patience = ending.patience();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| writer.write(&file, b"new").err().unwrap());
        ending.stop();
        let error = waiter.join().unwrap();
        assert!(matches!(error, StoreError::ShuttingDown), "{error}");
    });
    assert!(!file.exists());
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let (directory, file) = file();
    let mut others: Vec<Other> = (0..4).map(|_| Other::start(&file)).collect();
    for other in &mut others {
        other.tell("count 50");
    }
    let mut writer = once().patient();
    writer.fsync = false;
    for _ in 0..50 {
        writer.update(&file, one_more).unwrap();
    }
    for other in &mut others {
        assert_eq!(other.answer(), "counted");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"250");
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

/// Two minutes before now, which is longer than a lock lives unrefreshed.
fn make_old(path: &Path) {
    let time = std::time::SystemTime::now() - Duration::from_secs(120);
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}
