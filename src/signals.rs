//! The signals that end the program: SIGTERM, SIGINT and SIGHUP (the terminal
//! was closed), or what the system has in their place.

use std::convert::Infallible;
use std::io;

use crate::ending::Ending;

/// What was caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM.
    Terminate,
    /// SIGINT, or Ctrl-C.
    Interrupt,
    /// SIGHUP.
    Hangup,
}

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

    /// The next one.
    #[cfg(unix)]
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.hangup.recv() => Signal::Hangup,
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

    /// The next one.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> Signal {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without the signal there is nothing to wait for.
            std::future::pending::<()>().await;
        }
        Signal::Interrupt
    }
}
