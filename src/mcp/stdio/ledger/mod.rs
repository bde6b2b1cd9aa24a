//! The ledger: which requests were accepted and are not answered yet, and which
//! messages wait to be written, in order. The reader, the runtime, the store's
//! thread and the writer meet here and nowhere else, under one mutex, so there
//! is one order of events: a cancelled request is gone for all of them at once.
//!
//! Inside, a request goes by its number ([`Seq`]), which is never used twice;
//! the client's id may be used again as soon as it was answered or cancelled.
//! How messages look is `reply`'s business.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, RequestId};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::mcp::reply::{Answer, Message};

/// The number of a request, in order of arrival.
pub(super) type Seq = i64;

/// So many requests may be accepted and not written out yet; then the reader
/// waits, and the client's pipe fills up.
const REQUESTS: usize = 256;

/// So many bytes of request lines may be in work at once. A request that is
/// longer than that is worked on alone.
const BYTES: usize = 64 << 20;

/// So many messages may wait for the runtime. More than one for each request in
/// work only if requests are cancelled faster than it can look at them.
const UNDELIVERED: usize = 2 * REQUESTS;

/// So many messages may wait to be written while the reader still reads.
const MESSAGES: usize = 4096;

/// So many may wait at all; further updates are left out. The client has one
/// of each unread.
const UPDATES: usize = 65_536;

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

#[derive(Default)]
struct State {
    last: Seq,
    requests: HashMap<Seq, Request>,
    by_id: HashMap<RequestId, Seq>,
    queue: VecDeque<Queued>,
    /// Calls whose answer is not written out yet, and the bytes of their lines.
    unwritten: usize,
    unwritten_bytes: usize,
    /// The messages that the runtime has not received yet: the bytes of their
    /// lines, oldest first, and the sum.
    undelivered: VecDeque<usize>,
    undelivered_bytes: usize,
    /// Requests that are not answered yet.
    calls: usize,
    listens: usize,
    stopped: bool,
    /// No message will be queued any more.
    closed: bool,
    /// The output is gone: messages are dropped.
    deaf: bool,
}

struct Request {
    id: RequestId,
    bytes: usize,
    /// `subscriptions/listen` stays open for long and does not count as work.
    listen: bool,
    answered: bool,
    answer: Option<Answer>,
}

/// What waits to be written. Requests are named by their number, and looked up
/// when it is their turn: those that were cancelled meanwhile are passed over.
enum Queued {
    Answer(Seq),
    Refusal(Option<Value>, ErrorData),
    Acknowledged { listen: Seq, updates: bool },
    Updated { listen: Option<Seq> },
}

/// A message whose turn it is.
pub(super) struct Taken {
    pub(super) message: Message,
    call: bool,
    bytes: usize,
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
        state.requests.insert(seq, request);
        if listen {
            state.listens += 1;
        } else {
            state.calls += 1;
            state.unwritten += 1;
            state.unwritten_bytes += bytes;
        }
        state.deliver(bytes);
        start(seq);
        Accepted::Yes
    }

    /// Queues the error for a line that is no request. Waits for room.
    pub(super) fn refuse(&self, id: Option<Value>, error: ErrorData) {
        let mut state = self.wait_for_room(0);
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
        if !request.listen {
            self.release(&mut state, request.bytes);
        }
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
        let mut state = self.lock();
        if let Some(bytes) = state.undelivered.pop_front() {
            state.undelivered_bytes -= bytes;
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
            drop_request(&mut state, seq);
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
            if state.queue.len() + 1 == MESSAGES {
                self.room.notify_all();
            }
            if let Some(taken) = resolve(&mut state, queued) {
                return Some(taken);
            }
        }
        None
    }

    /// The message was written: makes room for another request.
    pub(super) fn written(&self, call: bool, bytes: usize) {
        if call {
            self.release(&mut self.lock(), bytes);
        }
    }

    /// The client no longer reads: what is accepted is still worked on, but
    /// nothing is kept for writing, and nothing more is accepted.
    pub(super) fn deafen(&self) {
        let mut state = self.lock();
        state.deaf = true;
        let queue = std::mem::take(&mut state.queue);
        for queued in queue {
            if let Queued::Answer(seq) = queued {
                drop_request(&mut state, seq);
            }
        }
        drop(state);
        self.stop();
    }
}

impl Taken {
    /// What [`Ledger::written`] wants to know, and the message.
    pub(super) fn into_parts(self) -> (Message, bool, usize) {
        (self.message, self.call, self.bytes)
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

    fn release(&self, state: &mut State, bytes: usize) {
        state.unwritten -= 1;
        state.unwritten_bytes -= bytes;
        self.room.notify_all();
    }
}

impl State {
    fn deliver(&mut self, bytes: usize) {
        self.undelivered.push_back(bytes);
        self.undelivered_bytes += bytes;
    }

    fn has_room(&self, bytes: usize) -> bool {
        // The two sums overlap, and neither holds the other: a cancelled
        // request is undelivered still, a delivered one unwritten.
        let in_work = self.unwritten_bytes.max(self.undelivered_bytes);
        self.unwritten < REQUESTS
            && self.undelivered.len() < UNDELIVERED
            && self.queue.len() < MESSAGES
            && (in_work == 0 || in_work + bytes <= BYTES)
    }
}

fn drop_request(state: &mut State, seq: Seq) -> Option<Request> {
    let request = state.requests.remove(&seq)?;
    state.by_id.remove(&request.id);
    Some(request)
}

fn resolve(state: &mut State, queued: Queued) -> Option<Taken> {
    let id_of = |state: &State, seq: Seq| Some(state.requests.get(&seq)?.id.clone());
    let message = match queued {
        Queued::Answer(seq) => {
            let request = drop_request(state, seq)?;
            return Some(Taken {
                message: Message::Answer(request.id, request.answer?),
                call: !request.listen,
                bytes: request.bytes,
            });
        }
        Queued::Refusal(id, error) => Message::Refusal(id, error),
        Queued::Acknowledged { listen, updates } => Message::Acknowledged {
            listen: id_of(state, listen)?,
            updates,
        },
        Queued::Updated { listen: None } => Message::Updated { listen: None },
        Queued::Updated { listen: Some(seq) } => Message::Updated {
            listen: Some(id_of(state, seq)?),
        },
    };
    Some(Taken {
        message,
        call: false,
        bytes: 0,
    })
}

#[cfg(test)]
mod tests;
