//! Who hears that the stored graph changed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

type Listener = Box<dyn Fn() + Send + Sync>;

/// The bell of a memory: the store rings once for each mutation that changed
/// the stored graph and once for each change by another process, and every
/// subscriber hears it.
///
/// A listener is called on the store's thread, after the change is durable and
/// before the mutation's result is handed out, so what it enqueues comes out
/// ahead of the reply.
#[derive(Clone, Default)]
pub struct Listeners {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    subscribed: Mutex<Subscribed>,
    /// The store, which watches the file only while somebody listens.
    store: OnceLock<Box<dyn Fn(Interest) + Send + Sync>>,
}

#[derive(Default)]
struct Subscribed {
    last: u64,
    /// In the order in which they subscribed.
    listeners: BTreeMap<u64, Listener>,
}

/// What the store is told of its subscribers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interest {
    /// There is one more.
    Gained,
    /// There is one less.
    Lost,
}

/// A listener's place. It hears nothing more once this is dropped.
pub struct Subscription {
    inner: Arc<Inner>,
    number: u64,
}

impl Listeners {
    /// Calls `hear` for every change from now on. `begin` runs first, with no
    /// change before it that `hear` would miss: the store watches already.
    pub fn subscribe(
        &self,
        begin: impl FnOnce(),
        hear: impl Fn() + Send + Sync + 'static,
    ) -> Subscription {
        self.inner.tell_store(Interest::Gained);
        let mut subscribed = self.inner.lock();
        subscribed.last += 1;
        let number = subscribed.last;
        begin();
        subscribed.listeners.insert(number, Box::new(hear));
        drop(subscribed);
        Subscription {
            inner: Arc::clone(&self.inner),
            number,
        }
    }

    /// Tells every subscriber of one change.
    pub fn ring(&self) {
        for hear in self.inner.lock().listeners.values() {
            hear();
        }
    }

    /// How many are subscribed.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inner.lock().listeners.len()
    }

    /// Calls `store` whenever somebody subscribes, before the first change is
    /// heard, or stops doing so. Only the first call has an effect: a bell
    /// belongs to one memory.
    pub(super) fn on_interest(&self, store: impl Fn(Interest) + Send + Sync + 'static) {
        let _ = self.inner.store.set(Box::new(store));
    }
}

impl Inner {
    fn tell_store(&self, interest: Interest) {
        if let Some(store) = self.store.get() {
            store(interest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Subscribed> {
        self.subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let gone = self.inner.lock().listeners.remove(&self.number);
        drop(gone);
        self.inner.tell_store(Interest::Lost);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_subscription_counts_until_it_is_dropped_whatever_others_do() {
        let listeners = Listeners::default();
        let watching = Arc::new(AtomicUsize::new(0));
        listeners.on_interest({
            let watching = Arc::clone(&watching);
            move |interest| {
                match interest {
                    Interest::Gained => watching.fetch_add(1, Ordering::SeqCst),
                    Interest::Lost => watching.fetch_sub(1, Ordering::SeqCst),
                };
            }
        });
        let heard = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let [first, second] = heard.each_ref().map(|heard| {
            let heard = Arc::clone(heard);
            listeners.subscribe(
                || {},
                move || {
                    heard.fetch_add(1, Ordering::SeqCst);
                },
            )
        });
        let seen = || heard.each_ref().map(|heard| heard.load(Ordering::SeqCst));
        listeners.ring();
        assert_eq!((seen(), watching.load(Ordering::SeqCst)), ([1, 1], 2));
        drop(first);
        listeners.ring();
        assert_eq!((seen(), watching.load(Ordering::SeqCst)), ([1, 2], 1));
        drop(second);
        listeners.ring();
        assert_eq!((seen(), watching.load(Ordering::SeqCst)), ([1, 2], 0));
        assert_eq!(listeners.count(), 0);
    }
}
