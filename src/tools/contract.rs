//! The contract as `build.rs` generates it from `tools.yaml`: the tools, the
//! types of their arguments and results, and what is said about them.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::outcome::{Outcome, ToolError};

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

/// Makes a tool's request of arguments that fit its schema.
fn request<R: DeserializeOwned>(arguments: Value) -> R {
    serde_json::from_value(arguments).expect("arguments were validated against the tool's schema")
}
