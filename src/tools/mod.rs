//! The tools: the contract, the check of the arguments, and one handler a tool.
//!
//! The map, in the order a call travels: `contract` is what `tools.yaml` says,
//! generated; `validate` checks the arguments; `handlers` do the work on the
//! graph; `notes` are their second texts, `render` writes graphs as JSON, and
//! `outcome` is what comes back.

mod contract;
pub mod handlers;
mod notes;
pub mod outcome;
pub mod render;
pub mod validate;

pub use contract::*;
pub use outcome::{Body, Outcome, Render, ToolError};
use serde_json::{Map, Value};

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
