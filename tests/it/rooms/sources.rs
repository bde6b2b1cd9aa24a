//! The crate's own files as the compiler sees them: comments, strings and tests
//! aside, each with the paths that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::repository;

/// One file of `src`.
pub struct Source {
    /// Its path below `src`, with `/`.
    pub path: String,
    /// How many lines it has, unit tests set aside.
    pub lines: usize,
    /// What is compiled into the program, with comments and the insides of
    /// strings blanked.
    pub code: String,
    /// Its module: `store::disk` for `store/disk/mod.rs`.
    pub module: Vec<String>,
    /// What it takes from the file of another module and shows as its own.
    pub shown: BTreeMap<String, Vec<String>>,
}

/// All files of `src`, without those of unit tests.
pub fn sources() -> Vec<Source> {
    let root = repository("src");
    let mut paths = Vec::new();
    files_below(&root, &mut paths);
    paths.sort();
    paths
        .iter()
        .filter(|path| path.file_name().unwrap() != "tests.rs")
        .map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let relative = path.strip_prefix(&root).unwrap();
            let path = relative.to_str().unwrap().replace('\\', "/");
            Source::of(path, &text)
        })
        .collect()
}

fn files_below(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

impl Source {
    pub fn of(path: String, text: &str) -> Source {
        let module = module_of(&path);
        let code = without_reach(&without_tests(&blanked(text)));
        let mut shown = BTreeMap::new();
        for statement in statements(&code, "pub use ") {
            for mut full in expanded(statement) {
                if full.first().is_some_and(|first| first == "self") {
                    full.remove(0);
                }
                if let Some(name) = full.last().cloned() {
                    shown.insert(name, full);
                }
            }
        }
        Source {
            lines: without_tests(&blanked(text)).lines().count(),
            path,
            code,
            module,
            shown,
        }
    }

    /// The first part of its path: the room, or the file at the top.
    pub fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The paths that it names, but for what it only shows as its own.
    pub fn paths(&self) -> BTreeSet<Vec<String>> {
        let mut paths = BTreeSet::new();
        let mut rest = self.code.clone();
        for (start, is_shown) in [("pub use ", true), ("use ", false)] {
            for statement in statements(&rest.clone(), start) {
                rest = rest.replacen(statement, "", 1);
                if !is_shown {
                    paths.extend(expanded(statement));
                }
            }
        }
        paths.extend(inline_paths(&rest));
        paths
    }
}

fn module_of(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// The text with the insides of comments, strings and characters as blanks.
fn blanked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            at + rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            at + rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(quotes) = raw_string(rest) {
            let close = format!("\"{}", "#".repeat(quotes));
            let open = rest.find('"').unwrap() + 1;
            at + open + rest[open..].find(&close).unwrap() + close.len()
        } else if rest.starts_with('"') {
            at + 1 + string_length(&bytes[at + 1..])
        } else if let Some(length) = character_length(rest) {
            at + length
        } else {
            at += rest.chars().next().unwrap().len_utf8();
            continue;
        };
        out[at..end]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(out).expect("whole characters were blanked")
}

/// How many `#` a raw string that begins here has.
fn raw_string(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let quotes = rest.len() - rest.trim_start_matches('#').len();
    rest[quotes..].starts_with('"').then_some(quotes)
}

/// The length of a string's inside and its closing quote.
fn string_length(inside: &[u8]) -> usize {
    let mut at = 0;
    while inside[at] != b'"' {
        at += if inside[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The length of a character literal that begins here; a lifetime is none.
fn character_length(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    if let Some(escaped) = inside.strip_prefix('\\') {
        let escape = escaped.chars().next()?.len_utf8();
        return Some(2 + escape + escaped[escape..].find('\'')? + 1);
    }
    let letter = inside.chars().next()?;
    inside[letter.len_utf8()..]
        .starts_with('\'')
        .then(|| letter.len_utf8() + 2)
}

/// The code without what `#[cfg(test)]` stands before.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("#[cfg(test)]") {
        kept.push_str(before);
        let brace = after.find('{').unwrap_or(after.len());
        let semicolon = after.find(';').unwrap_or(after.len());
        rest = if semicolon < brace {
            &after[semicolon + 1..]
        } else {
            &after[brace + block_length(&after[brace..])..]
        };
    }
    kept + rest
}

/// The code without the places in `pub(crate)` and its like, which only say who may
/// use a thing.
fn without_reach(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("pub(") {
        kept.push_str(before);
        kept.push_str("pub");
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The length of a block in braces.
fn block_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// The statements that begin a line like this, up to their semicolon.
fn statements<'a>(code: &'a str, start: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut offset = 0;
    for line in code.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let is_use = line[indent..].starts_with(start);
        if is_use {
            let begin = offset + indent;
            let end = code[begin..]
                .find(';')
                .map_or(code.len(), |end| begin + end);
            found.push(&code[begin..end]);
        }
        offset += line.len();
    }
    found
}

/// All paths of a `use` statement: `use a::{b, c::d}` has `a::b` and `a::c::d`.
fn expanded(statement: &str) -> Vec<Vec<String>> {
    let tree = statement.strip_prefix("pub ").unwrap_or(statement);
    let tree = tree.strip_prefix("use ").unwrap_or(tree);
    let mut paths = Vec::new();
    expand(tree.trim(), &[], &mut paths);
    paths
}

fn expand(tree: &str, before: &[String], into: &mut Vec<Vec<String>>) {
    let (head, inner) = match tree.split_once('{') {
        Some((head, inner)) => (head, inner.trim_end().strip_suffix('}')),
        None => (tree, None),
    };
    let mut path = before.to_vec();
    let head = head.split(" as ").next().unwrap_or_default();
    let names = head.split("::").map(str::trim);
    path.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
    let Some(inner) = inner else {
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        into.push(path);
        return;
    };
    for part in parts(inner) {
        expand(part, &path, into);
    }
}

/// What stands between the commas that are in no braces.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The paths of two names and more in code.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    code.split(|letter: char| !is_name(letter) && letter != ':')
        .map(|word| word.trim_matches(':'))
        .filter(|word| word.contains("::"))
        .map(|word| word.split("::").map(str::to_owned).collect())
        .collect()
}

#[test]
fn strings_comments_and_tests_are_set_aside_and_paths_are_found() {
    let text = r##"
//! crate::comment
use crate::json::{self, Scanner, strings::{self as s, Raw}};
pub use inner::Shown;
pub(in crate::reach) fn g() {}
fn f<'a>(x: &'a str) -> char {
    let quote = '"';
    let raw = r#"crate::raw "inside" "#;
    super::other::call("crate::string \" still");
    '\''
}
#[cfg(test)]
mod tests {
    use crate::tests_only::X;
}
"##;
    let source = Source::of("a/b.rs".to_owned(), text);
    let paths: Vec<String> = source.paths().iter().map(|path| path.join("::")).collect();
    assert_eq!(
        paths,
        [
            "crate::json",
            "crate::json::Scanner",
            "crate::json::strings",
            "crate::json::strings::Raw",
            "super::other::call"
        ]
    );
    assert_eq!(source.module, ["a", "b"]);
    assert_eq!(source.shown["Shown"], ["inner", "Shown"]);
}
