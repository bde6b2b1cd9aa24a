//! The tools: the contract, the check of the arguments, and one handler a tool.
//!
//! The map, in the order a call travels: `call` is where it comes in, `served`
//! says whether there is such a tool; `contract` is what `tools.yaml` says,
//! generated; `validate` checks the arguments; `work` is the call as a function
//! on the graph, one of `handlers`; `notes` are second texts, `render` writes
//! graphs as JSON, and `outcome` is what comes back.

mod call;
mod contract;
pub mod handlers;
mod notes;
pub mod outcome;
mod prompts;
pub mod render;
mod served;
pub mod validate;
mod work;

pub use call::{MemoryTools, Tools};
pub use contract::*;
pub use outcome::{Body, Outcome, Render, ToolError};
pub use served::Served;
pub use work::Work;
