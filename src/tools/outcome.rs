//! What a handler returns: neutral of MCP, which `mcp/` alone knows.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::store::StoreError;

/// The result of a tool that did its work.
///
/// `text` is the first text item, exactly what the reference server sends;
/// `note` is the second text item, present only when it has something to say;
/// `structured` is the structuredContent.
pub struct Outcome {
    /// The first text item.
    pub text: Body,
    /// The second text item.
    pub note: Option<String>,
    /// structuredContent, one JSON object.
    pub structured: Body,
}

impl Outcome {
    /// What a tool answers when all of it is small: a text, and the result.
    pub fn new(text: String, note: Option<String>, result: &impl Serialize) -> Outcome {
        Outcome {
            text: Body::Whole(text),
            note,
            structured: Body::Whole(
                serde_json::to_string(result)
                    .expect("a result has string keys and no failing part"),
            ),
        }
    }

    /// What a read tool answers when its result is no graph: the result, as text
    /// too. A graph is shown by [`GraphView`](super::render::GraphView).
    pub fn showing(result: &impl Serialize, note: Option<String>) -> Outcome {
        Outcome::new(pretty(result), note, result)
    }
}

/// What `JSON.stringify(value, null, 2)` prints.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("a result has string keys and no failing part")
}

/// A text that is written out when the reply is, so that a large one never
/// exists as a whole.
pub enum Body {
    /// A small text, whole.
    Whole(String),
    /// A text that is made while it is written.
    Rendered(Box<dyn Render>),
}

/// A body that is made while it is written.
pub trait Render: Send {
    /// Writes the text as it is.
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()>;
    /// Writes the text as the inside of a JSON string, without the quotes.
    fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl Body {
    /// Writes the text as it is.
    pub fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Body::Whole(text) => out.write_all(text.as_bytes()),
            Body::Rendered(text) => text.write_plain(out),
        }
    }

    /// Writes the text as the inside of a JSON string, without the quotes.
    pub fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Body::Whole(text) => {
                let quoted = serde_json::to_string(text)?;
                out.write_all(&quoted.as_bytes()[1..quoted.len() - 1])
            }
            Body::Rendered(text) => text.write_escaped(out),
        }
    }
}

/// Why a tool did not do its work. Its Display is what the model reads.
#[derive(Debug)]
pub enum ToolError {
    /// The arguments do not fit the tool's schema; the text is complete.
    Arguments(String),
    /// The graph does not allow it, e.g. `Entity with name X not found`.
    Graph(String),
    /// The memory file could not be read or written.
    Store(Arc<StoreError>),
    /// A bug: the handler panicked or its answer got lost. Answered as a
    /// JSON-RPC internal error.
    Internal(String),
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolError::Arguments(text) | ToolError::Graph(text) | ToolError::Internal(text) => {
                f.write_str(text)
            }
            ToolError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ToolError {}

impl From<Arc<StoreError>> for ToolError {
    fn from(error: Arc<StoreError>) -> Self {
        match *error {
            StoreError::Lost => ToolError::Internal(error.to_string()),
            _ => ToolError::Store(error),
        }
    }
}
