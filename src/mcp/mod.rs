//! The wire: MCP, both protocol eras. What a tool does is in [`crate::tools`].
//!
//! The map, in the order a request travels:
//!
//! - [`stdio`]: messages come and go on standard input and output.
//! - `decode`: a line to a message, or to the error that answers it.
//! - `head`: the id of a message that cannot be read whole.
//! - `era`: the rules of the two eras.
//! - `server`: the methods.
//! - `prompts`: two of them.
//! - `subscriptions`: who hears of changes.
//! - `reply`: how messages look.
//! - `error`: the errors that several of these give.

mod decode;
mod era;
mod error;
mod head;
mod prompts;
mod reply;
mod server;
pub mod stdio;
mod subscriptions;
