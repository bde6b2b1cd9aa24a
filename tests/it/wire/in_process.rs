//! A server inside the test, for what the built binary never does: tools that
//! panic, wait or record. The wire is the real one, over real pipes.

use std::io::{BufRead as _, BufReader, PipeWriter, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use futures_util::future::BoxFuture;
use mcp_memory::ending::Patience;
use mcp_memory::mcp::stdio;
use mcp_memory::store::Listeners;
use mcp_memory::tools::*;
use serde_json::{Map, Value, json};

use crate::support::session::{PATIENCE, initialize_request};
use crate::support::tools::call_request;

/// What a tool of [`Scripted`] answers.
pub type Answer = BoxFuture<'static, Result<Outcome, ToolError>>;

/// Tools that all do the same: call this with the tool and its arguments.
pub struct Scripted<F>(pub F, pub Served);

impl<F: Fn(Tool, Value) -> Answer + Send + Sync + 'static> Tools for Scripted<F> {
    fn served(&self) -> &Served {
        &self.1
    }

    async fn call(
        &self,
        tool: Tool,
        arguments: Option<Map<String, Value>>,
    ) -> Result<Outcome, ToolError> {
        self.0(tool, validate::arguments(tool, arguments)?).await
    }
}

/// An outcome with this text and an empty object.
pub fn text(text: impl Into<String>) -> Outcome {
    Outcome {
        text: Body::Whole(text.into()),
        note: None,
        structured: Body::Whole("{}".to_owned()),
    }
}

/// A connection to [`stdio::serve`] in a thread of its own.
pub struct Connection {
    input: Option<PipeWriter>,
    lines: Receiver<Value>,
    served: JoinHandle<std::io::Result<()>>,
    /// Who hears of changes.
    pub listeners: Listeners,
}

impl Connection {
    /// Serves these tools. `make` gets the [`Listeners`] to tell.
    pub fn open<F>(make: impl FnOnce(Listeners) -> F) -> Connection
    where
        F: Fn(Tool, Value) -> Answer + Send + Sync + 'static,
    {
        let listeners = Listeners::default();
        Connection::on(&listeners, make(listeners.clone()))
    }

    /// Serves these tools to one more client of those who hear of changes.
    pub fn on<F>(listeners: &Listeners, tools: F) -> Connection
    where
        F: Fn(Tool, Value) -> Answer + Send + Sync + 'static,
    {
        Connection::serving(Served::default(), listeners, tools)
    }

    /// The same, where only some tools are served.
    pub fn serving<F>(served: Served, listeners: &Listeners, tools: F) -> Connection
    where
        F: Fn(Tool, Value) -> Answer + Send + Sync + 'static,
    {
        let (server_input, input) = std::io::pipe().expect("a pipe");
        let (output, server_output) = std::io::pipe().expect("a pipe");
        let tools = Arc::new(Scripted(tools, served));
        let served = std::thread::spawn({
            let listeners = listeners.clone();
            move || {
                let patience = Patience::default();
                let served =
                    stdio::serve(tools, &listeners, &patience, server_input, server_output);
                stdio::runtime()?.block_on(served)
            }
        });
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.expect("stdout is UTF-8");
                let message = serde_json::from_str(&line).unwrap_or_else(|_| json!({"bad": line}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Connection {
            input: Some(input),
            lines,
            served,
            listeners: listeners.clone(),
        }
    }

    /// As [`Connection::open`], after the legacy handshake.
    pub fn initialized<F>(make: impl FnOnce(Listeners) -> F) -> Connection
    where
        F: Fn(Tool, Value) -> Answer + Send + Sync + 'static,
    {
        let mut connection = Connection::open(make);
        connection.initialize();
        connection
    }

    /// The legacy handshake.
    pub fn initialize(&mut self) {
        self.send(&initialize_request("2025-11-25"));
        assert_eq!(self.next()["id"], "initialize");
    }

    /// Writes one message as one line.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Writes these bytes.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the server reads");
    }

    /// Sends a legacy request.
    pub fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a legacy tools/call.
    pub fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.send(&call_request(id, tool, arguments));
    }

    /// The next message; a line that is no JSON comes as `{"bad": line}`.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("a message comes")
    }

    /// The answer to a ping is the very next message.
    #[track_caller]
    pub fn ping(&mut self) {
        self.ask("ping", "ping", json!({}));
        assert_eq!(
            self.next(),
            json!({"jsonrpc": "2.0", "id": "ping", "result": {}})
        );
    }

    /// Ends the server's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The messages up to the end, after the server returned.
    #[track_caller]
    pub fn end(mut self) -> Vec<Value> {
        self.close_input();
        self.served.join().expect("no panic").expect("no error");
        self.lines.iter().collect()
    }
}
