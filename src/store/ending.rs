//! How long a write may still wait once the server is ending.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a write may wait for the lock after the end of input.
const PATIENCE_AFTER_INPUT: Duration = Duration::from_secs(5);

/// Shared by whoever sees the end coming (end of input, a signal) and by the
/// store, which may be waiting for a lock.
#[derive(Clone, Default)]
pub struct Ending {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    deadline: Mutex<Option<Instant>>,
    stopped: AtomicBool,
}

impl Ending {
    /// The client closed our input: what was accepted is finished, but a wait
    /// for the lock lasts five seconds more at most.
    pub fn input_ended(&self) {
        self.lock()
            .get_or_insert_with(|| Instant::now() + PATIENCE_AFTER_INPUT);
    }

    /// A signal: a write in progress completes, nothing else begins.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::SeqCst);
    }

    /// Whether nothing new may begin.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.load(Ordering::SeqCst)
    }

    /// The earlier of `planned` and the end of patience.
    pub fn limit(&self, planned: Instant) -> Instant {
        self.lock().map_or(planned, |end| planned.min(end))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.inner
            .deadline
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
