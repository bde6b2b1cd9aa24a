//! Servers whose memory file others use, too (docs/behaviour.md, "Several
//! processes, one file"): the lock as a client sees it. What the lock itself
//! does is in [`locks`](super::locks) and [`foreign_locks`](super::foreign_locks).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_memory::store::RealDisk;

use super::other::Other;
use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_beside, names_in};
use crate::support::session::Session;
use crate::support::store::{Store, wait};
use crate::support::tools::{ADA, create, fail_to_create, names};

const BO: &str = "{\"type\":\"entity\",\"name\":\"Bo\",\"entityType\":\"t\",\"observations\":[]}\n";

#[test]
fn reads_take_no_lock_and_a_write_that_waited_in_vain_says_for_whom() {
    let mut session = Session::start_with(|server| {
        server.args(["--lock-timeout", "0.1"]);
    });
    let file = session.file().to_path_buf();
    create(&mut session, "Ada");
    let mut other = Other::holding(&file);
    assert_eq!(names(&mut session), ["Ada"]);
    let text = fail_to_create(&mut session, "Bo");
    for part in [
        lock_of(&file).display().to_string(),
        format!("mcp-memory, process {}", other.pid()),
        "nothing was written".to_owned(),
    ] {
        assert!(text.contains(&part), "{part:?} is not in {text:?}");
    }
    assert_eq!(names(&mut session), ["Ada"]);
    assert_eq!(other.ask("release"), "released");
    create(&mut session, "Bo");
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
}

#[test]
fn a_write_after_a_killed_writer_does_not_wait_and_cleans_up() {
    let mut session = Session::start_with(|server| {
        server.args(["--lock-timeout", "0"]);
    });
    let file = session.file().to_path_buf();
    create(&mut session, "Ada");
    let mut other = Other::holding(&file);
    assert_eq!(other.ask("stage half"), "staged");
    other.kill();
    create(&mut session, "Bo");
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
    assert_eq!(names_in(file.parent().unwrap()), ["memory.jsonl"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_server_holds_nothing() {
    let mut session = Session::holding(ADA);
    create(&mut session, "Bo");
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
    let directory = session.file().parent().unwrap().to_path_buf();
    assert_eq!(names_in(&directory), ["memory.jsonl"]);
    let descriptors = format!("/proc/{}/fd", session.pid());
    // The replaced file is closed by a thread that nobody waits for.
    crate::support::session::eventually("nothing is open", || {
        let mut open = std::fs::read_dir(&descriptors)
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
        !open.any(|path| path.starts_with(&directory))
    });
}

#[test]
#[cfg_attr(
    windows,
    ignore = "needs files that lose their name while they are open"
)]
fn a_write_whose_lock_was_taken_for_dead_meanwhile_starts_over() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, ADA).unwrap();
    let lock = lock_of(&file);
    // We sleep for long while the temp file is written. Another program finds
    // the lock too old, takes its place, and is still at it when we wake up;
    // the memory file itself looks as before. It is done a few looks later.
    // Looks since the lock was taken for dead; none before.
    let looks = Arc::new(Mutex::new(None));
    let disk = Scripted::new(RealDisk, {
        let (file, lock, looks) = (file.clone(), lock.clone(), Arc::clone(&looks));
        let taken = directory.path().join("taken");
        move |_, step| {
            let mut looks = looks.lock().unwrap();
            match (step, &mut *looks) {
                ("sync TEMP", None) => {
                    // Where a removed file keeps its name while it is open,
                    // only a renamed one gives it free.
                    std::fs::rename(&lock, &taken).unwrap();
                    std::fs::write(&lock, "").unwrap();
                    *looks = Some(0);
                }
                ("open memory.jsonl.lock", Some(looks)) => {
                    *looks += 1;
                    if *looks != 4 {
                        return None;
                    }
                    std::fs::write(&file, format!("{ADA}{BO}")).unwrap();
                    std::fs::remove_file(&lock).unwrap();
                }
                _ => {}
            }
            None
        }
    });
    let store = Store::inside(directory, disk.clone(), |options| {
        options.fsync = true;
        options.lock_timing.longest_pause = Duration::from_millis(1);
    });
    assert!(wait(store.create("Cy")).unwrap());
    assert!(
        looks.lock().unwrap().is_some_and(|looks| looks > 3),
        "it waited for the other one"
    );
    let steps = disk.steps();
    let renames = steps.iter().filter(|step| step.starts_with("rename"));
    assert_eq!(
        renames.count(),
        1,
        "what was staged under the lost lock is dropped"
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, format!("{ADA}{BO}{}", BO.replace("Bo", "Cy")));
    // The lock that was taken away is the other program's to remove.
    assert_eq!(names_beside(&file), ["taken"]);
}
