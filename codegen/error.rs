//! What is wrong with `tools.yaml`, and where: serde_yaml's errors in our words,
//! with the tool that they stand in.

use std::fmt;

/// What is wrong with the manifest, and where.
#[derive(Debug)]
pub struct Error {
    line: usize,
    column: usize,
    message: String,
}

impl Error {
    /// An error at a line and a column.
    pub fn at((line, column): (usize, usize), message: String) -> Error {
        Error {
            line,
            column,
            message,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error {
            line,
            column,
            message,
        } = self;
        write!(f, "tools.yaml:{line}:{column}: {message}")
    }
}

/// How serde_yaml says that a plain text holds what ends a key: in a block, in
/// braces, and in a list, where it makes a mapping.
const COLON: [&str; 3] = [
    "mapping values are not allowed in this context",
    "did not find expected ',' or '}'",
    "invalid type: map, expected a text",
];

/// What an item of a list is called.
fn item_of(section: &str) -> Option<&'static str> {
    match section {
        "tools" => Some("tool"),
        "toolsets" => Some("toolset"),
        "prompts" => Some("prompt"),
        _ => None,
    }
}

/// Where each tool, toolset, prompt and shared type starts, read off the text's
/// indentation, since serde_yaml keeps no positions.
pub struct Outline(Vec<(String, usize, usize)>);

impl Outline {
    /// Reads the outline of a manifest's text. In a list each item has a `name`.
    pub fn of(text: &str) -> Outline {
        let mut entries: Vec<(String, usize, usize)> = Vec::new();
        let mut section = "";
        let mut depth = None;
        for (at, line) in text.lines().enumerate() {
            let content = line.trim_start();
            let indent = line.len() - content.len();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let key = |content: &'_ str| content.split(':').next().unwrap_or("").trim().to_owned();
            if indent == 0 && !content.starts_with('-') {
                section = line.split(':').next().unwrap_or("");
                depth = None;
                entries.push((section.to_owned(), at + 1, 1));
            } else if section == "types" && *depth.get_or_insert(indent) == indent {
                entries.push((format!("type {}", key(content)), at + 1, indent + 1));
            } else if let Some(item) = item_of(section) {
                let dash = content.strip_prefix("- ").map(str::trim_start);
                let starts = dash.is_some() && *depth.get_or_insert(indent) == indent;
                if starts {
                    entries.push((format!("{item} without a name"), at + 1, indent + 1));
                }
                let own = starts || Some(indent) == depth.map(|depth| depth + 2);
                if let Some(name) = dash
                    .filter(|_| starts)
                    .unwrap_or(content)
                    .strip_prefix("name:")
                    && own
                    && let Some((label, ..)) = entries.last_mut()
                {
                    let name = name.split(" #").next().unwrap_or("");
                    *label = format!("{item} {}", name.trim().trim_matches(['"', '\'']));
                }
            }
        }
        Outline(entries)
    }

    /// An error at the first line of one of them, by its label: of a
    /// duplicate, the later.
    pub fn error(&self, owner: &str, message: &str) -> Error {
        let entry = self.0.iter().rfind(|(label, ..)| label == owner);
        let (line, column) = entry.map_or((1, 1), |(_, line, column)| (*line, *column));
        Error {
            line,
            column,
            message: format!("{owner}: {message}"),
        }
    }

    /// A serde_yaml error in our words.
    pub fn explain(&self, error: &serde_yaml::Error) -> Error {
        let (line, column) = error
            .location()
            .map_or((1, 1), |at| (at.line(), at.column()));
        let whole = error.to_string();
        // Of an error in the YAML itself it says two places.
        let head = match whole.contains(", while parsing ") {
            true => whole.split_once(" at line "),
            false => whole.rsplit_once(" at line "),
        };
        let message = head.map_or(whole.as_str(), |(head, _)| head);
        let owner = self.0.iter().rfind(|(_, start, _)| *start <= line);
        let owner = owner.map_or("the file", |(label, ..)| label);
        // serde_yaml says the place as a path, `tools[3].annotations: `. The
        // owner's name says its start better.
        let (path, message) = match message.split_once(": ") {
            Some((path, rest)) if !path.contains(' ') => (path, rest),
            _ => ("", message),
        };
        let depth = if path.starts_with("types.") { 2 } else { 1 };
        let inner = path.splitn(depth + 1, '.').nth(depth).unwrap_or("");
        let gap = if inner.is_empty() { "" } else { ": " };
        let missing = message.starts_with("missing field");
        let hint = if COLON.iter().any(|word| message.contains(word)) {
            ", a text with a colon and a blank in it: quote it or use >-"
        } else if missing && message.contains("`description`") {
            ", everything is described"
        } else if missing && inner == "annotations" {
            ", a tool says all of `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`"
        } else if missing && inner.is_empty() && owner.starts_with("tool ") {
            ", a tool has all of `name`, `title`, `toolset`, `description`, `inputSchema`, `outputSchema`, `annotations`, `example`"
        } else if missing && inner.is_empty() && owner.starts_with("toolset ") {
            ", a toolset has all of `name`, `title`, `description`"
        } else if missing && inner.is_empty() && owner.starts_with("prompt ") {
            ", a prompt has all of `name`, `title`, `description`, `text`"
        } else {
            ""
        };
        Error {
            line,
            column,
            message: format!("{owner}: {inner}{gap}{message}{hint}"),
        }
    }
}
