//! The queue, the shared write and the cache, on disks that do what a test
//! needs. What one call does to the file is in `format`, what a crash leaves in
//! `power_loss` and `faults`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_memory::store::memory::Answer;
use mcp_memory::store::{RealDisk, StoreError, Subscription};

use crate::support::disks::{Coarse, Scripted};
use crate::support::files::lock_of;
use crate::support::session::eventually;
use crate::support::store::{Store, wait};

fn line(name: &str) -> String {
    format!(
        "{{\"type\":\"entity\",\"name\":\"{name}\",\"entityType\":\"t\",\"observations\":[]}}\n"
    )
}

/// A disk that stops at the first step of this name until it is let go.
fn gated(step: &'static str) -> (Scripted, Receiver<()>, Sender<()>) {
    let (arrived, has_arrived) = channel();
    let (let_go, is_let_go) = channel::<()>();
    let gate = Mutex::new(Some((arrived, is_let_go)));
    let disk = Scripted::new(RealDisk, move |_, name| {
        if name.starts_with(step) {
            let gate = gate.lock().unwrap().take();
            if let Some((arrived, is_let_go)) = gate {
                arrived.send(()).unwrap();
                is_let_go.recv().unwrap();
            }
        }
        None
    });
    (disk, has_arrived, let_go)
}

#[test]
fn updates_that_wait_while_a_write_is_in_progress_share_the_next_one() {
    let (disk, has_arrived, let_go) = gated("rename");
    let store = Store::on(disk.clone());
    let first = store.create("0");
    has_arrived.recv().unwrap();
    let rest: Vec<_> = (1..200)
        .map(|number| store.create(&number.to_string()))
        .collect();
    let_go.send(()).unwrap();
    assert!(wait(first).unwrap());
    for answer in rest {
        assert!(wait(answer).unwrap());
    }
    let writes = disk.steps();
    let writes = writes.iter().filter(|step| step.starts_with("rename"));
    assert_eq!(writes.count(), 2);
    let all: String = (0..200).map(|number| line(&number.to_string())).collect();
    assert_eq!(std::fs::read_to_string(&store.file).unwrap(), all);
}

#[test]
fn every_update_of_a_shared_write_has_its_own_result_and_its_own_notification() {
    let (disk, has_arrived, let_go) = gated("rename");
    let store = Store::on(disk);
    let told = Told::of(&store);
    let first = store.create("A");
    has_arrived.recv().unwrap();
    let rest = ["B", "A", "C", "B"].map(|name| store.create(name));
    let_go.send(()).unwrap();
    assert!(wait(first).unwrap());
    assert_eq!(
        rest.map(|answer| wait(answer).unwrap()),
        [true, false, true, false]
    );
    assert_eq!(told.count.load(Ordering::SeqCst), 3);
}

#[test]
fn a_read_sees_the_updates_before_it_and_none_after_it() {
    let (disk, has_arrived, let_go) = gated("rename");
    let store = Store::on(disk);
    let first = store.create("A");
    has_arrived.recv().unwrap();
    let (between, second, after) = (store.names(), store.create("B"), store.names());
    let_go.send(()).unwrap();
    assert!(wait(first).unwrap() && wait(second).unwrap());
    assert_eq!(wait(between).unwrap(), ["A"]);
    assert_eq!(wait(after).unwrap(), ["A", "B"]);
}

#[test]
fn an_update_that_nobody_waits_for_any_more_is_dropped_before_its_write_begins() {
    let (disk, has_arrived, let_go) = gated("rename");
    let store = Store::on(disk);
    let in_progress = store.create("begun");
    has_arrived.recv().unwrap();
    drop(in_progress);
    drop(store.create("cancelled"));
    let_go.send(()).unwrap();
    assert_eq!(wait(store.names()).unwrap(), ["begun"]);
}

#[test]
fn an_update_that_changes_nothing_writes_nothing() {
    let disk = Scripted::recording(RealDisk);
    let store = Store::holding(&line("A"), disk.clone());
    assert!(!wait(store.create("A")).unwrap());
    let steps = disk.steps();
    assert!(!steps.iter().any(|step| step.starts_with("rename")));
}

