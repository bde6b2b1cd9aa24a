//! How long what was begun may still go on once the end is in sight: the end of
//! the process ([`Ending`]), and that of one connection ([`Patience`]).

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long a write may wait for the lock after the end of input.
const PATIENCE_AFTER_INPUT: Duration = Duration::from_secs(5);

/// The end of the process. Shared by whoever sees it coming (a signal) and
/// everything that has to stop.
#[derive(Debug, Clone, Default)]
pub struct Ending {
    stopped: CancellationToken,
    hurried: CancellationToken,
}

impl Ending {
    /// A write in progress completes, nothing else begins. Said a second time,
    /// nobody waits for a client that does not read, either.
    pub fn stop(&self) {
        if self.is_stopped() {
            self.hurried.cancel();
        }
        self.stopped.cancel();
    }

    /// Whether nothing new may begin.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stopped.is_cancelled()
    }

    /// Returns when nothing new may begin.
    pub async fn stopped(&self) {
        self.stopped.cancelled().await;
    }

    /// Returns when the end was asked for twice.
    pub async fn hurried(&self) {
        self.hurried.cancelled().await;
    }

    /// The patience of a new connection.
    #[must_use]
    pub fn patience(&self) -> Patience {
        Patience {
            ending: self.clone(),
            deadline: Arc::default(),
        }
    }
}

/// How long the writes of one connection may wait for the lock. Shared by the
/// connection and by the store, which does the waiting.
#[derive(Debug, Clone, Default)]
pub struct Patience {
    ending: Ending,
    deadline: Arc<OnceLock<Instant>>,
}

impl Patience {
    /// The client closed our input: what was accepted is finished, but a wait
    /// for the lock lasts five seconds more at most.
    pub fn input_ended(&self) {
        self.deadline
            .get_or_init(|| Instant::now() + PATIENCE_AFTER_INPUT);
    }

    /// The earlier of `planned` and the end of patience.
    #[must_use]
    pub fn limit(&self, planned: Instant) -> Instant {
        self.deadline.get().map_or(planned, |end| planned.min(*end))
    }

    /// The end of the process that the connection belongs to.
    #[must_use]
    pub fn ending(&self) -> &Ending {
        &self.ending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_one_input_shortens_no_other_connections_wait() {
        let ending = Ending::default();
        let (ended, open) = (ending.patience(), ending.patience());
        let planned = Instant::now() + 2 * PATIENCE_AFTER_INPUT;
        ended.input_ended();
        assert!(ended.limit(planned) < planned);
        assert_eq!(open.limit(planned), planned);
        assert!(!ending.is_stopped());
    }

    #[test]
    fn a_second_end_of_input_gives_no_more_time() {
        let patience = Patience::default();
        patience.input_ended();
        let planned = Instant::now() + 2 * PATIENCE_AFTER_INPUT;
        let limit = patience.limit(planned);
        patience.input_ended();
        assert_eq!(patience.limit(planned), limit);
    }
}
