//! Which line of `tools.yaml` says a part of the contract. serde_yaml keeps no
//! positions, so they are read off the indentation, as the manifest is written:
//! blocks, with short mappings in braces at the ends. Aliases and shared types
//! are followed.

/// A manifest's text, and those of its lines that say something.
pub struct Lines<'a> {
    text: &'a str,
    rows: Vec<Row<'a>>,
}

/// `key: value`, or `-` alone for the start of a list's item.
struct Row<'a> {
    line: usize,
    indent: usize,
    key: &'a str,
    value: &'a str,
}

impl<'a> Lines<'a> {
    /// Reads the text of a manifest.
    pub fn of(text: &'a str) -> Lines<'a> {
        let mut rows = Vec::new();
        for (at, whole) in text.lines().enumerate() {
            let line = at + 1;
            let mut content = whole.trim_start();
            let mut indent = whole.len() - content.len();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if let Some(item) = content.strip_prefix("- ") {
                rows.push(Row {
                    line,
                    indent,
                    key: "-",
                    value: "",
                });
                content = item.trim_start();
                indent = whole.len() - content.len();
            }
            let (key, value) = content.split_once(':').unwrap_or((content, ""));
            rows.push(Row {
                line,
                indent,
                key: key.trim_matches(['"', '\'']),
                value: value.trim(),
            });
        }
        Lines { text, rows }
    }

    /// The line and column, from 1, of what these keys lead to in the published contract:
    /// `tools`, a tool's name, `inputSchema`, … Where the manifest has no line
    /// of its own for it, the line of what holds it. `[2]` is a list's third item.
    pub fn place(&self, keys: &[String]) -> (usize, usize) {
        let row = self.row(keys).map(|at| &self.rows[at]);
        row.map_or((1, 1), |row| (row.line, row.indent + 1))
    }

    /// Where a word of a list stands last, in brackets or with a dash; failing
    /// that, where the list starts.
    pub fn word(&self, keys: &[String], word: &str) -> (usize, usize) {
        let Some(row) = self.row(keys).map(|at| &self.rows[at]) else {
            return (1, 1);
        };
        let inside = |line: &str| {
            let content = line.trim_start();
            line.len() - content.len() > row.indent || content.starts_with("- ")
        };
        let lines = self.text.lines().enumerate().skip(row.line - 1);
        let lines = lines.take_while(|&(at, line)| at + 1 == row.line || inside(line));
        let places = lines.flat_map(|(at, line)| {
            let own_key = if at + 1 == row.line {
                row.indent + row.key.len()
            } else {
                0
            };
            let is_word = |&(start, found): &(usize, &str)| {
                let around = [
                    line[..start].chars().next_back(),
                    line[start + found.len()..].chars().next(),
                ];
                let is_letter =
                    |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                start >= own_key && !around.into_iter().any(is_letter)
            };
            let found = line.match_indices(word).filter(is_word);
            found
                .map(move |(start, _)| (at + 1, start + 1))
                .collect::<Vec<_>>()
        });
        places.last().unwrap_or((row.line, row.indent + 1))
    }

    fn row(&self, keys: &[String]) -> Option<usize> {
        let mut keys = keys.iter();
        let mut at = self.section(keys.next()?)?;
        for key in keys {
            let Some(next) = self.step(at, key) else {
                break;
            };
            at = next;
        }
        Some(at)
    }

    fn section(&self, key: &str) -> Option<usize> {
        let is_it = |row: &Row<'_>| row.indent == 0 && row.key == key;
        self.rows.iter().position(is_it)
    }

    /// From a row to what is called `key` in it: a child, a child of the alias
    /// that stands there, an item of this name, or a property of the shared
    /// type that the row names.
    fn step(&self, at: usize, key: &str) -> Option<usize> {
        let at = self.anchor(self.rows[at].value).unwrap_or(at);
        if let Some(index) = key.strip_prefix('[') {
            let index = index.trim_end_matches(']').parse().ok()?;
            let mut items = self
                .children(at)
                .filter(|&child| self.rows[child].key == "-");
            return items.nth(index);
        }
        self.children(at)
            .find(|&child| self.rows[child].key == key || self.item_name(child) == Some(key))
            .or_else(|| {
                if key == "items" {
                    // In braces: the line says both.
                    return Some(at);
                }
                let shared = self.shared_type(at)?;
                self.step(shared, key)
            })
    }

    /// The rows one level below a row.
    fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let own = self.rows[at].indent;
        let below = self.rows[at + 1..].iter();
        let below = below.take_while(move |row| row.indent > own);
        let indent = self.rows.get(at + 1).map_or(0, |row| row.indent);
        (at + 1..)
            .zip(below)
            .filter(move |(_, row)| row.indent == indent)
            .map(|(at, _)| at)
    }

    /// The name of the list item that starts at this row.
    fn item_name(&self, at: usize) -> Option<&str> {
        if self.rows[at].key != "-" {
            return None;
        }
        let name = self
            .children(at)
            .find(|&child| self.rows[child].key == "name")?;
        let value = self.rows[name].value.split(" #").next()?;
        Some(value.trim().trim_matches(['"', '\'']))
    }

    /// The row that an alias refers to.
    fn anchor(&self, value: &str) -> Option<usize> {
        let name = value.strip_prefix('*')?;
        self.rows.iter().position(|row| {
            let anchor = row.value.strip_prefix('&');
            anchor.and_then(|anchor| anchor.split_whitespace().next()) == Some(name)
        })
    }

    /// The shared type that a row names, in braces or in a line below it.
    fn shared_type(&self, at: usize) -> Option<usize> {
        let types = self.section("types")?;
        let inside = self.rows[at].value.split("type:").skip(1);
        let below = self.children(at).map(|child| &self.rows[child]);
        let below = below.filter(|row| row.key == "type").map(|row| row.value);
        inside.chain(below).find_map(|kind| {
            let kind = kind.trim_start().split([' ', ',', '}']).next()?;
            self.children(types)
                .find(|&child| self.rows[child].key == kind)
        })
    }
}
