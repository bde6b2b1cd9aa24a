//! Who hears that the stored graph changed, and whether anybody wants to.

use std::sync::{Arc, Mutex, PoisonError};

type Listener = Box<dyn Fn() + Send + Sync>;
type InterestListener = Box<dyn Fn(usize) + Send + Sync>;

/// The store publishes here, once for each mutation that changed the stored
/// graph and once for each change by another process; whoever serves
/// subscriptions listens.
///
/// A listener is called on the store's thread, after the change is durable and
/// before the mutation's result is handed out, so what it enqueues comes out
/// ahead of the reply.
#[derive(Clone, Default)]
pub struct Changes {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    listeners: Mutex<Vec<Listener>>,
    interest: Mutex<Vec<InterestListener>>,
}

impl Changes {
    /// Calls `listener` for every change from now on.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) {
        lock(&self.inner.listeners).push(Box::new(listener));
    }

    /// Tells every listener of one change.
    pub fn publish(&self) {
        for listener in lock(&self.inner.listeners).iter() {
            listener();
        }
    }

    /// Says how many clients are subscribed now. With none, the store does not
    /// watch the file.
    pub fn set_subscribers(&self, count: usize) {
        for listener in lock(&self.inner.interest).iter() {
            listener(count);
        }
    }

    /// Calls `listener` whenever the number of subscribers is said.
    pub fn on_subscribers(&self, listener: impl Fn(usize) + Send + Sync + 'static) {
        lock(&self.inner.interest).push(Box::new(listener));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
