//! `FILE.lock` (docs/behaviour.md, "Several processes, one file"), on the real
//! disk: who gets it, who loses it, and what is left behind.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_memory::store::disk::{Disk, RealDisk};
use mcp_memory::store::lock::{Claim, Lock, LockTiming};
use mcp_memory::store::replace::temp_name;
use mcp_memory::store::{Ending, StoreError};

fn acquire(target: &Path, limit: Duration, timing: LockTiming) -> Result<Lock, StoreError> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    Lock::acquire(
        &disk,
        &Claim {
            target,
            link: None,
            temp_name: &temp_name(),
            limit: Instant::now() + limit,
            ending: &Ending::default(),
            fsync: true,
            timing,
        },
    )
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_held_lock_is_one_file_and_a_released_one_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("memory.jsonl");
    let lock = acquire(&target, Duration::ZERO, LockTiming::default()).unwrap();
    assert_eq!(files(directory.path()), ["memory.jsonl.lock"]);
    assert!(lock.is_ours().unwrap());
    drop(lock);
    assert_eq!(files(directory.path()), [""; 0]);
}
