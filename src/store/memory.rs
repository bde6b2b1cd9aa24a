//! The store's public face: reads and updates of the graph, in order.
//!
//! One thread works through one queue, so calls take effect in the order in
//! which they were asked for, and a read sees every update before it. Updates
//! that wait while another is being written share the next write; how is in
//! [`commit`](super::commit). A read gets a snapshot that stays as it is,
//! however long it takes to write it out.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::commit::Committer;
use super::disk::{Disk, Identity};
use super::document::Document;
use super::lock::LockTiming;
use super::watch::LOOK_EVERY;
use super::{Changes, Ending, StoreError};
use crate::graph::Graph;

/// The graph as it was at one moment.
pub type Snapshot = Arc<Document>;

/// How the memory file is kept.
#[derive(Debug, Clone)]
pub struct Options {
    /// The memory file; links in it are followed at every call.
    pub path: PathBuf,
    /// Whether a write is made durable before it is answered.
    pub fsync: bool,
    /// How long a write waits for its turn.
    pub lock_timeout: Duration,
    /// When a lock counts as left behind, and how often one is refreshed.
    pub lock_timing: LockTiming,
}

/// A handle on the memory file. When the last one is dropped, the store
/// finishes what was asked for and ends.
pub struct Memory {
    queue: Arc<Sender<Job>>,
}

/// The store's thread.
pub struct Worker(JoinHandle<()>);

impl Worker {
    /// Waits until the store has finished, which it does once every [`Memory`]
    /// is gone.
    pub fn join(self) {
        // A panic of the worker was printed when it happened.
        let _ = self.0.join();
    }
}

impl Memory {
    /// Starts the store. Nothing is read before the first call.
    ///
    /// # Errors
    /// The system's, when it gives no thread.
    pub fn start(
        options: Options,
        disk: Arc<dyn Disk>,
        changes: Changes,
        ending: Ending,
    ) -> std::io::Result<(Memory, Worker)> {
        let (queue, jobs) = mpsc::channel();
        let queue = Arc::new(queue);
        changes.on_subscribers({
            // Not to keep the store alive when every handle is gone.
            let queue = Arc::downgrade(&queue);
            let (disk, path) = (Arc::clone(&disk), options.path.clone());
            move |subscribers| {
                // From here on a change is news, however long the queue is.
                let baseline = disk.identity(&path).ok().flatten();
                ask(&queue, Job::Subscribers(subscribers, baseline));
            }
        });
        let look = {
            let queue = Arc::downgrade(&queue);
            move || ask(&queue, Job::Look)
        };
        let committer = Committer::new(options, disk, changes, ending);
        let worker = std::thread::Builder::new()
            .name("memory-file".to_owned())
            .spawn(move || work(committer, &jobs, look))?;
        Ok((Memory { queue }, Worker(worker)))
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
        self.ask(Job::Read(Box::new(ReadJob { look, reply })));
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

enum Job {
    Read(Box<dyn Read>),
    Update(Box<dyn Update>),
    /// So many clients are subscribed now; the file's identity then.
    Subscribers(usize, Option<Identity>),
    /// The file may have changed.
    Look,
}

fn ask(queue: &Weak<Sender<Job>>, job: Job) {
    if let Some(queue) = queue.upgrade() {
        let _ = queue.send(job);
    }
}

/// A read that waits in the queue.
trait Read: Send {
    fn run(self: Box<Self>, snapshot: Result<&Snapshot, Arc<StoreError>>);
}

/// An update that waits in the queue.
pub trait Update: Send {
    /// When it was asked for.
    fn asked(&self) -> Instant;
    /// Whether nobody waits for it any more.
    fn is_cancelled(&self) -> bool;
    /// Changes the graph, for the first time or anew.
    fn apply(&mut self, graph: &mut Graph);
    /// Hands the result to whoever waits.
    fn finish(self: Box<Self>, written: Result<(), Arc<StoreError>>);
}

struct ReadJob<F, T> {
    look: F,
    reply: oneshot::Sender<Result<T, Arc<StoreError>>>,
}

impl<F, T> Read for ReadJob<F, T>
where
    F: FnOnce(&Snapshot) -> T + Send,
    T: Send,
{
    fn run(self: Box<Self>, snapshot: Result<&Snapshot, Arc<StoreError>>) {
        if !self.reply.is_closed() {
            let _ = self.reply.send(snapshot.map(self.look));
        }
    }
}

struct UpdateJob<F, T> {
    asked: Instant,
    change: F,
    result: Option<T>,
    reply: oneshot::Sender<Result<T, Arc<StoreError>>>,
}

impl<F, T> Update for UpdateJob<F, T>
where
    F: FnMut(&mut Graph) -> T + Send,
    T: Send,
{
    fn asked(&self) -> Instant {
        self.asked
    }

    fn is_cancelled(&self) -> bool {
        self.reply.is_closed()
    }

    fn apply(&mut self, graph: &mut Graph) {
        self.result = Some((self.change)(graph));
    }

    fn finish(self: Box<Self>, written: Result<(), Arc<StoreError>>) {
        let result = self.result;
        let _ = self
            .reply
            .send(written.map(|()| result.expect("an update is applied before it is finished")));
    }
}

fn work(
    mut committer: Committer,
    jobs: &Receiver<Job>,
    look: impl Fn() + Clone + Send + Sync + 'static,
) {
    let mut held_back = None;
    while let Some(job) = held_back.take().or_else(|| next(&committer, jobs)) {
        match job {
            Job::Read(read) => {
                // A bug in a handler must not end the store. What it was doing
                // hears that its answer got lost.
                let run = std::panic::AssertUnwindSafe(|| {
                    read.run(committer.snapshot().map_err(Arc::new));
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
            Job::Subscribers(0, _) => committer.stop_watching(),
            Job::Subscribers(_, baseline) => committer.watch(baseline, look.clone()),
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
