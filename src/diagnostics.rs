//! Lines for people on stderr. stdout belongs to JSON-RPC alone.

use std::io::Write as _;

/// Prints one line. A closed stderr is no reason to fail, so errors are
/// dropped.
pub fn say(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "mcp-memory: {text}");
}

/// Prints one warning line.
pub fn warn(text: impl std::fmt::Display) {
    say(format_args!("warning: {text}"));
}
