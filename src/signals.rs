//! The signals that end the program: SIGTERM, SIGINT and SIGHUP (the terminal
//! was closed), or what the system has in their place.

use std::convert::Infallible;
use std::io;

use crate::ending::Ending;

/// The signals, caught from when this is made.
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    /// Catches them from here on. Needs a runtime.
    ///
    /// # Errors
    /// The system's.
    #[cfg(unix)]
    pub fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Tells `ending` of each signal, for as long as it is polled.
    pub async fn pass_to(mut self, ending: &Ending) -> Infallible {
        loop {
            self.next().await;
            ending.stop();
        }
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }

    /// Nothing is caught before it is waited for.
    ///
    /// # Errors
    /// None here.
    #[cfg(not(unix))]
    pub fn new() -> io::Result<Self> {
        Ok(Signals {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without the signal there is nothing to wait for.
            std::future::pending::<()>().await;
        }
    }
}