#[test]
fn a_panic_in_one_update_spares_the_others_of_its_write() {
    let (disk, has_arrived, let_go) = gated("rename");
    let store = Store::on(disk);
    let first = store.create("A");
    has_arrived.recv().unwrap();
    let second = store.create("B");
    let broken: Answer<()> = store.memory.update(|graph| {
        graph.create_entity("half done", "t", &[]);
        panic!("on purpose");
    });
    let third = store.create("C");
    let_go.send(()).unwrap();
    assert!(
        [first, second, third]
            .into_iter()
            .all(|it| wait(it).unwrap())
    );
    assert!(matches!(*wait(broken).unwrap_err(), StoreError::Lost));
    assert_eq!(wait(store.names()).unwrap(), ["A", "B", "C"]);
}

#[test]
fn a_panic_in_a_read_spares_the_store() {
    let store = Store::on(RealDisk);
    let broken: Answer<()> = store.memory.read(|_| panic!("on purpose"));
    assert!(matches!(*wait(broken).unwrap_err(), StoreError::Lost));
    assert!(wait(store.create("A")).unwrap());
}

#[test]
fn a_change_between_reading_and_renaming_is_kept_and_the_update_applied_anew() {
    // The file is appended to when the temp file was written already.
    let appended = Arc::new(AtomicBool::new(false));
    let path = Arc::new(Mutex::new(PathBuf::new()));
    let disk = Scripted::new(RealDisk, {
        let (appended, path) = (Arc::clone(&appended), Arc::clone(&path));
        move |_, step| {
            if step.starts_with("write TEMP") && !appended.swap(true, Ordering::SeqCst) {
                append(&path.lock().unwrap(), &line("theirs"));
            }
            None
        }
    });
    let store = Store::holding(&line("A"), disk);
    path.lock().unwrap().clone_from(&store.file);
    assert!(wait(store.create("ours")).unwrap());
    assert!(appended.load(Ordering::SeqCst));
    assert_eq!(wait(store.names()).unwrap(), ["A", "theirs", "ours"]);
}

#[test]
fn a_change_from_outside_is_seen_although_the_clock_is_too_coarse_to_tell() {
    let disk = Coarse {
        inner: RealDisk,
        tick: Duration::from_secs(2),
        behind: Duration::ZERO,
    };
    let store = Store::holding("", disk);
    // Every rewrite has the same size and, but for one in two seconds, the
    // same time stamp as our own write before it.
    for name in ["B", "C", "D", "E"] {
        overwrite(&store.file, "");
        wait(store.create("A")).unwrap();
        assert_eq!(wait(store.names()).unwrap(), ["A"]);
        overwrite(&store.file, &line(name));
        assert_eq!(wait(store.names()).unwrap(), [name]);
    }
}

/// Its stamps look as if nothing had happened for long.
fn behind() -> Coarse<RealDisk> {
    Coarse {
        inner: RealDisk,
        tick: Duration::from_secs(2),
        behind: Duration::from_secs(10),
    }
}

#[test]
fn a_change_from_outside_is_not_overwritten_although_the_file_systems_clock_is_behind() {
    let store = Store::holding("", behind());
    // As above, the second change mostly has the stamp of the first.
    for name in ["B", "C", "D", "E"] {
        overwrite(&store.file, &line("A"));
        wait(store.names()).unwrap();
        overwrite(&store.file, &line(name));
        wait(store.create("ours")).unwrap();
        let text = std::fs::read_to_string(&store.file).unwrap();
        assert_eq!(text, line(name) + &line("ours"));
    }
}

#[test]
fn a_change_from_outside_is_seen_in_the_end_although_the_file_systems_clock_is_behind() {
    let store = Store::holding("", behind());
    overwrite(&store.file, &line("A"));
    wait(store.names()).unwrap();
    overwrite(&store.file, &line("B"));
    eventually("the change is seen", || {
        wait(store.names()).unwrap() == ["B"]
    });
}

