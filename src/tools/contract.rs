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

/// A paragraph of what a model is told about the server.
#[derive(Debug, Clone, Copy)]
pub struct Paragraph {
    /// The set that it speaks of; none, where it speaks of all.
    pub toolset: Option<Toolset>,
    /// One line.
    pub text: &'static str,
    /// The tools that it names.
    pub tools: &'static [Tool],
}

/// A text that a person has the client put into a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Prompt {
    /// Compared exactly.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does.
    pub description: &'static str,
    /// What the person fills in, all of it.
    pub arguments: &'static [Argument],
    /// What the model is told; `{topic}` is the argument `topic`.
    pub text: &'static str,
    /// The tools that it names.
    pub tools: &'static [Tool],
}

/// What a person fills into a prompt.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// The name, as braces have it in the text.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
}

impl Toolset {
    /// The set of this name, exactly.
    pub fn from_name(name: &str) -> Option<Toolset> {
        Toolset::ALL.iter().copied().find(|set| set.name() == name)
    }
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
