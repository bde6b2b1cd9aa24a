//! The store's thread: one job after the other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;

use super::commit::Committer;
use super::job::Job;
use super::watch::LOOK_EVERY;

/// The store's thread.
pub struct Worker(JoinHandle<()>);

impl Worker {
    /// Waits until the store has finished, which it does once every
    /// [`Memory`](super::handle::Memory) is gone.
    pub fn join(self) {
        // A panic of the worker was printed when it happened.
        let _ = self.0.join();
    }
}

/// Starts the thread. It ends when all senders of `jobs` are gone and all is
/// done.
pub fn start(
    committer: Committer,
    jobs: Receiver<Job>,
    look: impl Fn() + Clone + Send + Sync + 'static,
) -> std::io::Result<Worker> {
    let thread = std::thread::Builder::new().name("memory-file".to_owned());
    let handle = thread.spawn(move || work(committer, &jobs, look))?;
    Ok(Worker(handle))
}

fn work(
    mut committer: Committer,
    jobs: &Receiver<Job>,
    look: impl Fn() + Clone + Send + Sync + 'static,
) {
    let mut held_back = None;
    let mut subscribers = 0_usize;
    while let Some(job) = held_back.take().or_else(|| next(&committer, jobs)) {
        match job {
            Job::Read(read) => {
                // A bug in a handler must not end the store. What it was doing
                // hears that its answer got lost.
                let run = std::panic::AssertUnwindSafe(|| {
                    read(committer.snapshot().map_err(Arc::new));
                });
                let _ = std::panic::catch_unwind(run);
            }
            Job::Update(first) => committer.commit(first, || {
                match held_back.take().or_else(|| jobs.try_recv().ok())? {
                    Job::Update(update) => Some(update),
                    // A read sees the updates before it and none after it.
                    other => {
                        held_back = Some(other);
                        None
                    }
                }
            }),
            Job::Subscribed(baseline) => {
                subscribers += 1;
                committer.watch(baseline, look.clone());
            }
            Job::Unsubscribed => {
                subscribers -= 1;
                if subscribers == 0 {
                    committer.stop_watching();
                }
            }
            Job::Look => committer.look(),
        }
    }
}

/// The next job; None when every handle is gone and all is done.
fn next(committer: &Committer, jobs: &Receiver<Job>) -> Option<Job> {
    if !committer.is_watching() {
        return jobs.recv().ok();
    }
    match jobs.recv_timeout(LOOK_EVERY) {
        Ok(job) => Some(job),
        Err(RecvTimeoutError::Timeout) => Some(Job::Look),
        Err(RecvTimeoutError::Disconnected) => None,
    }
}
