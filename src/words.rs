//! Words for people: numbers with their nouns, and paths as a shell reads them.

use std::borrow::Cow;

/// A number with its noun: `1 line`, `2 lines`.
#[must_use]
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The path as one word of a command line, so that the command can be pasted.
/// One that holds a NUL is no word anywhere.
#[must_use]
pub fn shell_word(path: &str) -> Cow<'_, str> {
    shlex::try_quote(path).unwrap_or(Cow::Borrowed(path))
}
