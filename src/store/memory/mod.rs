//! The memory that is served: calls in order on one thread, the file as it was
//! last seen, one write for all that wait.
//!
//! In the order in which a call passes them: `handle` queues it as a `job`,
//! `worker` takes the jobs one after the other, `cache` knows what the file
//! holds, `commit` writes a `batch` of updates. `watch` notices what other
//! processes do to the file, and `listeners` has whoever wants to hear of a
//! change.

mod batch;
mod cache;
mod commit;
mod handle;
mod job;
mod listeners;
mod watch;
mod worker;

pub use cache::Snapshot;
pub use commit::Options;
pub use handle::{Answer, Memory};
pub use listeners::{Listeners, Subscription};
pub use worker::Worker;
