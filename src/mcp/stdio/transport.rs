//! The transport under rmcp: a thread that reads, a thread that writes, and the
//! ledger between them. Plain blocking threads work on pipes, sockets, files
//! and consoles alike.
//!
//! rmcp sees each request under its number in the ledger, as a custom request
//! with params as they came, and never under the client's id, which the client
//! may use again while rmcp still holds on to it.

use std::io::{self, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
    CustomRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio_util::sync::CancellationToken;

use super::ledger::{Accepted, Ledger, Taken};
use super::lines::{Line, Lines};
use crate::diagnostics;
use crate::ending::Patience;
use crate::mcp::decode::{self, decode};
use crate::mcp::era::{knows_bare_errors, negotiate};
use crate::mcp::error::internal;
use crate::mcp::reply::Message;

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 64 << 20;

/// The longest id of a subscription, in bytes. It is kept for as long as the
/// subscription is open, which may be for the whole session.
const LONGEST_LISTEN_ID: usize = 4096;

/// So many lines that cannot be answered are told on stderr. More would help
/// nobody, and would stop the reader where nobody empties a full stderr.
const WARNINGS: usize = 20;

/// rmcp's end of the connection.
pub(super) struct Wire {
    pub(super) ledger: Arc<Ledger>,
    /// What the reader accepted, in order; closed at the end of input.
    pub(super) incoming: UnboundedReceiver<RxJsonRpcMessage<RoleServer>>,
    /// Cancelled here, to end the listens, when all other requests are answered.
    pub(super) listens_end: CancellationToken,
}

impl Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Everything else (a notification, a request of ours) has no place:
        // the ledger is the only source of messages.
        match item {
            JsonRpcMessage::Response(response) => {
                if let RequestId::Number(seq) = response.id {
                    let lost = Err(internal("the answer got lost"));
                    self.ledger.finish(seq, lost);
                }
            }
            JsonRpcMessage::Error(error) => {
                if let Some(RequestId::Number(seq)) = error.id {
                    self.ledger.finish(seq, Err(error.error));
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        std::future::ready(Ok(()))
    }

    /// The next message; `None`, which ends rmcp's loop, only after everything
    /// accepted was answered: rmcp itself would wait for five seconds at most.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        tokio::select! {
            biased;
            message = self.incoming.recv() => if message.is_some() {
                self.ledger.delivered();
                return message;
            },
            () = self.ledger.stopped() => if let Ok(message) = self.incoming.try_recv() {
                self.ledger.delivered();
                return Some(message);
            },
        }
        // Only now, so that a listen still gets the updates of the last calls.
        self.ledger.calls_answered().await;
        self.listens_end.cancel();
        self.ledger.all_answered().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.ledger.close();
        Ok(())
    }
}

/// The reader: runs until the end of input.
pub(super) fn read(
    input: impl Read,
    ledger: &Ledger,
    incoming: &UnboundedSender<RxJsonRpcMessage<RoleServer>>,
    patience: &Patience,
) {
    let mut lines = Lines::new(input, LONGEST_LINE);
    // A session of an early version gets no error without an id. Noted here,
    // not where initialize is answered, because lines may follow at once.
    let mut bare_errors = true;
    let mut dropped = 0_usize;
    loop {
        let line = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                diagnostics::warn(format_args!("cannot read the input: {error}"));
                break;
            }
        };
        let (message, bytes) = match line {
            Line::Whole(line) => (decode(line), line.len()),
            Line::TooLong { start, end } => (decode::too_long(start, end), 0),
        };
        match message {
            decode::Message::Request { id, method, params } => {
                if method == "initialize"
                    && let Some(Value::String(version)) = params.get("protocolVersion")
                {
                    bare_errors = knows_bare_errors(negotiate(version));
                }
                let listen = method == "subscriptions/listen";
                if listen && length_of(&id) > LONGEST_LISTEN_ID {
                    let error = ErrorData::new(
                        ErrorCode::INVALID_REQUEST,
                        format!(
                            "the id of a subscription may have up to {LONGEST_LISTEN_ID} bytes\n\
                             ask again under a shorter id"
                        ),
                        None,
                    );
                    ledger.refuse(Some(id.into_json_value()), error);
                    continue;
                }
                let request = CustomRequest::new(method, Some(Value::Object(params)));
                let accepted = ledger.accept(id.clone(), listen, bytes, |seq| {
                    let request = ClientRequest::CustomRequest(request);
                    // Fails when the runtime is gone, and the program with it.
                    let _ = incoming.send(JsonRpcMessage::request(request, RequestId::Number(seq)));
                });
                match accepted {
                    Accepted::Yes => {}
                    Accepted::IdInUse => {
                        let error = ErrorData::new(
                            ErrorCode::INVALID_REQUEST,
                            "the id belongs to a request that is not answered yet",
                            None,
                        );
                        ledger.refuse(Some(id.into_json_value()), error);
                    }
                    Accepted::Stopped => return,
                }
            }
            decode::Message::Cancelled(id) => {
                if let Some(seq) = ledger.cancel(&id) {
                    let seq = RequestId::Number(seq);
                    let params = CancelledNotificationParam::new(Some(seq), None);
                    let cancelled = CancelledNotification::new(params);
                    let cancelled = ClientNotification::CancelledNotification(cancelled);
                    let _ = incoming.send(JsonRpcMessage::notification(cancelled));
                }
            }
            // Where an error without id is not known, each request gets its own.
            decode::Message::Batch { ids, error } if !bare_errors && !ids.is_empty() => {
                for id in ids {
                    ledger.refuse(Some(id), error.clone());
                }
            }
            decode::Message::Batch { error, .. } | decode::Message::Refused { id: None, error }
                if !bare_errors =>
            {
                dropped += 1;
                if dropped <= WARNINGS {
                    diagnostics::warn(format_args!("a line was dropped: {}", error.message));
                }
                if dropped == WARNINGS {
                    diagnostics::warn("further lines that are dropped are not reported");
                }
            }
            decode::Message::Batch { error, .. } => ledger.refuse(None, error),
            decode::Message::Refused { id, error } => ledger.refuse(id, error),
            decode::Message::Ignored => {}
        }
    }
    patience.input_ended();
}

fn length_of(id: &RequestId) -> usize {
    match id {
        RequestId::String(text) => text.len(),
        RequestId::Number(_) => 0,
    }
}

/// The writer: runs until the ledger is closed and everything is written, or
/// the client no longer reads.
pub(super) fn write(output: impl Write, ledger: &Ledger, patience: &Patience) {
    if let Err(error) = write_all(output, ledger) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            diagnostics::warn(format_args!("cannot write to the client: {error}"));
        }
        patience.input_ended();
        ledger.deafen();
    }
}

fn write_all(output: impl Write, ledger: &Ledger) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, Patient(output));
    while ledger.wait() {
        while let Some(taken) = ledger.take() {
            let Taken { message, weight } = taken;
            // A body is made while it is written. If that panics, the line
            // is lost, but neither the request nor the connection.
            match catch_unwind(AssertUnwindSafe(|| message.write(&mut out))) {
                Ok(written) => written?,
                Err(_) => {
                    if let Message::Answer(id, _) = &message {
                        out.write_all(b"\n")?;
                        let error = Err(internal("the answer could not be written"));
                        Message::Answer(id.clone(), error).write(&mut out)?;
                    }
                }
            }
            out.write_all(b"\n")?;
            drop(message);
            ledger.written(weight);
        }
        out.flush()?;
    }
    out.flush()
}

/// Waits where a shared output was made non-blocking.
struct Patient<W>(W);

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
