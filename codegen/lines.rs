//! Which line of `tools.yaml` says a part of the contract. serde_yaml keeps no
//! positions, so they are read off the indentation, as the manifest is written:
//! blocks, with short mappings in braces at the ends. Aliases and shared types
//! are followed.

/// The lines of a manifest that say something.
pub struct Lines<'a>(Vec<Row<'a>>);

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
        Lines(rows)
    }

    /// The line, from 1, of what these keys lead to in the published contract:
    /// `tools`, a tool's name, `inputSchema`, … Where the manifest has no line
    /// of its own for it, the line of what holds it.
    pub fn line(&self, keys: &[String]) -> usize {
        let mut keys = keys.iter();
        let Some(mut at) = keys.next().and_then(|key| self.section(key)) else {
            return 1;
        };
        for key in keys {
            let Some(next) = self.step(at, key) else {
                break;
            };
            at = next;
        }
        self.0[at].line
    }

    fn section(&self, key: &str) -> Option<usize> {
        let is_it = |row: &Row<'_>| row.indent == 0 && row.key == key;
        self.0.iter().position(is_it)
    }

    /// From a row to what is called `key` in it: a child, a child of the alias
    /// that stands there, an item of this name, or a property of the shared
    /// type that the row names.
    fn step(&self, at: usize, key: &str) -> Option<usize> {
        let at = self.anchor(self.0[at].value).unwrap_or(at);
        self.children(at)
            .find(|&child| self.0[child].key == key || self.item_name(child) == Some(key))
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
        let own = self.0[at].indent;
        let below = self.0[at + 1..].iter();
        let below = below.take_while(move |row| row.indent > own);
        let indent = self.0.get(at + 1).map_or(0, |row| row.indent);
        (at + 1..)
            .zip(below)
            .filter(move |(_, row)| row.indent == indent)
            .map(|(at, _)| at)
    }

    /// The name of the list item that starts at this row.
    fn item_name(&self, at: usize) -> Option<&str> {
        if self.0[at].key != "-" {
            return None;
        }
        let name = self
            .children(at)
            .find(|&child| self.0[child].key == "name")?;
        let value = self.0[name].value.split(" #").next()?;
        Some(value.trim().trim_matches(['"', '\'']))
    }

    /// The row that an alias refers to.
    fn anchor(&self, value: &str) -> Option<usize> {
        let name = value.strip_prefix('*')?;
        self.0.iter().position(|row| {
            let anchor = row.value.strip_prefix('&');
            anchor.and_then(|anchor| anchor.split_whitespace().next()) == Some(name)
        })
    }

    /// The shared type that a row names, in braces or in a line below it.
    fn shared_type(&self, at: usize) -> Option<usize> {
        let types = self.section("types")?;
        let inside = self.0[at].value.split("type:").skip(1);
        let below = self.children(at).map(|child| &self.0[child]);
        let below = below.filter(|row| row.key == "type").map(|row| row.value);
        inside.chain(below).find_map(|kind| {
            let kind = kind.trim_start().split([' ', ',', '}']).next()?;
            self.children(types)
                .find(|&child| self.0[child].key == kind)
        })
    }
}
