//! Words for people: numbers with their nouns, lists that are cut, and paths as
//! a shell reads them.

use std::borrow::Cow;

/// A number with its noun: `1 line`, `2 lines`.
#[must_use]
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A file's size: `0 bytes`, `1.5 kB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut unit = "";
    for next in ["kB", "MB", "GB", "TB"] {
        // What would be rounded to 1000 of a unit is 1 of the next.
        if size < 999.95 {
            break;
        }
        size /= 1000.0;
        unit = next;
    }
    match unit {
        "" => format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" }),
        unit => format!("{size:.1} {unit}"),
    }
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

/// The path as one word of a command line, so that the command can be pasted
/// into a shell of this system.
#[must_use]
pub fn shell_word(path: &str) -> Cow<'_, str> {
    if cfg!(windows) {
        windows_word(path)
    } else {
        posix_word(path)
    }
}

/// For sh and those like it. A path that holds a NUL is no word anywhere.
fn posix_word(path: &str) -> Cow<'_, str> {
    shlex::try_quote(path).unwrap_or(Cow::Borrowed(path))
}

/// For cmd and PowerShell. Both know double quotes; what PowerShell replaces or
/// ends within them (`$`, a grave accent, typographic quotes) needs its single
/// quotes, which cmd does not know.
fn windows_word(path: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || r"\/:._-".contains(letter);
    if !path.is_empty() && path.chars().all(is_plain) {
        return Cow::Borrowed(path);
    }
    let is_single = |letter: char| "'\u{2018}\u{2019}\u{201a}\u{201b}".contains(letter);
    if path.contains(['$', '`', '"', '\u{201c}', '\u{201d}', '\u{201e}']) {
        let mut word = String::from("'");
        for letter in path.chars() {
            word.push(letter);
            if is_single(letter) {
                word.push(letter);
            }
        }
        word.push('\'');
        return Cow::Owned(word);
    }
    // A program's own reading of its command line takes `\"` for a quote.
    let slashes = path.len() - path.trim_end_matches('\\').len();
    Cow::Owned(format!("\"{path}{}\"", "\\".repeat(slashes)))
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

    #[test]
    fn a_size_has_a_unit_that_keeps_it_short() {
        let sizes = [0, 1, 999, 1000, 1500, 999_949, 999_950, 2_147_483_648];
        assert_eq!(
            sizes.map(size),
            [
                "0 bytes",
                "1 byte",
                "999 bytes",
                "1.0 kB",
                "1.5 kB",
                "999.9 kB",
                "1.0 MB",
                "2.1 GB"
            ]
        );
    }

    #[test]
    fn a_path_is_one_word_of_a_posix_shell() {
        assert_eq!(posix_word("/data/m.jsonl"), "/data/m.jsonl");
        assert_eq!(posix_word("/my notes/m.jsonl"), "'/my notes/m.jsonl'");
        assert_eq!(posix_word("/it's/m"), "\"/it's/m\"");
        assert_eq!(posix_word("/$HOME/m"), "'/$HOME/m'");
    }

    #[test]
    fn a_path_is_one_word_of_cmd_and_of_powershell() {
        assert_eq!(
            windows_word(r"C:\Users\Ada\m.jsonl"),
            r"C:\Users\Ada\m.jsonl"
        );
        assert_eq!(windows_word(r"C:\Jürgen\m.jsonl"), r"C:\Jürgen\m.jsonl");
        assert_eq!(
            windows_word(r"C:\my notes\m.jsonl"),
            r#""C:\my notes\m.jsonl""#
        );
        assert_eq!(windows_word(r"C:\R&D (old)\m"), r#""C:\R&D (old)\m""#);
        assert_eq!(windows_word(r"C:\it's\m"), r#""C:\it's\m""#);
        assert_eq!(windows_word(r"C:\my notes\"), r#""C:\my notes\\""#);
        // Only PowerShell can be served here.
        assert_eq!(windows_word(r"C:\$x\it's"), r"'C:\$x\it''s'");
        assert_eq!(windows_word(""), "\"\"");
    }
}
