//! Tests through the public face: the built binary and the library.

#![allow(clippy::unwrap_used)]

mod arguments;
mod contract;
mod file;
mod program;
mod reference;
mod rooms;
mod sharing;
// Some of it serves only tests that need a Unix system.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod support;
mod wire;
mod writing;
