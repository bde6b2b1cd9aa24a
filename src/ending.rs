//! How long what was begun may still go on once the end is in sight.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

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
    stopped: CancellationToken,
    hurried: CancellationToken,
}

impl Ending {
    /// The client closed our input: what was accepted is finished, but a wait
    /// for the lock lasts five seconds more at most.
    pub fn input_ended(&self) {
        self.lock()
            .get_or_insert_with(|| Instant::now() + PATIENCE_AFTER_INPUT);
    }

    /// A signal: a write in progress completes, nothing else begins. Said a
    /// second time, nobody waits for a client that does not read, either.
    pub fn stop(&self) {
        if self.is_stopped() {
            self.inner.hurried.cancel();
        }
        self.inner.stopped.cancel();
    }

    /// Whether nothing new may begin.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.is_cancelled()
    }

    /// Returns when nothing new may begin.
    pub async fn stopped(&self) {
        self.inner.stopped.cancelled().await;
    }

    /// Returns when the end was asked for twice.
    pub async fn hurried(&self) {
        self.inner.hurried.cancelled().await;
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
