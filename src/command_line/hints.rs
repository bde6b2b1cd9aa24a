//! What is said of a command line that clap does not understand, and what a
//! person may have meant by it.
//!
//! A hint is given only if the command line is understood once it is followed:
//! each is tried before it is printed.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::config::Stop;
use crate::words::shell_word;

/// What becomes of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trial {
    Fails,
    Serves,
    /// A subcommand does something else.
    Does,
}

/// Clap's text, with a hint where one can be given. `arguments` begins with the
/// program's name.
pub(super) fn stop(
    mut error: clap::Error,
    arguments: &[OsString],
    attempt: impl Fn(&[OsString]) -> Trial,
) -> Stop {
    drop_useless_tip(&mut error, arguments, &attempt);
    let mut text = error.render().to_string();
    if let Some(hint) = hint(&error, arguments, attempt) {
        text.push_str(&hint);
        text.push('\n');
    }
    Stop {
        code: if error.use_stderr() { 2 } else { 0 },
        text,
    }
}

/// Words that people write where serving needs none.
const NEEDLESS: [&str; 6] = ["serve", "server", "start", "run", "stdio", "memory"];

fn hint(
    error: &clap::Error,
    arguments: &[OsString],
    attempt: impl Fn(&[OsString]) -> Trial,
) -> Option<String> {
    let word = unknown_word(error)?.to_owned();
    let left: Vec<OsString> = arguments
        .iter()
        .filter(|argument| !argument.to_str().is_some_and(is_of_npx))
        .cloned()
        .collect();
    if is_of_npx(&word)
        && let Some(left) = servable(left, &attempt)
    {
        let words = left.iter().skip(1).map(|word| word.to_string_lossy());
        let words = words.map(|word| shell_word(&word).into_owned());
        let name = Path::new(&left[0]).file_stem().unwrap_or_default();
        let left: Vec<String> = std::iter::once(name.to_string_lossy().into_owned())
            .chain(words)
            .collect();
        return Some(format!(
            "It looks left over from a configuration that starts the server with npx: remove \
             npx's arguments, so that this is left: {}",
            left.join(" ")
        ));
    }
    let at = arguments
        .iter()
        .skip(1)
        .position(|argument| *argument == *word)?
        + 1;
    let replaced = |by: &[&str]| {
        let mut arguments = arguments.to_vec();
        arguments.splice(at..=at, by.iter().map(OsString::from));
        attempt(&arguments)
    };
    if word.to_lowercase().contains("memory")
        && error.kind() == ErrorKind::InvalidValue
        && error.get(ContextKind::SuggestedValue).is_none()
        && replaced(&["memory"]) == Trial::Serves
    {
        return Some("Did you mean memory?".to_owned());
    }
    if replaced(&["--", &word]) == Trial::Does && !word.starts_with('-') {
        return Some(format!("Write -- before the command: -- {word}"));
    }
    let has_tip = error.get(ContextKind::SuggestedSubcommand).is_some();
    if error.kind() == ErrorKind::InvalidValue || has_tip {
        return None;
    }
    if NEEDLESS.contains(&word.as_str()) && replaced(&[]) == Trial::Serves {
        return Some(format!("It serves without any word: leave out {word}"));
    }
    // People write the path alone and expect it to be the memory file.
    let is_path = word.contains(['/', '\\', '.', '~']) && !word.starts_with('-');
    (is_path && replaced(&["--memory-file", &word]) == Trial::Serves).then(|| {
        format!(
            "To use it as the memory file: --memory-file {}",
            shell_word(&word)
        )
    })
}

/// The command line if it serves, perhaps with the word that the second binary
/// wants to be told.
fn servable(
    arguments: Vec<OsString>,
    attempt: impl Fn(&[OsString]) -> Trial,
) -> Option<Vec<OsString>> {
    let mut with_word = arguments.clone();
    with_word.insert(1.min(arguments.len()), "memory".into());
    [arguments, with_word]
        .into_iter()
        .find(|arguments| attempt(arguments) == Trial::Serves)
}

/// Clap says how to pass an unknown flag as a value wherever there are values,
/// also where no value but one is known.
fn drop_useless_tip(
    error: &mut clap::Error,
    arguments: &[OsString],
    attempt: impl Fn(&[OsString]) -> Trial,
) {
    let Some(word) = unknown_word(error) else {
        return;
    };
    let Some(at) = arguments.iter().position(|argument| *argument == *word) else {
        return;
    };
    let mut with_dashes = arguments.to_vec();
    with_dashes.insert(at, "--".into());
    if attempt(&with_dashes) == Trial::Fails
        && let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
    {
        let tips: Vec<_> = tips
            .iter()
            .filter(|tip| !tip.to_string().contains("'-- "))
            .cloned()
            .collect();
        if tips.is_empty() {
            error.remove(ContextKind::Suggested);
        } else {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
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

/// Whether a configuration for the reference server gives this to `npx`, or on
/// Windows to `cmd`.
fn is_of_npx(word: &str) -> bool {
    ["-y", "--yes", "/c", "npx"].contains(&word)
        || word.starts_with("@modelcontextprotocol/server-memory")
}
