//! File systems on which a rename over an open file is two steps, with no file
//! between them (docs/behaviour.md, "Writing"): a crash there loses nothing,
//! and nobody takes the missing file for an empty memory.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_memory::store::RealDisk;
use serde_json::Value;

use crate::sharing::other::Other;
use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_beside, names_in};
use crate::support::store::{Store, wait};
use crate::support::tools::ADA;
use crate::support::writing::Writer;

fn file() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, ADA).unwrap();
    (directory, file)
}

fn record_of(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(lock_of(file)).unwrap()).unwrap()
}

/// A disk that first moves an open file out of a rename's way, as the network's
/// do: for a moment there is no file.
fn two_steps() -> Scripted {
    Scripted::failing_always(RealDisk, "may_be_open", std::io::ErrorKind::Unsupported)
}

#[track_caller]
fn position(steps: &[String], wanted: &str) -> usize {
    let found = steps.iter().rposition(|step| step == wanted);
    found.unwrap_or_else(|| panic!("no {wanted:?} in {steps:#?}"))
}

#[test]
fn the_old_file_is_closed_before_the_rename_where_that_would_be_two_steps() {
    let (_directory, file) = file();
    let disk = two_steps();
    drop(Writer::on(disk.clone()).write(&file, b"new").unwrap());
    let steps = disk.steps();
    assert!(
        position(&steps, "close memory.jsonl") < position(&steps, "rename TEMP memory.jsonl"),
        "{steps:#?}"
    );
}

#[test]
fn on_a_local_disk_the_old_file_outlives_the_rename() {
    let (_directory, file) = file();
    let disk = Scripted::recording(RealDisk);
    let published = Writer::on(disk.clone()).write(&file, b"new").unwrap();
    if published.replaced.is_none() {
        eprintln!("skipped: the directory of temporary files is on no local disk");
        return;
    }
    drop(published);
    let steps = disk.steps();
    assert!(
        position(&steps, "rename TEMP memory.jsonl") < position(&steps, "close memory.jsonl"),
        "{steps:#?}"
    );
}

#[test]
fn before_the_rename_the_lock_says_durably_that_the_temp_file_is_complete() {
    let (_directory, file) = file();
    let said = Arc::new(Mutex::new(None));
    let disk = Scripted::new(RealDisk, {
        let (file, said) = (file.clone(), Arc::clone(&said));
        move |_, step| {
            if step == "rename TEMP memory.jsonl" {
                *said.lock().unwrap() = Some(record_of(&file));
            }
            step.starts_with("may_be_open")
                .then(|| std::io::ErrorKind::Unsupported.into())
        }
    });
    Writer::on(disk.clone()).write(&file, b"new").unwrap();
    let said = said.lock().unwrap().clone().unwrap();
    assert_eq!(said["ready"], true, "{said}");
    let steps = disk.steps();
    let order = [
        "sync TEMP",
        "write_over hidden",
        "sync hidden",
        "rename TEMP memory.jsonl",
    ];
    let order = order.map(|step| position(&steps, step));
    assert!(order.is_sorted(), "{steps:#?}");
}

/// A writer was killed; its temp file holds `new`, its record says this of it,
/// and there is no memory file.
fn killed_in_the_gap(file: &Path, ready: Option<bool>) {
    let mut other = Other::holding(file);
    assert_eq!(other.ask("stage new"), "staged");
    other.kill();
    let mut record = record_of(file);
    let fields = record.as_object_mut().unwrap();
    match ready {
        Some(ready) => fields.insert("ready".to_owned(), ready.into()),
        None => fields.remove("ready"),
    };
    std::fs::write(lock_of(file), format!("{record}\n")).unwrap();
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_complete_temp_file_of_a_dead_writer_takes_the_place_of_a_missing_memory() {
    let (directory, file) = file();
    killed_in_the_gap(&file, Some(true));
    let before = Mutex::new(Vec::new());
    Writer::on(RealDisk)
        .update(&file, |old| {
            before.lock().unwrap().clone_from(&old);
            [&old[..], b" and newer"].concat()
        })
        .unwrap();
    assert_eq!(*before.lock().unwrap(), b"new");
    assert_eq!(std::fs::read(&file).unwrap(), b"new and newer");
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn an_incomplete_one_is_removed_and_one_that_nothing_is_known_of_stays() {
    let (directory, file) = file();
    killed_in_the_gap(&file, Some(false));
    Writer::on(RealDisk).lock(&file, None).unwrap();
    assert_eq!(names_in(directory.path()), [""; 0]);

    // An earlier version did not say.
    std::fs::write(&file, ADA).unwrap();
    killed_in_the_gap(&file, None);
    Writer::on(RealDisk).lock(&file, None).unwrap();
    let [left] = &names_in(directory.path())[..] else {
        panic!("{:?}", names_in(directory.path()));
    };
    assert_eq!(std::fs::read(directory.path().join(left)).unwrap(), b"new");
}

#[test]
fn a_temp_file_never_replaces_a_memory_that_is_there() {
    let (directory, file) = file();
    killed_in_the_gap(&file, Some(true));
    std::fs::write(&file, ADA).unwrap();
    drop(Writer::on(RealDisk).lock(&file, None).unwrap());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ADA);
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

/// The file is moved away at the step that begins like this, for the first
/// time, and back at the third read from then on.
fn gone_at(file: &Path, moment: &'static str) -> Scripted {
    let (file, away) = (file.to_owned(), file.with_extension("away"));
    let (moments, reads) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Scripted::new(RealDisk, move |_, step| {
        if step == moment && moments.fetch_add(1, Ordering::SeqCst) == 0 {
            std::fs::rename(&file, &away).unwrap();
        }
        if step == "read memory.jsonl" && away.exists() && reads.fetch_add(1, Ordering::SeqCst) == 2
        {
            std::fs::rename(&away, &file).unwrap();
        }
        None
    })
}

#[test]
fn a_file_that_is_missing_for_a_moment_is_no_empty_memory() {
    // When the lock is taken; and right before the rename.
    for moment in ["link memory.jsonl.lock", "open_directory"] {
        let (directory, file) = file();
        let disk = gone_at(&file, moment);
        let store = Store::inside(directory, disk, |options| {
            options.fsync = true;
            options.lock_timing.longest_pause = Duration::from_millis(1);
        });
        assert_eq!(wait(store.names()).unwrap(), ["Ada"]);
        assert!(wait(store.create("Bo")).unwrap());
        let stored = std::fs::read_to_string(&file).unwrap();
        assert!(stored.starts_with(ADA), "{moment}: {stored}");
        assert!(stored.contains("\"Bo\""), "{moment}: {stored}");
        assert_eq!(names_beside(&file), [""; 0], "{moment}");
    }
}
