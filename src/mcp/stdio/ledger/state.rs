//! What the ledger's mutex guards, and how much of it there may be.

use std::collections::{HashMap, VecDeque};

use rmcp::model::{ErrorData, RequestId};
use serde_json::Value;

use crate::mcp::reply::{Answer, Message};

/// The number of a request, in order of arrival.
pub(in crate::mcp::stdio) type Seq = i64;

/// So many requests may be accepted and not written out yet; then the reader
/// waits, and the client's pipe fills up.
pub(super) const REQUESTS: usize = 256;

/// So many bytes of request lines may be in work at once. A request that is
/// longer than that is worked on alone.
pub(super) const BYTES: usize = 64 << 20;

/// So many messages may wait for the runtime. More than one for each request in
/// work only if requests are cancelled faster than it can look at them.
pub(super) const UNDELIVERED: usize = 2 * REQUESTS;

/// So many messages may wait to be written while the reader still reads.
pub(super) const MESSAGES: usize = 4096;

/// So many may wait at all; further updates are left out. The client has one
/// of each unread.
pub(super) const UPDATES: usize = 65_536;

#[derive(Default)]
pub(super) struct State {
    pub(super) last: Seq,
    pub(super) requests: HashMap<Seq, Request>,
    pub(super) by_id: HashMap<RequestId, Seq>,
    pub(super) queue: VecDeque<Queued>,
    /// What is not written out yet: the answers of the calls in work, and the
    /// refusals that wait.
    pub(super) unwritten: Weight,
    /// The messages that the runtime has not received yet: the bytes of their
    /// lines, oldest first, and the sum.
    undelivered: VecDeque<usize>,
    undelivered_bytes: usize,
    /// Requests that are not answered yet.
    pub(super) calls: usize,
    pub(super) listens: usize,
    pub(super) stopped: bool,
    /// No message will be queued any more.
    pub(super) closed: bool,
    /// The output is gone: messages are dropped.
    pub(super) deaf: bool,
}

pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) bytes: usize,
    /// `subscriptions/listen` stays open for long and does not count as work.
    pub(super) listen: bool,
    pub(super) answered: bool,
    pub(super) answer: Option<Answer>,
}

/// What waits to be written. Requests are named by their number, and looked up
/// when it is their turn: those that were cancelled meanwhile are passed over.
pub(super) enum Queued {
    Answer(Seq),
    Refusal(Option<Value>, ErrorData),
    Acknowledged { listen: Seq, updates: bool },
    Updated { listen: Option<Seq> },
}

/// A message whose turn it is.
pub(in crate::mcp::stdio) struct Taken {
    pub(in crate::mcp::stdio) message: Message,
    /// What [`Ledger::written`](super::Ledger::written) wants back.
    pub(in crate::mcp::stdio) weight: Weight,
}

/// What something that is not written out yet takes of the room there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::mcp::stdio) struct Weight {
    pub(super) calls: usize,
    pub(super) bytes: usize,
}

impl Weight {
    /// A refusal's: it keeps its id, which may be as long as a line.
    pub(super) fn of_refusal(id: Option<&Value>) -> Weight {
        let bytes = id.and_then(Value::as_str).map_or(0, str::len);
        Weight { calls: 0, bytes }
    }
}

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        self.calls += other.calls;
        self.bytes += other.bytes;
    }
}

impl std::ops::SubAssign for Weight {
    fn sub_assign(&mut self, other: Weight) {
        self.calls -= other.calls;
        self.bytes -= other.bytes;
    }
}

impl Request {
    /// What it takes until its answer is written.
    pub(super) fn weight(&self) -> Weight {
        if self.listen {
            return Weight::default();
        }
        Weight {
            calls: 1,
            bytes: self.bytes,
        }
    }
}

impl State {
    /// A message of so many bytes is on its way to the runtime.
    pub(super) fn deliver(&mut self, bytes: usize) {
        self.undelivered.push_back(bytes);
        self.undelivered_bytes += bytes;
    }

    /// The runtime has received the oldest one. Whether there was one.
    pub(super) fn delivered(&mut self) -> bool {
        let oldest = self.undelivered.pop_front();
        self.undelivered_bytes -= oldest.unwrap_or(0);
        oldest.is_some()
    }

    /// Whether another message of so many bytes may be taken in.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        // Most requests are counted twice, until the runtime has received
        // them. Adding the sums would stop the reader at half of what may be
        // in work; and each alone misses some: a request that was cancelled is
        // no longer unwritten, one that the runtime has is no longer
        // undelivered.
        let in_work = self.unwritten.bytes.max(self.undelivered_bytes);
        self.unwritten.calls < REQUESTS
            && self.undelivered.len() < UNDELIVERED
            && self.queue.len() < MESSAGES
            && (in_work == 0 || in_work + bytes <= BYTES)
    }

    /// Forgets a request, and frees its id.
    pub(super) fn drop_request(&mut self, seq: Seq) -> Option<Request> {
        let request = self.requests.remove(&seq)?;
        self.by_id.remove(&request.id);
        Some(request)
    }

    /// The message that was queued; none when its request was cancelled.
    pub(super) fn resolve(&mut self, queued: Queued) -> Option<Taken> {
        let id_of = |state: &State, seq: Seq| Some(state.requests.get(&seq)?.id.clone());
        let mut weight = Weight::default();
        let message = match queued {
            Queued::Answer(seq) => {
                let request = self.drop_request(seq)?;
                weight = request.weight();
                Message::Answer(request.id, request.answer?)
            }
            Queued::Refusal(id, error) => {
                weight = Weight::of_refusal(id.as_ref());
                Message::Refusal(id, error)
            }
            Queued::Acknowledged { listen, updates } => Message::Acknowledged {
                listen: id_of(self, listen)?,
                updates,
            },
            Queued::Updated { listen: None } => Message::Updated { listen: None },
            Queued::Updated { listen: Some(seq) } => Message::Updated {
                listen: Some(id_of(self, seq)?),
            },
        };
        Some(Taken { message, weight })
    }
}
