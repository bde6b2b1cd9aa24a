//! The lock and the replacement on file systems that run as a program (FUSE)
//! and keep fewer promises than a local disk (docs/behaviour.md, "Writing" and
//! "Several processes, one file"). What they do is played in
//! [`odd_disks`](super::odd_disks) and in `writing::gap`; here they do it.

#![cfg(target_os = "linux")]

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mcp_memory::store::RealDisk;
use mcp_memory::store::disk::Disk as _;

use super::other::{Other, one_more};
use crate::support::files::{lock_of, names_in};
use crate::support::session::eventually;
use crate::support::writing::Writer;

/// A directory that can be seen in two ways: as it is, and through a program.
struct Mounted {
    /// The directory, and where it is mounted.
    home: tempfile::TempDir,
}

impl Mounted {
    #[track_caller]
    fn by(program: &str) -> Mounted {
        let home = tempfile::tempdir().unwrap();
        let mounted = Mounted { home };
        for directory in [mounted.directory(), mounted.point()] {
            std::fs::create_dir(directory).unwrap();
        }
        let mut command = Command::new(program);
        command.args([mounted.directory(), mounted.point()]);
        assert!(command.status().unwrap().success(), "{program} mounts");
        let device = |path: &Path| RealDisk.identity(path).unwrap().map(|it| it.device);
        eventually("it is mounted", || {
            device(&mounted.point()) != device(mounted.home.path())
        });
        mounted
    }

    fn directory(&self) -> PathBuf {
        self.home.path().join("directory")
    }

    fn point(&self) -> PathBuf {
        self.home.path().join("point")
    }

    /// The memory file, as the program shows it.
    fn file(&self) -> PathBuf {
        self.point().join("memory.jsonl")
    }

    /// The memory file as it is.
    fn real_file(&self) -> PathBuf {
        self.directory().join("memory.jsonl")
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily, since a failed test may still have files open.
        let _ = Command::new("umount").arg("-l").arg(self.point()).status();
    }
}

fn patient() -> Writer {
    let mut writer = Writer::on(RealDisk).patient();
    writer.fsync = false;
    writer
}

/// The kernel passes the close of a file on when it has time. A program that
/// still sees the file open hides it until then.
#[track_caller]
fn only_the_file_is_left(mounted: &Mounted) {
    eventually("only the memory file is left", || {
        names_in(&mounted.directory()) == ["memory.jsonl"]
    });
}

/// With the old file open, the rename is two: that file is moved aside first.
#[track_caller]
fn check_that_there_always_is_a_file(program: &str) {
    let mounted = Mounted::by(program);
    let (file, real) = (mounted.file(), mounted.real_file());
    patient().write(&file, b"0").unwrap();
    let (is_over, missing) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                if let Err(error) = std::fs::metadata(&real) {
                    assert_eq!(error.kind(), io::ErrorKind::NotFound);
                    missing.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        for _ in 0..50 {
            Writer::on(RealDisk).update(&file, one_more).unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(missing.load(Ordering::SeqCst), 0, "looks that found none");
    only_the_file_is_left(&mounted);
}

/// Neither way shows the advisory locks of the other.
#[track_caller]
fn check_that_both_ways_lose_nothing(program: &str) {
    let mounted = Mounted::by(program);
    let mut others =
        [mounted.file(), mounted.file(), mounted.real_file()].map(|file| Other::start(&file));
    for other in &mut others {
        other.tell("count 30");
    }
    for _ in 0..30 {
        patient().update(&mounted.real_file(), one_more).unwrap();
    }
    for other in &mut others {
        assert_eq!(other.answer(), "counted");
    }
    // Read below the mount, where no size is remembered from before.
    assert_eq!(std::fs::read(mounted.real_file()).unwrap(), b"120");
    only_the_file_is_left(&mounted);
}

#[track_caller]
fn check_that_a_killed_holder_is_dead_at_once(program: &str) {
    let mounted = Mounted::by(program);
    let file = mounted.file();
    Other::holding(&file).kill();
    assert!(lock_of(&file).exists());
    Writer::on(RealDisk).write(&file, b"new").unwrap();
    only_the_file_is_left(&mounted);
}

#[test]
#[ignore = "needs bindfs"]
fn bindfs_replaces_in_one_step() {
    check_that_there_always_is_a_file("bindfs");
}

#[test]
#[ignore = "needs bindfs"]
fn bindfs_and_the_directory_under_it_lose_nothing_of_each_other() {
    check_that_both_ways_lose_nothing("bindfs");
}

#[test]
#[ignore = "needs bindfs"]
fn a_killed_holder_on_bindfs_is_dead_at_once() {
    check_that_a_killed_holder_is_dead_at_once("bindfs");
}

/// It numbers a file by its path, so a lock file's two names are two files.
#[test]
#[ignore = "needs mergerfs"]
fn mergerfs_replaces_in_one_step() {
    check_that_there_always_is_a_file("mergerfs");
}

#[test]
#[ignore = "needs mergerfs"]
fn mergerfs_and_the_directory_under_it_lose_nothing_of_each_other() {
    check_that_both_ways_lose_nothing("mergerfs");
}

#[test]
#[ignore = "needs mergerfs"]
fn a_killed_holder_on_mergerfs_is_dead_at_once() {
    check_that_a_killed_holder_is_dead_at_once("mergerfs");
}
