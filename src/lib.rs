//! A memory server for AI agents: an MCP server on stdio that keeps a
//! knowledge graph in one JSONL file.
//!
//! The map, in the order a request travels:
//!
//! - [`mcp`]: bytes on stdio, both protocol eras, subscriptions. Alone knows
//!   rmcp and JSON-RPC.
//! - [`tools`]: the contract, generated from `tools.yaml`, the check of the
//!   arguments, and one handler a tool.
//! - [`store`]: the memory file: reading, locking, replacing. Alone touches
//!   files.
//! - [`graph`]: the domain: entities, observations, relations. No I/O, no
//!   async, no JSON.
//! - [`json`]: JSON over bytes, for the memory file.
//! - [`config`]: flags, environment and the path rules. Alone reads the
//!   environment.
//! - [`command_line`]: the arguments of both binaries, and what is said of those
//!   that nobody understands.
//! - [`program`]: what both binaries do: puts the parts together, and serves.
//! - [`commands`]: what a person at a terminal asks of the program, a file a
//!   subcommand.
//! - [`diagnostics`]: lines for people on stderr; [`words`]: what they say in
//!   more than one place.
//! - [`ending`]: how long what was begun may go on once the end is in sight, and
//!   [`signals`], which bring it.
//! - [`limits`]: what a system limits a process to.
//!
//! Dependencies point one way: graph ← store ← tools ← mcp ← main. A test over
//! the sources holds that (`tests/it/rooms`).
//!
//! Each folder's `mod.rs` says which file does what. Where to look first:
//!
//! | question | file |
//! |---|---|
//! | When is a lock taken for dead, and how is it broken? | `store/lock/watched.rs` judges it, `store/lock/acquire.rs` decides, `store/lock/clearing.rs` removes it |
//! | How does a write replace the file? | `store/memory/commit.rs`, `store/disk/replace.rs` |
//! | When is the file read again? | `store/memory/cache.rs` |
//! | What is a good line, and what is wrong with a bad one? | `store/format/line/mod.rs`, `store/format/line/fault.rs` |
//! | What does repair do with a torn line, with garbage, with a record over two lines? | `store/format/salvage/apart.rs` says what is kept of it; `store/format/parts/mod.rs` finds records over several lines |
//! | What does repair write, and what does it keep aside? | `store/doctor/repair.rs`, `store/doctor/aside.rs` |
//! | Where is the error for an unknown tool worded? | `mcp/server.rs`, and why it is not served in `tools/served.rs` |
//! | for an unknown method, or a request before `initialize`? | `mcp/era.rs` |
//! | for arguments that do not fit? | `tools/validate/explain.rs` |
//! | for a file that cannot be read or written? | `store/error.rs`, `store/disk/cause.rs` |
//! | for a line on the wire that is no message? | `mcp/decode/mod.rs` |
//! | for flags, variables and paths? | `command_line/hints.rs`, `config/path.rs` |
//! | What does a tool do? | `tools/handlers.rs`, then `graph/read.rs` or `graph/change.rs` |
//! | What do the notes say, which are the second text of a result? | `tools/notes.rs` |

pub mod command_line;
pub mod commands;
pub mod config;
pub mod diagnostics;
pub mod ending;
pub mod graph;
pub mod json;
pub mod limits;
pub mod mcp;
pub mod program;
pub mod signals;
pub mod store;
pub mod tools;
pub mod words;
