//! Which tools a server has, and what it says of them.

use std::io::{self, Write};
use std::sync::Arc;

use super::contract::{INSTRUCTIONS, Tool};

/// The tools of a server, in the manifest's order. Whatever lists tools, finds
/// one by its name or names them goes by this, not by [`Tool::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served(Arc<[Tool]>);

impl Default for Served {
    /// What is served when nobody asked for anything else: all.
    fn default() -> Self {
        Served(Arc::from(Tool::ALL))
    }
}

impl Served {
    /// The tools that `is_wanted`.
    pub fn only(is_wanted: impl Fn(Tool) -> bool) -> Served {
        let wanted = Tool::ALL.iter().copied().filter(|&tool| is_wanted(tool));
        Served(wanted.collect())
    }

    /// Whether it is what every server of this version serves by itself.
    pub fn is_default(&self) -> bool {
        *self == Served::default()
    }

    /// The tools.
    pub fn tools(&self) -> &[Tool] {
        &self.0
    }

    /// The tool of this name, exactly.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.0.iter().copied().find(|tool| tool.name() == name)
    }

    /// Writes the value of `tools` in `tools/list`, byte for byte as the build
    /// made its parts, in one line.
    pub fn write_list(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut separator = "[";
        for tool in self.tools() {
            out.write_all(separator.as_bytes())?;
            out.write_all(tool.listed().as_bytes())?;
            separator = ",";
        }
        out.write_all(if self.0.is_empty() { b"[]" } else { b"]" })
    }

    /// The same as a text.
    pub fn list(&self) -> String {
        let mut list = Vec::new();
        self.write_list(&mut list)
            .expect("a vector takes every byte");
        String::from_utf8(list).expect("the parts are text")
    }

    /// What a model is told about the server.
    pub fn instructions(&self) -> String {
        INSTRUCTIONS.join("\n")
    }
}