#[test]
fn a_file_that_was_read_the_same_for_two_seconds_is_not_read_again() {
    let disk = Scripted::recording(RealDisk);
    let store = Store::holding(&line("A"), disk.clone());
    let reads = || {
        let steps = disk.steps();
        steps.iter().filter(|step| step.starts_with("read")).count()
    };
    eventually("it is believed", || {
        let before = reads();
        wait(store.names()).unwrap();
        reads() == before
    });
    // Also for a write, and at any later time.
    let before = reads();
    wait(store.create("A")).unwrap();
    assert_eq!(reads(), before);
}

#[test]
fn a_file_that_is_cut_off_to_be_rewritten_is_read_when_it_is_whole_again() {
    // The other program cuts the file off, and writes it when it was looked at
    // once.
    let path = Arc::new(Mutex::new(PathBuf::new()));
    let state = Arc::new(AtomicUsize::new(0));
    let disk = Scripted::new(RealDisk, {
        let (path, state) = (Arc::clone(&path), Arc::clone(&state));
        move |_, step| {
            let was_read = state.load(Ordering::SeqCst) == 2;
            if step.starts_with("read") && state.load(Ordering::SeqCst) == 1 {
                state.store(2, Ordering::SeqCst);
            } else if step.starts_with("identity") && was_read {
                state.store(3, Ordering::SeqCst);
                overwrite(&path.lock().unwrap(), &(line("A") + &line("C")));
            }
            None
        }
    });
    let store = Store::holding(&(line("A") + &line("B")), disk);
    path.lock().unwrap().clone_from(&store.file);
    assert_eq!(wait(store.names()).unwrap(), ["A", "B"]);
    overwrite(&store.file, "");
    state.store(1, Ordering::SeqCst);
    assert!(wait(store.create("ours")).unwrap());
    assert_eq!(state.load(Ordering::SeqCst), 3);
    assert_eq!(wait(store.names()).unwrap(), ["A", "C", "ours"]);
}

#[test]
fn a_file_that_stays_cut_off_is_believed() {
    let store = Store::holding(&(line("A") + &line("B")), RealDisk);
    assert_eq!(wait(store.names()).unwrap(), ["A", "B"]);
    overwrite(&store.file, &line("A"));
    assert_eq!(wait(store.names()).unwrap(), ["A"]);
}

#[test]
fn an_update_behind_one_that_waits_in_vain_waits_no_second_time() {
    let store = Store::waiting(Duration::from_secs(1), RealDisk);
    let lock = lock_of(&store.file);
    std::fs::write(&lock, "another program's").unwrap();
    let answers = [0, 1, 2, 3].map(|number| {
        // Each behind the one before, not in its write.
        let read = store.names();
        (store.create(&number.to_string()), read)
    });
    for (update, read) in answers {
        let error = wait(update).unwrap_err();
        let StoreError::Locked { waited, .. } = *error else {
            panic!("{error}");
        };
        // One after the other they would have waited for up to four seconds.
        assert!(waited < 3.0, "{error}");
        assert!(wait(read).unwrap().is_empty());
    }
}

#[test]
fn rewriting_in_place_with_the_same_size_is_always_seen() {
    let store = Store::holding(&line("000"), RealDisk);
    for number in 0..200 {
        let name = format!("{number:03}");
        overwrite(&store.file, &line(&name));
        assert_eq!(wait(store.names()).unwrap(), [name]);
    }
}

#[test]
fn rewriting_in_place_right_after_our_own_write_is_seen() {
    let store = Store::holding("", RealDisk);
    for number in 0..20 {
        let name = format!("{number:03}");
        assert!(wait(store.create(&name)).unwrap());
        overwrite(&store.file, &line("XXX"));
        assert_eq!(wait(store.names()).unwrap(), ["XXX"]);
        overwrite(&store.file, "");
    }
}

