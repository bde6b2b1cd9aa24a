//! What is said of a command line that clap does not understand, and what a
//! person may have meant by it.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::config::Stop;
use crate::words::shell_word;

/// Clap's text, with a hint where one can be given.
pub(super) fn stop(error: &clap::Error) -> Stop {
    let mut text = error.render().to_string();
    match unknown_word(error) {
        Some(word) if is_of_npx(word) => text.push_str(
            "It looks left over from a configuration that starts the server with npx: remove \
             npx's arguments\n",
        ),
        // People write the path alone and expect it to be the memory file.
        Some(path) if bare_word(error) => text.push_str(&format!(
            "To use it as the memory file: --memory-file {}\n",
            shell_word(path)
        )),
        _ => {}
    }
    Stop {
        code: if error.use_stderr() { 2 } else { 0 },
        text,
    }
}

/// The argument that clap did not know, if that is what is wrong.
fn unknown_word(error: &clap::Error) -> Option<&str> {
    let word = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        _ => return None,
    };
    match error.get(word) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// Whether the unknown word stands alone: no flag, and no flag's value.
fn bare_word(error: &clap::Error) -> bool {
    error.kind() != ErrorKind::InvalidValue
        && unknown_word(error).is_some_and(|word| !word.starts_with('-'))
}

/// Whether a configuration for the reference server gives this to `npx`, or on
/// Windows to `cmd`.
fn is_of_npx(word: &str) -> bool {
    ["-y", "--yes", "/c", "npx"].contains(&word)
        || word.starts_with("@modelcontextprotocol/server-memory")
}
