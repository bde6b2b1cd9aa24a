//! Which tools a server has, and what it says of them.

use std::io::{self, Write};
use std::sync::Arc;

use super::contract::{INSTRUCTIONS, Paragraph, Tool, Toolset};

/// The tools of a server, in the manifest's order. Whatever lists tools, finds
/// one by its name or names them goes by this, not by [`Tool::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served(Arc<[Tool]>);

impl Default for Served {
    /// What is served when nobody asked for anything else.
    fn default() -> Self {
        Served::of(&[Toolset::DEFAULT], false)
    }
}

impl Served {
    /// The tools of these sets; with `read_only`, those of them that never
    /// change the graph.
    pub fn of(sets: &[Toolset], read_only: bool) -> Served {
        let tools = Tool::ALL.iter().copied();
        let tools = tools.filter(|tool| sets.contains(&tool.toolset()));
        let tools = tools.filter(|tool| !(read_only && tool.changes_graph()));
        Served(tools.collect())
    }

    /// The tools of all sets.
    pub fn all() -> Served {
        Served::of(Toolset::ALL, false)
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

    /// What a model is told about the server: of each set with a tool that is
    /// served its paragraphs, without those that name a tool that is not.
    pub fn instructions(&self) -> String {
        let is_said = |paragraph: &&Paragraph| {
            let has_set = |set| self.0.iter().any(|tool| tool.toolset() == set);
            paragraph.toolset.is_none_or(has_set) && self.has_all(paragraph.tools)
        };
        let said = INSTRUCTIONS.iter().filter(is_said);
        said.map(|paragraph| paragraph.text)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn has_all(&self, tools: &[Tool]) -> bool {
        tools.iter().all(|tool| self.0.contains(tool))
    }
}
