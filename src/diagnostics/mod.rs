//! Lines for people on stderr. stdout belongs to JSON-RPC alone.
//!
//! Many clients start a server with stderr as a pipe and never read it. A line
//! that finds no room there is left out, because waiting for a reader who never
//! comes would stop the session; the next line that finds room is preceded by
//! the number of those before it.

#[cfg(not(unix))]
mod queue;
#[cfg(unix)]
mod room;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[cfg(not(unix))]
use queue as stderr;
#[cfg(unix)]
use room as stderr;

/// What was left out since the last line that was written.
#[derive(Default)]
struct LeftOut {
    lines: usize,
    /// Whether only a part of the last line was written.
    is_torn: bool,
}

static LEFT_OUT: Mutex<LeftOut> = Mutex::new(LeftOut {
    lines: 0,
    is_torn: false,
});

/// How long the end of the program waits for somebody to read what was said.
const LAST_WAIT: Duration = Duration::from_millis(200);

/// Prints one line, if there is room for it. A closed stderr is no reason to
/// fail, so errors are dropped.
pub fn say(text: impl std::fmt::Display) {
    print(&format!("mcp-memory: {text}\n"), Duration::ZERO);
}

/// Prints one warning line.
pub fn warn(text: impl std::fmt::Display) {
    say(format_args!("warning: {text}"));
}

/// Prints text as it is, and waits a moment for room: for what is said right
/// before the program ends.
pub fn say_at_last(text: &str) {
    print(text, LAST_WAIT);
    finish();
}

/// The program ends: gives what was said a moment to be read, and says how much
/// was left out.
pub fn finish() {
    print("", LAST_WAIT);
    stderr::finish(LAST_WAIT);
}

fn print(text: &str, wait: Duration) {
    let mut left_out = LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner);
    let mut whole = String::new();
    if left_out.is_torn {
        whole.push('\n');
    }
    if left_out.lines > 0 {
        let lines = crate::words::count(left_out.lines, "line", "lines");
        whole.push_str(&format!(
            "mcp-memory: {lines} left out here, because nobody read them\n"
        ));
    }
    whole.push_str(text);
    let written = stderr::write(whole.as_bytes(), wait);
    if written == whole.len() {
        *left_out = LeftOut::default();
    } else if !text.is_empty() {
        left_out.lines += 1;
        left_out.is_torn |= written > 0;
    }
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
