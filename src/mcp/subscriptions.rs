//! Who wants to hear that the graph changed: the legacy session, once, and any
//! number of `subscriptions/listen` requests, each with its own tag. How an
//! update looks is decided in `reply`, where it is queued by the [`Caller`].
//!
//! An update is queued on the store's thread, after the change is durable and
//! before the result of the mutation is handed out, so it is written before the
//! answer of the mutating call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::store::{Listeners, Subscription};

/// So many listens may be open at once.
const LISTENS: usize = 256;

/// Who asks: where that goes which a request brings about beside its answer.
pub(super) trait Caller: Clone + Send + Sync + 'static {
    /// Queues the acknowledgement of the listen that the request is.
    fn acknowledge(&self, updates: bool);

    /// Queues an update for that listen.
    fn update_listen(&self);

    /// Queues an update for the legacy session that the request belongs to.
    fn update_session(&self);
}

/// The subscriptions of one connection.
pub(super) struct Subscriptions {
    listeners: Listeners,
    session: Mutex<Option<Subscription>>,
    /// Listens that are open, those too that asked for nothing we have.
    open: AtomicUsize,
}

impl Subscriptions {
    /// None yet.
    pub(super) fn new(listeners: Listeners) -> Self {
        Subscriptions {
            listeners,
            session: Mutex::default(),
            open: AtomicUsize::new(0),
        }
    }

    /// Subscribes the legacy session. Subscribing twice is subscribing once.
    pub(super) fn subscribe_session(&self, caller: impl Caller) {
        self.session().get_or_insert_with(|| {
            self.listeners
                .subscribe(|| {}, move || caller.update_session())
        });
    }

    /// Ends the legacy session's subscription.
    pub(super) fn unsubscribe_session(&self) {
        // Out of the lock first: dropping it waits for an update in progress.
        let ended = self.session().take();
        drop(ended);
    }

    /// Opens a listen and queues its acknowledgement, with no update between
    /// the two; it ends when the returned value is dropped. `None` when too
    /// many are open.
    pub(super) fn open(&self, caller: &impl Caller, updates: bool) -> Option<Listening<'_>> {
        let open = Open(&self.open);
        if open.0.fetch_add(1, Ordering::Relaxed) >= LISTENS {
            return None;
        }
        let subscription = if updates {
            let hearing = caller.clone();
            let hear = move || hearing.update_listen();
            // The store watches before the client relies on it.
            Some(self.listeners.subscribe(|| caller.acknowledge(true), hear))
        } else {
            caller.acknowledge(false);
            None
        };
        Some(Listening {
            _subscription: subscription,
            _open: open,
        })
    }

    fn session(&self) -> std::sync::MutexGuard<'_, Option<Subscription>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open listen.
pub(super) struct Listening<'a> {
    _subscription: Option<Subscription>,
    _open: Open<'a>,
}

/// One of those that are counted.
struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
