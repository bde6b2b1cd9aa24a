//! What callers hold: reads and updates of the graph, in order.
//!
//! One thread works through one queue, so calls take effect in the order in
//! which they were asked for, and a read sees every update before it. Updates
//! that wait while another is being written share the next write; how is in
//! [`commit`](super::commit). A read gets a snapshot that stays as it is,
//! however long it takes to write it out.

use std::pin::Pin;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::sync::oneshot;

use super::cache::Snapshot;
use super::commit::{Committer, Options};
use super::job::{Job, UpdateJob};
use super::listeners::{Interest, Listeners};
use super::worker::{self, Worker};
use crate::ending::{Ending, Patience};
use crate::graph::Graph;
use crate::store::disk::file_system::Disk;
use crate::store::error::StoreError;

/// A handle on the memory file. When the last one is dropped, the store
/// finishes what was asked for and ends.
#[derive(Clone)]
pub struct Memory {
    queue: Arc<Sender<Job>>,
    listeners: Listeners,
    patience: Patience,
}

impl Memory {
    /// Starts the store. Nothing is read before the first call.
    ///
    /// # Errors
    /// The system's, when it gives no thread.
    pub fn start(
        options: Options,
        disk: Arc<dyn Disk>,
        ending: &Ending,
    ) -> std::io::Result<(Memory, Worker)> {
        let (queue, jobs) = mpsc::channel();
        let queue = Arc::new(queue);
        let listeners = Listeners::default();
        listeners.on_interest({
            // Not to keep the store alive when every handle is gone.
            let queue = Arc::downgrade(&queue);
            let (disk, path) = (Arc::clone(&disk), options.path.clone());
            move |interest| match interest {
                Interest::Gained => {
                    // From here on a change is news, however long the queue is.
                    let baseline = disk.identity(&path).ok().flatten();
                    ask(&queue, Job::Subscribed(baseline));
                }
                Interest::Lost => ask(&queue, Job::Unsubscribed),
            }
        });
        let look = {
            let queue = Arc::downgrade(&queue);
            move || ask(&queue, Job::Look)
        };
        let committer = Committer::new(options, disk, listeners.clone());
        let worker = worker::start(committer, jobs, look)?;
        let memory = Memory {
            queue,
            listeners,
            patience: ending.patience(),
        };
        Ok((memory, worker))
    }

    /// A handle on the same memory for a connection, whose writes wait no
    /// longer than it has patience.
    #[must_use]
    pub fn with_patience(&self, patience: Patience) -> Memory {
        Memory {
            patience,
            ..self.clone()
        }
    }

    /// Who hears of changes.
    #[must_use]
    pub fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// Looks at the graph as the file holds it now. Asked for at once; the
    /// future only waits.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Read(Box::new(move |snapshot| {
            if !reply.is_closed() {
                let _ = reply.send(snapshot.map(look));
            }
        })));
        Answer(answer)
    }

    /// Changes the graph and makes the change durable. Asked for at once; the
    /// future only waits, and dropping it before the write began calls the
    /// change off.
    ///
    /// `change` may run more than once, when somebody else wrote the file in
    /// between; the last run counts. Where it leaves the graph as it was,
    /// nothing is written.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read or written; it says whether
    /// something was changed.
    pub fn update<T: Send + 'static>(
        &self,
        change: impl FnMut(&mut Graph) -> T + Send + 'static,
    ) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        self.ask(Job::Update(Box::new(UpdateJob {
            asked: Instant::now(),
            patience: self.patience.clone(),
            change,
            result: None,
            reply,
        })));
        Answer(answer)
    }

    fn ask(&self, job: Job) {
        // A worker that is gone drops the job, and with it the reply channel:
        // the caller hears `Lost`.
        let _ = self.queue.send(job);
    }
}

/// What was asked of the store, once it is there.
pub struct Answer<T>(oneshot::Receiver<Result<T, Arc<StoreError>>>);

impl<T> Future for Answer<T> {
    type Output = Result<T, Arc<StoreError>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = Pin::new(&mut self.0).poll(context);
        answer.map(|answer| answer.unwrap_or_else(|_| Err(Arc::new(StoreError::Lost))))
    }
}

fn ask(queue: &Weak<Sender<Job>>, job: Job) {
    if let Some(queue) = queue.upgrade() {
        let _ = queue.send(job);
    }
}
