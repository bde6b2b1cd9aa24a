//! Tests through the public face: the built binary and the library.

#![allow(clippy::unwrap_used)]

mod paths;
mod program;
mod sessions;
mod support;
