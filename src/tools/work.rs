//! What a call does once its arguments are checked: a function on the graph,
//! for the store to run, or for a test to run without one.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::outcome::{Outcome, ToolError};
use crate::graph::Graph;
use crate::store::Snapshot;

type Handled = Result<Outcome, ToolError>;

/// A call that has not run yet. Which of the two it is follows from the tool's
/// `readOnlyHint`, so a read-only tool never gets a graph that it can change.
pub enum Work {
    /// Looks at the graph.
    Read(Box<dyn FnOnce(&Snapshot) -> Handled + Send>),
    /// Changes the graph. It runs again, on another graph, when somebody else
    /// wrote the memory file in between; only the last run counts.
    Change(Box<dyn FnMut(&mut Graph) -> Handled + Send>),
}

impl Work {
    /// A read tool's work: its handler, with arguments that fit its schema.
    pub fn read<H, R>(
        handlers: &Arc<H>,
        arguments: Value,
        handle: fn(&H, &Snapshot, &R) -> Handled,
    ) -> Work
    where
        H: Send + Sync + 'static,
        R: DeserializeOwned + Send + 'static,
    {
        let (handlers, request) = (Arc::clone(handlers), request(arguments));
        Work::Read(Box::new(move |snapshot| {
            handle(&handlers, snapshot, &request)
        }))
    }

    /// Any other tool's.
    pub fn change<H, R>(
        handlers: &Arc<H>,
        arguments: Value,
        handle: fn(&H, &mut Graph, &R) -> Handled,
    ) -> Work
    where
        H: Send + Sync + 'static,
        R: DeserializeOwned + Send + 'static,
    {
        let (handlers, request) = (Arc::clone(handlers), request(arguments));
        Work::Change(Box::new(move |graph| handle(&handlers, graph, &request)))
    }
}

fn request<R: DeserializeOwned>(arguments: Value) -> R {
    serde_json::from_value(arguments).expect("arguments were validated against the tool's schema")
}
