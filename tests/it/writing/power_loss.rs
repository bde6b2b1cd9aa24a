//! The power fails (docs/behaviour.md, "Writing"): whatever a write had done
//! by then, and whatever of it happened to reach the platters, the file is the
//! old one or the new one, whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::forgetting::{Forgetting, LUCK};
use crate::support::writing::Writer;

const FILE: &str = "/home/memory.jsonl";
const OLD: &[u8] = b"the old file\n";
const NEW: &[u8] = b"the new file, longer\n";

fn files(content: Option<&[u8]>) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::from([(PathBuf::from("/home/other"), Vec::new())]);
    if let Some(bytes) = content {
        files.insert(PathBuf::from(FILE), bytes.to_vec());
    }
    files
}

/// Cuts the power after every single operation of a write to `path`, and
/// looks at what every kind of luck leaves.
#[track_caller]
fn check_every_cut(path: &str, old: Option<&[u8]>) {
    let path = Path::new(path);
    let whole = Forgetting::with(&files(old));
    Writer::on(whole.clone()).write(path, NEW).unwrap();
    let operations = whole.operations();
    assert!(operations > 5, "a write is more than {operations} steps");

    for cut in 0..=operations {
        let disk = Forgetting::with(&files(old));
        disk.end_power_after(cut);
        let done = Writer::on(disk.clone()).write(path, NEW).is_ok();
        for luck in LUCK {
            let left = disk.after_power_cut(luck);
            let found = left.get(path).map(Vec::as_slice);
            assert!(
                found == Some(NEW) || (found == old && !done),
                "cut after {cut} of {operations}, {luck:?}, acknowledged: {done}: {found:?}"
            );
            // The machine is up again, with whatever lies about. It may be a
            // lock file that lost its record: that one is judged by its age.
            let again = Forgetting::with(&left);
            let mut writer = Writer::on(again.clone());
            writer.timing.stale = Duration::ZERO;
            writer.write(path, b"next").unwrap();
            let left = again.after_power_cut(LUCK[3]);
            assert_eq!(left.get(path).map(Vec::as_slice), Some(&b"next"[..]));
            let lock = left.keys().find(|name| {
                let name = name.to_string_lossy();
                name.contains(".lock")
            });
            assert_eq!(lock, None, "cut after {cut} of {operations}, {luck:?}");
        }
    }
}

#[test]
fn a_cut_at_any_point_leaves_the_old_file_or_the_new_one() {
    check_every_cut(FILE, Some(OLD));
}

#[test]
fn a_cut_at_any_point_leaves_no_file_or_the_whole_first_one() {
    check_every_cut(FILE, None);
}

#[test]
fn directories_that_had_to_be_made_survive_with_the_file() {
    check_every_cut("/home/some/where/memory.jsonl", None);
}

/// What the tests above would say if the syncs were forgotten.
#[test]
fn without_fsync_a_cut_can_tear_the_file() {
    let disk = Forgetting::with(&files(Some(OLD)));
    let mut writer = Writer::on(disk.clone());
    writer.fsync = false;
    writer.write(Path::new(FILE), NEW).unwrap();
    let found = LUCK.map(|luck| disk.after_power_cut(luck)[Path::new(FILE)].clone());
    assert_eq!(found, [OLD, b"", OLD, NEW].map(<[u8]>::to_vec));
}
