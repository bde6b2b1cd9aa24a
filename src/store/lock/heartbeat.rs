//! Keeps the locks of this process fresh while they are held: programs that
//! know no advisory lock judge a lock file by its modification time
//! (`docs/behaviour.md`, "Several processes, one file").
//!
//! One thread for the whole process, started with the first lock. A write
//! takes milliseconds, so nearly always a lock is gone before its first
//! refresh; taking and releasing one costs no thread and wakes none more
//! often than once in the interval.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::disk::file_system::DiskFile;

/// Keeps one file fresh until it is dropped.
pub(super) struct Heartbeat {
    id: u64,
}

struct Entry {
    id: u64,
    file: Arc<dyn DiskFile>,
    due: Instant,
    every: Duration,
}

struct State {
    entries: Vec<Entry>,
    next_id: u64,
    thread: Thread,
}

enum Thread {
    NotStarted,
    /// It will look again by itself, at that time at the latest.
    Until(Instant),
    /// It waits to be woken.
    Idle,
}

static STATE: Mutex<State> = Mutex::new(State {
    entries: Vec::new(),
    next_id: 0,
    thread: Thread::NotStarted,
});
static WAKE: Condvar = Condvar::new();

impl Heartbeat {
    /// Sets the file's modification time to now, again and again.
    pub(super) fn start(file: Arc<dyn DiskFile>, every: Duration) -> Heartbeat {
        let mut state = state();
        let id = state.next_id;
        state.next_id += 1;
        let due = Instant::now() + every;
        state.entries.push(Entry {
            id,
            file,
            due,
            every,
        });
        match state.thread {
            Thread::NotStarted => {
                let started = std::thread::Builder::new()
                    .name("lock-refresh".to_owned())
                    .spawn(run);
                // Without it a lock is only less well protected from programs
                // that go by age; the next lock tries again.
                if started.is_ok() {
                    state.thread = Thread::Until(due);
                }
            }
            Thread::Until(time) if time <= due => {}
            Thread::Until(_) | Thread::Idle => WAKE.notify_one(),
        }
        Heartbeat { id }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        state().entries.retain(|entry| entry.id != self.id);
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run() {
    let mut guard = state();
    loop {
        let now = Instant::now();
        for entry in &mut guard.entries {
            if entry.due <= now {
                // A failure shows when the holder looks whether the lock is
                // still its own.
                let _ = entry.file.touch();
                entry.due = now + entry.every;
            }
        }
        guard = match guard.entries.iter().map(|entry| entry.due).min() {
            Some(due) => {
                guard.thread = Thread::Until(due);
                let wait = due.saturating_duration_since(Instant::now());
                let waited = WAKE.wait_timeout(guard, wait);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => {
                guard.thread = Thread::Idle;
                WAKE.wait(guard).unwrap_or_else(PoisonError::into_inner)
            }
        };
    }
}
