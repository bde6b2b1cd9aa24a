//! The ledger: which requests were accepted and are not answered yet, and which
//! messages wait to be written, in order. The reader, the runtime, the store's
//! thread and the writer meet here and nowhere else, under one mutex, so there
//! is one order of events: a cancelled request is gone for all of them at once.
//!
//! Inside, a request goes by its number ([`Seq`]), which is never used twice;
//! the client's id may be used again as soon as it was answered or cancelled.
//! How messages look is decided in `reply`.

use std::pin::pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, RequestId};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::state::{Queued, Request, State, UPDATES, Weight};
use crate::mcp::reply::Answer;

mod state;

pub(super) use self::state::{Seq, Taken};

/// See the module's text.
#[derive(Default)]
pub(super) struct Ledger {
    state: Mutex<State>,
    /// The reader waits here for room.
    room: Condvar,
    /// The writer waits here for messages.
    work: Condvar,
    /// The runtime waits here for the last answer.
    answered: Notify,
    /// Cancelled when nothing more is accepted although input may come: on a
    /// signal, and when the client no longer reads.
    stopped: CancellationToken,
}

/// What became of a request that was offered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    Yes,
    /// The id belongs to a request that is not answered yet.
    IdInUse,
    /// Nothing is accepted any more.
    Stopped,
}

// The reader's side.

impl Ledger {
    /// Accepts a request of `bytes` and hands its number to `start`, while no
    /// other request can come in between. Waits for room.
    pub(super) fn accept(
        &self,
        id: RequestId,
        listen: bool,
        bytes: usize,
        start: impl FnOnce(Seq),
    ) -> Accepted {
        let mut state = self.wait_for_room(bytes);
        if state.stopped {
            return Accepted::Stopped;
        }
        if state.by_id.contains_key(&id) {
            return Accepted::IdInUse;
        }
        state.last += 1;
        let seq = state.last;
        state.by_id.insert(id.clone(), seq);
        let request = Request {
            id,
            bytes,
            listen,
            answered: false,
            answer: None,
        };
        state.unwritten += request.weight();
        state.requests.insert(seq, request);
        if listen {
            state.listens += 1;
        } else {
            state.calls += 1;
        }
        state.deliver(bytes);
        start(seq);
        Accepted::Yes
    }

    /// Queues the error for a line that is no request. Waits for room.
    pub(super) fn refuse(&self, id: Option<Value>, error: ErrorData) {
        let weight = Weight::of_refusal(id.as_ref());
        let mut state = self.wait_for_room(weight.bytes);
        state.unwritten += weight;
        self.queue(&mut state, Queued::Refusal(id, error));
    }

    /// Forgets the request with this id: nothing more is written for it.
    /// Returns its number if there was one, for a message that stops its work.
    pub(super) fn cancel(&self, id: &RequestId) -> Option<Seq> {
        let mut state = self.lock();
        let seq = state.by_id.remove(id)?;
        let request = state.requests.remove(&seq)?;
        if !request.answered {
            self.count_answered(&mut state, request.listen);
        }
        self.release(&mut state, request.weight());
        state.deliver(0);
        Some(seq)
    }

    fn wait_for_room(&self, bytes: usize) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while !state.stopped && !state.has_room(bytes) {
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

// The runtime's side.

impl Ledger {
    /// The runtime has received a message: makes room for another one.
    pub(super) fn delivered(&self) {
        if self.lock().delivered() {
            self.room.notify_all();
        }
    }

    /// Keeps the answer of a request until [`Ledger::finish`].
    pub(super) fn put(&self, seq: Seq, answer: Answer) {
        if let Some(request) = self.lock().requests.get_mut(&seq) {
            request.answer = Some(answer);
        }
    }

    /// Queues the answer: the one that was put, else `otherwise`. Does nothing
    /// for a request that was cancelled.
    pub(super) fn finish(&self, seq: Seq, otherwise: Answer) {
        let mut state = self.lock();
        let deaf = state.deaf;
        let Some(request) = state.requests.get_mut(&seq) else {
            return;
        };
        if request.answered {
            return;
        }
        request.answered = true;
        request.answer.get_or_insert(otherwise);
        let listen = request.listen;
        self.count_answered(&mut state, listen);
        if deaf {
            state.drop_request(seq);
        } else {
            self.queue(&mut state, Queued::Answer(seq));
        }
    }

    /// Queues the acknowledgement of a listen.
    pub(super) fn acknowledge(&self, listen: Seq, updates: bool) {
        let acknowledged = Queued::Acknowledged { listen, updates };
        self.queue(&mut self.lock(), acknowledged);
    }

    /// Returns when every request but the listens was answered or cancelled.
    pub(super) async fn calls_answered(&self) {
        self.until(|state| state.calls == 0).await;
    }

    /// Returns when every request was answered or cancelled.
    pub(super) async fn all_answered(&self) {
        self.until(|state| state.calls + state.listens == 0).await;
    }

    /// Accepts nothing more.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.room.notify_all();
        self.stopped.cancel();
    }

    /// Returns when nothing more is accepted although input may come.
    pub(super) async fn stopped(&self) {
        self.stopped.cancelled().await;
    }

    /// Lets the writer end once everything is written.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
    }

    async fn until(&self, condition: impl Fn(&State) -> bool) {
        loop {
            // In line before looking, so that no answer falls in between.
            let mut answered = pin!(self.answered.notified());
            answered.as_mut().enable();
            if condition(&self.lock()) {
                return;
            }
            answered.await;
        }
    }
}

// The store's side.

impl Ledger {
    /// Queues an update of the resource, for a listen or for the legacy
    /// subscriber.
    pub(super) fn update(&self, listen: Option<Seq>) {
        let mut state = self.lock();
        if state.queue.len() < UPDATES {
            self.queue(&mut state, Queued::Updated { listen });
        }
    }
}

// The writer's side.

impl Ledger {
    /// Waits for a message; false when there will be none.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.lock();
        while state.queue.is_empty() && !state.closed {
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        !state.queue.is_empty()
    }

    /// The next message, if there is one now. The id of an answer is free from
    /// here on: a client that has read the answer may use it at once.
    pub(super) fn take(&self) -> Option<Taken> {
        let mut state = self.lock();
        while let Some(queued) = state.queue.pop_front() {
            if state.queue.len() + 1 == state::MESSAGES {
                self.room.notify_all();
            }
            if let Some(taken) = state.resolve(queued) {
                return Some(taken);
            }
        }
        None
    }

    /// A message of this weight was written: makes room for others.
    pub(super) fn written(&self, weight: Weight) {
        self.release(&mut self.lock(), weight);
    }

    /// The client no longer reads: what is accepted is still worked on, but
    /// nothing is kept for writing, and nothing more is accepted.
    pub(super) fn deafen(&self) {
        let mut state = self.lock();
        state.deaf = true;
        let queue = std::mem::take(&mut state.queue);
        for queued in queue {
            if let Queued::Answer(seq) = queued {
                state.drop_request(seq);
            }
        }
        drop(state);
        self.stop();
    }
}

// Helpers.

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self, state: &mut State, queued: Queued) {
        if !state.deaf {
            state.queue.push_back(queued);
            self.work.notify_one();
        }
    }

    fn count_answered(&self, state: &mut State, listen: bool) {
        if listen {
            state.listens -= 1;
        } else {
            state.calls -= 1;
        }
        self.answered.notify_waiters();
    }

    fn release(&self, state: &mut State, weight: Weight) {
        if weight != Weight::default() {
            state.unwritten -= weight;
            self.room.notify_all();
        }
    }
}

#[cfg(test)]
mod tests;
