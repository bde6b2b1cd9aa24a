//! Every step of a write fails once (docs/behaviour.md, "Writing"): the file is
//! the old one or the new one, whole, the error says which, nothing is left
//! lying about, and the next write works.

use std::path::Path;
use std::time::Duration;

use mcp_memory::store::{Disk, RealDisk};
use serde_json::Value;

use crate::support::disks::{Coarse, INPUT_OUTPUT, NO_PERMISSION, NO_SPACE, Scripted};
use crate::support::files::names_in;
use crate::support::store::{Store, wait};
use crate::support::tools::ADA;
use crate::support::writing::Writer;

/// More than a few writes take, so that a loop over the steps ends.
const STEPS: usize = 500;

const OLD: &[u8] = b"the old file\n";
const NEW: &[u8] = b"the new file, longer\n";

/// A directory with the old file in it, when there is one.
fn directory(old: Option<&[u8]>) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    if let Some(bytes) = old {
        std::fs::write(directory.path().join("memory.jsonl"), bytes).unwrap();
    }
    directory
}

/// Fails each step of a write in turn, until there is none left to fail.
#[track_caller]
fn check_every_step(name: &str, old: Option<&[u8]>, error: i32) {
    check_every_step_on(&RealDisk, name, old, error);
}

#[track_caller]
fn check_every_step_on(disk: &(impl Disk + Clone), name: &str, old: Option<&[u8]>, error: i32) {
    let mut failed_steps = Vec::new();
    for number in 0.. {
        assert!(number < STEPS, "a write has no end: {failed_steps:?}");
        let directory = directory(old);
        let path = directory.path().join(name);
        let disk = Scripted::failing_at(disk.clone(), number, error);
        let result = Writer::on(disk.clone()).write(&path, NEW);
        let Some(step) = disk.failed() else {
            result.unwrap();
            break;
        };
        let found = std::fs::read(&path).ok();
        let changed = match &result {
            Ok(_) => true,
            Err(error) => error.file_changed(),
        };
        let wanted = if changed { Some(NEW) } else { old };
        assert_eq!(found.as_deref(), wanted, "step {number}, {step}");

        if let Err(error) = result {
            let text = error.to_string();
            let place = directory.path().display().to_string();
            assert!(text.contains(&place), "{step}: {text}");
            let says = if changed {
                "the change is in the file, but it may not survive a power cut"
            } else {
                "nothing was written"
            };
            assert!(text.contains(says), "{step}: {text}");
            failed_steps.push(step.clone());
        }
        // Cleaning up can fail, too. Then the next write does it.
        let cleaning = step.starts_with("remove ") || step == "identity_of_name memory.jsonl.lock";
        let parent = path.parent().unwrap();
        let left = if parent.exists() {
            names_in(parent)
        } else {
            Vec::new()
        };
        let strange: Vec<&String> = left
            .iter()
            .filter(|name| name.contains(".lock") || name.contains(".tmp"))
            .collect();
        assert!(cleaning || strange.is_empty(), "{step} leaves {strange:?}");

        Writer::on(RealDisk).write(&path, b"next").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"next", "after {step}");
        assert_eq!(names_in(parent), ["memory.jsonl"]);
    }
    for step in [
        "write hidden",
        "create TEMP",
        "write TEMP",
        "sync TEMP",
        "open_directory",
        "rename TEMP memory.jsonl",
        "sync_directory",
    ] {
        assert!(
            failed_steps.iter().any(|failed| failed == step),
            "{step} did not fail, or its failure was not reported: {failed_steps:#?}"
        );
    }
}

#[test]
fn no_space_at_any_step_leaves_the_old_file_or_the_new_one() {
    check_every_step("memory.jsonl", Some(OLD), NO_SPACE);
}

#[test]
fn no_permission_at_any_step_leaves_the_old_file_or_the_new_one() {
    check_every_step("memory.jsonl", Some(OLD), NO_PERMISSION);
}

#[test]
fn an_io_error_at_any_step_leaves_the_old_file_or_the_new_one() {
    check_every_step("memory.jsonl", Some(OLD), INPUT_OUTPUT);
}

#[test]
fn a_failure_at_any_step_of_the_first_write_leaves_no_file_or_a_whole_one() {
    check_every_step("memory.jsonl", None, INPUT_OUTPUT);
}

/// A disk without hard links, on which an open file is replaced in two steps.
#[test]
fn a_failure_at_any_step_on_an_odd_disk_leaves_the_old_file_or_the_new_one() {
    let odd = Scripted::new(RealDisk, |_, step| {
        let is_odd = step.starts_with("link ") || step.starts_with("may_be_open");
        is_odd.then(|| std::io::ErrorKind::Unsupported.into())
    });
    for error in [INPUT_OUTPUT, NO_SPACE] {
        check_every_step_on(&odd, "memory.jsonl", Some(OLD), error);
    }
}