#[test]
fn what_was_cached_is_not_read_again() {
    let disk = Scripted::recording(RealDisk);
    let store = Store::holding(&line("A"), disk.clone());
    assert!(wait(store.create("B")).unwrap());
    let before = disk.steps().len();
    assert_eq!(wait(store.names()).unwrap(), ["A", "B"]);
    let steps = disk.steps().split_off(before);
    assert!(
        !steps.iter().any(|step| step.starts_with("read")),
        "{steps:?}"
    );
}

#[test]
fn a_stopped_store_begins_nothing_and_says_so() {
    let store = Store::on(RealDisk);
    store.ending.stop();
    assert!(matches!(
        *wait(store.create("A")).unwrap_err(),
        StoreError::ShuttingDown
    ));
    assert_eq!(std::fs::read(&store.file).unwrap(), b"");
}

/// A subscriber. Counts what it hears until a moment that must come.
struct Told {
    count: Arc<AtomicUsize>,
    heard: Receiver<()>,
    _subscription: Subscription,
}

impl Told {
    fn of(store: &Store) -> Told {
        let (hear, heard) = channel();
        let count = Arc::new(AtomicUsize::new(0));
        let subscription = store.memory.listeners().subscribe(|| {}, {
            let count = Arc::clone(&count);
            let hear = Mutex::new(hear);
            move || {
                count.fetch_add(1, Ordering::SeqCst);
                let _ = hear.lock().unwrap().send(());
            }
        });
        Told {
            count,
            heard,
            _subscription: subscription,
        }
    }

    fn hear(&self) {
        self.heard.recv_timeout(Duration::from_secs(30)).unwrap();
    }
}

#[test]
fn subscribers_hear_of_a_change_from_outside() {
    let store = Store::holding(&line("A"), RealDisk);
    let told = Told::of(&store);
    append(&store.file, &line("B"));
    told.hear();
    // A file that takes the old one's place by renaming.
    let other = store.file.with_extension("other");
    std::fs::write(&other, line("C")).unwrap();
    std::fs::rename(&other, &store.file).unwrap();
    told.hear();
    std::fs::remove_file(&store.file).unwrap();
    told.hear();
}

#[test]
fn our_own_writes_are_told_once_each() {
    let store = Store::on(RealDisk);
    let told = Told::of(&store);
    for number in 0..20 {
        wait(store.create(&number.to_string())).unwrap();
        wait(store.names()).unwrap();
    }
    // A change from outside comes after all that the watch may have to say
    // about ours.
    append(&store.file, &line("outside"));
    let limit = Instant::now() + Duration::from_secs(30);
    while told.count.load(Ordering::SeqCst) < 21 {
        assert!(Instant::now() < limit, "not told");
        told.hear();
    }
    wait(store.names()).unwrap();
    assert_eq!(told.count.load(Ordering::SeqCst), 21);
}

#[test]
fn a_file_that_was_only_touched_is_no_news() {
    let store = Store::holding(&line("A"), RealDisk);
    wait(store.names()).unwrap();
    let told = Told::of(&store);
    overwrite(&store.file, &line("A"));
    wait(store.names()).unwrap();
    assert_eq!(told.count.load(Ordering::SeqCst), 0);
}

#[test]
fn nothing_watches_while_nobody_is_subscribed() {
    let disk = Scripted::recording(RealDisk);
    let store = Store::on(disk.clone());
    drop(Told::of(&store));
    wait(store.names()).unwrap();
    let steps = disk.steps().len();
    append(&store.file, &line("B"));
    // Longer than a watching store takes to look.
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(disk.steps().len(), steps);
}

#[test]
fn one_subscriber_still_hears_of_a_change_from_outside_when_another_is_gone() {
    let store = Store::holding(&line("A"), RealDisk);
    let (first, second) = (Told::of(&store), Told::of(&store));
    append(&store.file, &line("B"));
    first.hear();
    second.hear();
    drop(first);
    wait(store.names()).unwrap();
    append(&store.file, &line("C"));
    second.hear();
}

fn append(path: &Path, text: &str) {
    use std::io::Write as _;
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Writes over the file's bytes without making another file.
fn overwrite(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}
