//! What waits in the store's queue.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::cache::Snapshot;
use crate::ending::Patience;
use crate::graph::Graph;
use crate::store::disk::identity::Identity;
use crate::store::error::StoreError;

/// A read: it hands on what it sees, or why nothing can be seen.
pub type Read = Box<dyn FnOnce(Result<&Snapshot, Arc<StoreError>>) + Send>;

/// What was asked of the store's thread.
pub enum Job {
    /// A look at the graph.
    Read(Read),
    /// A change of the graph.
    Update(Box<dyn Update>),
    /// One more client is subscribed; what the file was then.
    Subscribed(Option<Identity>),
    /// One client less is subscribed.
    Unsubscribed,
    /// The file may have changed.
    Look,
}

/// An update that waits in the queue.
pub trait Update: Send {
    /// When it was asked for.
    fn asked(&self) -> Instant;
    /// How long its connection lets it wait.
    fn patience(&self) -> &Patience;
    /// Whether nobody waits for it any more.
    fn is_cancelled(&self) -> bool;
    /// Changes the graph, for the first time or anew.
    fn apply(&mut self, graph: &mut Graph);
    /// Hands the result to whoever waits.
    fn finish(self: Box<Self>, written: Result<(), Arc<StoreError>>);
}

/// An update whose caller waits for a `T`.
pub struct UpdateJob<F, T> {
    /// When it was asked for.
    pub asked: Instant,
    /// Its connection's.
    pub patience: Patience,
    /// What it does to the graph.
    pub change: F,
    /// What the last run of the change gave.
    pub result: Option<T>,
    /// Where the result goes.
    pub reply: oneshot::Sender<Result<T, Arc<StoreError>>>,
}

impl<F, T> Update for UpdateJob<F, T>
where
    F: FnMut(&mut Graph) -> T + Send,
    T: Send,
{
    fn asked(&self) -> Instant {
        self.asked
    }

    fn patience(&self) -> &Patience {
        &self.patience
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
