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
//! Dependencies point one way: graph ← store ← tools ← mcp ← main.

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
