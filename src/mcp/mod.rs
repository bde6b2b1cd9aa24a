//! The wire: MCP on stdio, both protocol eras. What a tool does is
//! [`crate::tools`]' business.
//!
//! The map, in the order a request travels:
//!
//! - `lines`: bytes to lines, bounded.
//! - `decode`: a line to a message, or to the error that answers it.
//! - `head`: the id of a message that cannot be read whole.
//! - `ledger`: the requests in work and the messages to be written; where the
//!   threads meet.
//! - `transport`: the reader's and the writer's thread, and rmcp's view of them.
//! - `edge`: the rules of the eras, and the barrier against panics.
//! - `server`: the methods.
//! - `subscriptions`: who hears of changes.
//! - `reply`: how messages look.
//!
//! rmcp starts, cancels and joins the handlers. Its stdio transport and its
//! handshake are not used: they leave malformed, oversized and unrepresentable
//! requests unanswered, end at an unexpected first message, and serve one era
//! a process.

mod decode;
mod edge;
mod head;
mod ledger;
mod lines;
mod reply;
mod server;
mod subscriptions;
mod transport;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly_with_ct;
use tokio_util::sync::CancellationToken;

use crate::store::{Changes, Ending};
use crate::tools::Tools;

use edge::Edge;
use ledger::Ledger;
use server::Server;
use subscriptions::Subscriptions;
use transport::Wire;

/// How long a client that does not read is waited for after a signal.
const PATIENCE_AFTER_SIGNAL: Duration = Duration::from_secs(1);

/// Serves `tools` on `input` and `output` until the input ends, the client
/// stops reading, or the process gets SIGTERM, SIGINT or SIGHUP.
///
/// Returns when everything accepted was answered and written, or there is
/// nobody to write to; `ending` knows first. A thread may still be blocked in
/// reading `input`, so a program should exit afterwards. See the section "The
/// program" of `docs/behaviour.md`.
///
/// # Errors
///
/// When the runtime or a thread cannot be started. A connection that breaks is
/// no error.
pub fn serve<T: Tools>(
    tools: T,
    changes: &Changes,
    ending: &Ending,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // An answer that came from the store before another request begins:
        // answers go out in the order in which the store gave them, which
        // JSON-RPC does not ask for, but people who read along expect.
        .global_queue_interval(1)
        .build()?;
    let served = runtime.block_on(connection(tools, changes, ending, input, output));
    runtime.shutdown_background();
    served
}

async fn connection<T: Tools>(
    tools: T,
    changes: &Changes,
    ending: &Ending,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let mut signals = Signals::new()?;
    let ledger = Arc::new(Ledger::default());
    let listens_end = CancellationToken::new();

    let (accepted, incoming) = tokio::sync::mpsc::unbounded_channel();
    spawn("reader", {
        let (ledger, ending) = (Arc::clone(&ledger), ending.clone());
        move || transport::read(input, &ledger, &accepted, &ending)
    })?;
    let (writing, written) = tokio::sync::oneshot::channel::<()>();
    spawn("writer", {
        let (ledger, ending) = (Arc::clone(&ledger), ending.clone());
        move || {
            transport::write(output, &ledger, &ending);
            drop(writing);
        }
    })?;

    let server = Server {
        tools,
        subscriptions: Subscriptions::new(Arc::clone(&ledger), changes),
        ending: listens_end.clone(),
    };
    let wire = Wire {
        ledger: Arc::clone(&ledger),
        incoming,
        listens_end,
    };
    let edge = Edge::new(server, Arc::clone(&ledger));
    let running = serve_directly_with_ct(edge, wire, None, CancellationToken::new());
    let serving = async {
        // rmcp's loop ends when the transport says so; how does not matter.
        let _ = running.waiting().await;
        let _ = written.await;
    };
    tokio::pin!(serving);

    tokio::select! {
        () = &mut serving => return Ok(()),
        () = signals.next() => {}
    }
    ending.stop();
    ledger.stop();
    tokio::select! {
        () = &mut serving => {}
        () = async {
            ledger.all_answered().await;
            tokio::time::sleep(PATIENCE_AFTER_SIGNAL).await;
        } => {}
        // Whoever asks twice wants out at once.
        () = signals.next() => {}
    }
    Ok(())
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(run).map(drop)
}

/// SIGTERM, SIGINT and SIGHUP (the terminal was closed), or what the system has
/// in their place.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
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
