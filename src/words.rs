//! Words for people: numbers with their nouns, lists that are cut, and paths as
//! a shell reads them.

use std::borrow::Cow;

/// A number with its noun: `1 line`, `2 lines`.
#[must_use]
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What stands behind a list of `all` items of which the first `shown` are
/// listed: `and 3 more`. `None` where none is left out.
#[must_use]
pub fn and_more(all: usize, shown: usize) -> Option<String> {
    let rest = all.checked_sub(shown).filter(|rest| *rest > 0)?;
    Some(format!("and {rest} more"))
}

/// The same with a noun: `and 1 more line`.
#[must_use]
pub fn and_more_of(all: usize, shown: usize, one: &str, many: &str) -> Option<String> {
    let more = and_more(all, shown)?;
    let noun = if all - shown == 1 { one } else { many };
    Some(format!("{more} {noun}"))
}

/// The first `shown` items in one sentence, and how many more there are:
/// `a, b and 3 more`.
#[must_use]
pub fn listed(items: impl ExactSizeIterator<Item = String>, shown: usize) -> String {
    let more = and_more(items.len(), shown);
    let mut text = items.take(shown).collect::<Vec<_>>().join(", ");
    if let Some(more) = more {
        text.push(' ');
        text.push_str(&more);
    }
    text
}

/// The path as one word of a command line, so that the command can be pasted.
/// One that holds a NUL is no word anywhere.
#[must_use]
pub fn shell_word(path: &str) -> Cow<'_, str> {
    shlex::try_quote(path).unwrap_or(Cow::Borrowed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_cut_tells_how_many_more_there_are() {
        let list = |all: usize| listed((0..all).map(|item| (item + 1).to_string()), 2);
        assert_eq!([0, 1, 2].map(list), ["", "1", "1, 2"]);
        assert_eq!(list(3), "1, 2 and 1 more");
        assert_eq!(and_more(2, 2), None);
        assert_eq!(and_more(12, 2).as_deref(), Some("and 10 more"));
        let lines = |all| and_more_of(all, 2, "line", "lines");
        assert_eq!(lines(2), None);
        assert_eq!(lines(3).as_deref(), Some("and 1 more line"));
        assert_eq!(lines(4).as_deref(), Some("and 2 more lines"));
    }
}
