//! A broken rule of the manifest, and where it is broken: keys that lead there,
//! of which `lines.rs` knows the line and column.

use super::error::{Error, Outline};
use super::lines::Lines;

/// Whose rule is broken.
#[derive(Clone, Copy)]
pub enum Owner<'a> {
    /// A whole list.
    Section(&'a str),
    Type(&'a str),
    Toolset(&'a str),
    Tool(&'a str),
    Prompt(&'a str),
}

/// What is wrong with a tool or a type, and where in it.
pub struct Fault {
    /// The keys that lead there, the innermost first.
    path: Vec<String>,
    /// A word of the list that stands there.
    word: Option<String>,
    text: String,
}

impl Fault {
    /// It stands where the owner does.
    pub fn of(text: impl Into<String>) -> Fault {
        Fault {
            path: Vec::new(),
            word: None,
            text: text.into(),
        }
    }

    /// It is this word of a list.
    pub fn at_word(word: &str, text: String) -> Fault {
        Fault {
            word: Some(word.to_owned()),
            ..Fault::of(text)
        }
    }

    /// It stands one key deeper.
    pub fn inside(mut self, key: &str) -> Fault {
        self.path.push(key.to_owned());
        self
    }

    /// The error, with the place.
    pub fn error(self, outline: &Outline, lines: &Lines<'_>, owner: Owner<'_>) -> Error {
        let (section, name, label) = match owner {
            Owner::Section(name) => return outline.error(name, &self.text),
            Owner::Type(name) => ("types", name, format!("type {name}")),
            Owner::Toolset(name) => ("toolsets", name, format!("toolset {name}")),
            Owner::Tool(name) => ("tools", name, format!("tool {name}")),
            Owner::Prompt(name) => ("prompts", name, format!("prompt {name}")),
        };
        if self.path.is_empty() {
            return outline.error(&label, &self.text);
        }
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        let keys: Vec<String> = [section, name]
            .iter()
            .chain(&path)
            .map(|&key| key.to_owned())
            .collect();
        let place = match &self.word {
            Some(word) => lines.word(&keys, word),
            None => lines.place(&keys),
        };
        let path = path.join(".").replace(".[", "[");
        Error::at(place, format!("{label}: {path}: {}", self.text))
    }
}
