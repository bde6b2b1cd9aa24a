//! Who wants to hear that the graph changed: the legacy session, once, and any
//! number of `subscriptions/listen` requests, each with its own tag. How an
//! update looks is `reply`'s business.
//!
//! An update is queued on the store's thread, after the change is durable and
//! before the result of the mutation is handed out, so it is written before the
//! answer of the mutating call.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::stdio::ledger::{Ledger, Seq};
use crate::store::Changes;

/// So many listens may be open at once.
const LISTENS: usize = 256;

/// See the module's text.
pub(super) struct Subscriptions {
    ledger: Arc<Ledger>,
    changes: Changes,
    subscribers: Arc<Mutex<Subscribers>>,
}

#[derive(Default)]
struct Subscribers {
    legacy: bool,
    /// Open listens that asked for the resource.
    updates: BTreeSet<Seq>,
    /// Open listens that asked for nothing we have.
    silent: BTreeSet<Seq>,
}

impl Subscriptions {
    /// Nobody yet. Listens to the store from here on.
    pub(super) fn new(ledger: Arc<Ledger>, changes: &Changes) -> Self {
        let subscribers = Arc::new(Mutex::new(Subscribers::default()));
        changes.listen({
            let (ledger, subscribers) = (Arc::clone(&ledger), Arc::clone(&subscribers));
            move || {
                let subscribers = lock(&subscribers);
                if subscribers.legacy {
                    ledger.update(None);
                }
                for listen in &subscribers.updates {
                    ledger.update(Some(*listen));
                }
            }
        });
        Subscriptions {
            ledger,
            changes: changes.clone(),
            subscribers,
        }
    }

    /// Subscribes the legacy session or ends its subscription. Subscribing
    /// twice is subscribing once.
    pub(super) fn set_legacy(&self, subscribed: bool) {
        self.change(|subscribers| subscribers.legacy = subscribed);
    }

    /// Opens a listen and queues its acknowledgement, with no update between
    /// the two; it ends when the returned value is dropped. `None` when too
    /// many are open.
    pub(super) fn open(&self, listen: Seq, updates: bool) -> Option<Listening<'_>> {
        let count = {
            let subscribers = lock(&self.subscribers);
            if subscribers.updates.len() + subscribers.silent.len() >= LISTENS {
                return None;
            }
            subscribers.count()
        };
        if updates {
            // Before the acknowledgement: from that on the client relies on
            // hearing of changes by other processes too.
            self.changes.set_subscribers(count + 1);
        }
        let mut subscribers = lock(&self.subscribers);
        self.ledger.acknowledge(listen, updates);
        if updates {
            subscribers.updates.insert(listen);
        } else {
            subscribers.silent.insert(listen);
        }
        drop(subscribers);
        Some(Listening {
            subscriptions: self,
            listen,
        })
    }

    /// Changes who is subscribed and tells the store how many there are. All
    /// calls come from the runtime's one thread, so the numbers arrive in
    /// order although the lock is not held while the store is told.
    fn change(&self, change: impl FnOnce(&mut Subscribers)) {
        let mut subscribers = lock(&self.subscribers);
        let before = subscribers.count();
        change(&mut subscribers);
        let after = subscribers.count();
        drop(subscribers);
        if before != after {
            self.changes.set_subscribers(after);
        }
    }
}

impl Subscribers {
    fn count(&self) -> usize {
        usize::from(self.legacy) + self.updates.len()
    }
}

/// An open listen.
pub(super) struct Listening<'a> {
    subscriptions: &'a Subscriptions,
    listen: Seq,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.subscriptions.change(|subscribers| {
            subscribers.updates.remove(&self.listen);
            subscribers.silent.remove(&self.listen);
        });
    }
}

fn lock(subscribers: &Mutex<Subscribers>) -> MutexGuard<'_, Subscribers> {
    subscribers.lock().unwrap_or_else(PoisonError::into_inner)
}