#[test]
fn a_failure_while_directories_are_made_leaves_no_file_or_a_whole_one() {
    check_every_step("some/where/memory.jsonl", None, INPUT_OUTPUT);
}

/// The same through the whole store, which also reads, and believes what it
/// has in memory: whatever fails, memory and file agree afterwards.
#[test]
fn after_a_failure_at_any_step_memory_and_file_agree() {
    for number in 0.. {
        assert!(number < STEPS, "writes have no end");
        let disk = Scripted::failing_at(RealDisk, number, INPUT_OUTPUT);
        let store = Store::with(ADA, disk.clone(), |options| {
            options.fsync = true;
            options.lock_timeout = Duration::ZERO;
        });
        let mut stored = vec!["Ada"];
        for name in ["Bo", "Cy", "Dee"] {
            match wait(store.create(name)) {
                Ok(is_new) => {
                    assert!(is_new);
                    stored.push(name);
                }
                Err(error) if error.file_changed() => stored.push(name),
                Err(error) => assert!(error.to_string().contains("nothing was"), "{error}"),
            }
            let step = disk.failed();
            assert_eq!(names_in_file(&store.file), stored, "{step:?}");
            match wait(store.names()) {
                Ok(names) => assert_eq!(names, stored, "{step:?}"),
                Err(error) => assert!(error.to_string().contains("memory.jsonl"), "{error}"),
            }
        }
        // One step failed, so one call did at most.
        assert!(stored.len() >= 3, "{:?}: {stored:?}", disk.failed());
        if disk.failed().is_none() {
            return;
        }
    }
}

fn names_in_file(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let names = records.map(|record| record["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
#[cfg_attr(windows, ignore = "needs hard links to open files")]
fn the_steps_come_in_the_order_that_makes_them_safe() {
    let directory = directory(Some(OLD));
    let disk = Scripted::recording(RealDisk);
    let path = directory.path().join("memory.jsonl");
    Writer::on(disk.clone()).write(&path, NEW).unwrap();
    let only_looks = [
        "open ",
        "identity",
        "look_at",
        "read",
        "attributes",
        "may_be_open",
        "close",
    ];
    let steps: Vec<String> = disk
        .steps()
        .into_iter()
        .filter(|step| !only_looks.iter().any(|look| step.starts_with(look)))
        .collect();
    assert_eq!(
        steps,
        [
            "hide TEMP",
            "try_lock hidden",
            "write hidden",
            "link memory.jsonl.lock",
            // Others see the advisory lock.
            "try_lock memory.jsonl.lock",
            "write_over hidden",
            "create TEMP",
            "write TEMP",
            "set_mode TEMP",
            "set_modified TEMP",
            "sync TEMP",
            "open_directory",
            "rename TEMP memory.jsonl",
            "sync_directory",
            "remove memory.jsonl.lock",
        ]
    );
}

#[test]
fn with_fsync_never_nothing_is_synced() {
    let directory = directory(Some(OLD));
    let disk = Scripted::recording(RealDisk);
    let mut writer = Writer::on(disk.clone());
    writer.fsync = false;
    let path = directory.path().join("memory.jsonl");
    writer.write(&path, NEW).unwrap();
    let steps = disk.steps();
    let syncs: Vec<&String> = steps
        .iter()
        .filter(|step| step.starts_with("sync"))
        .collect();
    assert_eq!(syncs, [""; 0]);
}

#[test]
fn a_written_file_is_trusted_only_where_its_time_stamp_is_fine() {
    let directory = directory(Some(OLD));
    let path = directory.path().join("memory.jsonl");
    let published = Writer::on(RealDisk).write(&path, NEW).unwrap();
    assert!(published.trusted);
    let seen = RealDisk.identity(&path).unwrap();
    assert_eq!(seen, Some(published.identity), "it is what a look finds");

    let tick = Duration::from_secs(2);
    let coarse = Coarse {
        inner: RealDisk,
        tick,
        behind: Duration::ZERO,
    };
    assert!(!Writer::on(coarse).write(&path, NEW).unwrap().trusted);

    let rigid = Scripted::failing_always(
        RealDisk,
        "set_modified",
        std::io::ErrorKind::PermissionDenied,
    );
    let published = Writer::on(rigid).write(&path, NEW).unwrap();
    assert!(!published.trusted);
    assert_eq!(std::fs::read(&path).unwrap(), NEW);
}

#[test]
fn a_file_that_is_a_mount_of_its_own_is_an_error_that_says_what_to_mount() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, "old").unwrap();
    let disk = Scripted::failing_always(RealDisk, "rename", std::io::ErrorKind::ResourceBusy);
    let error = Writer::on(disk).write(&file, b"new").err().unwrap();
    let text = error.to_string();
    assert!(text.contains("mount its directory instead"), "{text}");
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
}
