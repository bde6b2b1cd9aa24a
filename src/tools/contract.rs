//! The contract as `build.rs` generates it from `tools.yaml`: the tools, the
//! types of their arguments and results, and what is said about them.

use std::sync::Arc;

use serde_json::Value;

use super::outcome::{Outcome, ToolError};
use super::work::Work;
use crate::graph::Graph;
use crate::store::Snapshot;

/// A text that `build.rs` wrote.
macro_rules! generated {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

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
    /// The tool of this name, exactly, whether or not it is served.
    pub fn from_name(name: &str) -> Option<Tool> {
        Tool::ALL.iter().copied().find(|tool| tool.name() == name)
    }

    /// Whether the tool may change the graph.
    pub fn changes_graph(self) -> bool {
        !Tool::READ_ONLY.contains(&self)
    }
}
