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

/// Says why not everything was written to standard output, unless it was. A
/// reader that went away has seen enough. Whether all is well.
pub fn say_unless_written(result: std::io::Result<()>) -> bool {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            say(format_args!("cannot write to standard output: {error}"));
            false
        }
        _ => true,
    }
}
