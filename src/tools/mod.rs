//! The tool contract. `tools.yaml` says it, `build.rs` generates it.

pub mod handlers;
pub mod listing;
mod notes;
pub mod outcome;
pub mod render;
pub mod validate;
pub use outcome::{Body, Outcome, Stream, ToolError};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A text that `build.rs` wrote.
macro_rules! generated {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// The `tools/list` payload, `{"tools":[…]}`, one line of JSON.
pub const TOOLS_LIST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tools_list.json"));

/// The resource that stands for the whole graph; the manifest says its texts.
#[derive(Debug, Clone, Copy)]
pub struct Resource {
    /// Compared exactly.
    pub uri: &'static str,
    /// The programmatic name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The type of its text.
    pub mime_type: &'static str,
}

impl Tool {
    /// The tool of this name, exactly.
    pub fn from_name(name: &str) -> Option<Tool> {
        Tool::ALL.iter().copied().find(|tool| tool.name() == name)
    }

    /// Whether the tool may change the graph.
    pub fn changes_graph(self) -> bool {
        !Tool::READ_ONLY.contains(&self)
    }
}

/// Checks the arguments of a `tools/call` and hands them to the tool.
///
/// Nothing before the handler's first suspension waits, so calls that are
/// polled in the order of their arrival reach the store in that order.
pub async fn call<T: Tools>(
    tools: &T,
    tool: Tool,
    arguments: Option<Map<String, Value>>,
) -> Result<Outcome, ToolError> {
    let arguments = validate::arguments(tool, arguments)?;
    dispatch(tools, tool, arguments).await
}

/// Makes a tool's request of arguments that fit its schema.
fn request<R: DeserializeOwned>(arguments: Value) -> R {
    serde_json::from_value(arguments).expect("arguments were validated against the tool's schema")
}
