//! Tests through the public face: the built binary and the library.

#![allow(clippy::unwrap_used)]

mod arguments;
mod contract;
mod file;
mod program;
mod reference;
mod rooms;
mod sharing;
mod support;
mod wire;
mod writing;
