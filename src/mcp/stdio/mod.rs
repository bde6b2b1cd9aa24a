//! MCP on standard input and output: one message a line, one client.
//!
//! The map, in the order a request travels:
//!
//! - `lines`: bytes to lines, bounded.
//! - `ledger`: the requests in work and the messages to be written; where the
//!   threads meet.
//! - `transport`: the reader's and the writer's thread, and rmcp's view of them.
//! - `edge`: where rmcp hands a request over, and the barrier against panics.
//!
//! rmcp starts, cancels and joins the handlers. Its stdio transport and its
//! handshake are not used: they leave malformed, oversized and unrepresentable
//! requests unanswered, end at an unexpected first message, and serve one era
//! a process.

mod edge;
mod ledger;
mod lines;
mod transport;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly_with_ct;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use self::edge::Edge;
use self::ledger::Ledger;
use self::transport::Wire;
use super::server::Server;
use super::subscriptions::Subscriptions;
use crate::ending::Patience;
use crate::store::Listeners;
use crate::tools::Tools;

/// How long a client that does not read is waited for after a signal.
const PATIENCE_AFTER_SIGNAL: Duration = Duration::from_secs(1);

/// The runtime that [`serve`] is made for: one thread.
///
/// # Errors
///
/// The system's, when it gives no means to wait for signals and time.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        // An answer that came from the store before another request begins:
        // answers go out in the order in which the store gave them, which
        // JSON-RPC does not ask for, but people who read along expect.
        .global_queue_interval(1)
        .build()
}

/// Serves `tools` on `input` and `output` until the input ends, the client
/// stops reading, or the process is told to stop. Updates come when `listeners`
/// are told.
///
/// Returns when everything accepted was answered and written, or there is
/// nobody to write to; `patience`, which the memory of `tools` shares, knows
/// first that the end has come. A thread may still be blocked in
/// reading `input`, so a program should exit afterwards. See the section "The
/// program" of `docs/behaviour.md`.
///
/// # Errors
///
/// When a thread cannot be started. A connection that breaks is no error.
pub async fn serve<T: Tools>(
    tools: Arc<T>,
    listeners: &Listeners,
    patience: &Patience,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let ending = patience.ending();
    let ledger = Arc::new(Ledger::default());
    let listens_end = CancellationToken::new();

    let (accepted, incoming) = tokio::sync::mpsc::unbounded_channel();
    spawn("reader", {
        let (ledger, patience) = (Arc::clone(&ledger), patience.clone());
        move || transport::read(input, &ledger, &accepted, &patience)
    })?;
    let (writing, written) = tokio::sync::oneshot::channel::<()>();
    spawn("writer", {
        let (ledger, patience) = (Arc::clone(&ledger), patience.clone());
        move || {
            transport::write(output, &ledger, &patience);
            drop(writing);
        }
    })?;

    let server = Server {
        tools,
        subscriptions: Subscriptions::new(listeners.clone()),
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
        () = ending.stopped() => {}
    }
    ledger.stop();
    tokio::select! {
        () = &mut serving => {}
        () = async {
            ledger.all_answered().await;
            tokio::time::sleep(PATIENCE_AFTER_SIGNAL).await;
        } => {}
        // Whoever asks twice wants out at once.
        () = ending.hurried() => {}
    }
    Ok(())
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(run).map(drop)
}
