//! Which tools a server has, and what it says of them.

use std::io::{self, Write};
use std::sync::Arc;

use super::contract::{INSTRUCTIONS, PROMPTS, Paragraph, Prompt, Tool, Toolset};

/// The tools of a server, in the manifest's order. Whatever lists tools, finds
/// one by its name or names them goes by this, not by [`Tool::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    tools: Arc<[Tool]>,
    /// In the manifest's order.
    sets: Arc<[Toolset]>,
    read_only: bool,
}

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
        let all = Toolset::ALL.iter().copied();
        let sets: Arc<[Toolset]> = all.filter(|set| sets.contains(set)).collect();
        let tools = Tool::ALL.iter().copied();
        let tools = tools.filter(|tool| sets.contains(&tool.toolset()));
        let tools = tools.filter(|tool| !(read_only && tool.changes_graph()));
        Served {
            tools: tools.collect(),
            sets,
            read_only,
        }
    }

    /// The tools of all sets.
    pub fn all() -> Served {
        Served::of(Toolset::ALL, false)
    }

    /// Whether nothing may be written.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Whether it is what every server of this version serves by itself.
    pub fn is_default(&self) -> bool {
        *self == Served::default()
    }

    /// The tools.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool of this name, exactly.
    pub fn find(&self, name: &str) -> Option<Tool> {
        self.tools.iter().copied().find(|tool| tool.name() == name)
    }

    /// Why a tool of this name is not served although it exists, and which
    /// flags serve it.
    pub fn reason_against(&self, name: &str) -> Option<String> {
        let tool = Tool::from_name(name).filter(|tool| !self.tools.contains(tool))?;
        let set = tool.toolset();
        let has_set = self.sets.contains(&set);
        let cause = if has_set {
            "it changes the memory, and this server only reads".to_owned()
        } else {
            format!(
                "it is in the toolset {}, which this server does not serve",
                set.name()
            )
        };
        let names = Toolset::ALL.iter().filter(|known| {
            let is_served = self.sets.contains(known);
            is_served || **known == set
        });
        let names: Vec<&str> = names.map(|set| set.name()).collect();
        let with = (!has_set).then(|| format!("with --toolsets {}", names.join(",")));
        let is_kept_off = self.read_only && tool.changes_graph();
        let without = is_kept_off.then(|| "without --read-only (MEMORY_READ_ONLY)".to_owned());
        let flags: Vec<String> = with.into_iter().chain(without).collect();
        Some(format!("{cause}: start it {}", flags.join(" and ")))
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
        out.write_all(if self.tools.is_empty() { b"[]" } else { b"]" })
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
            let has_set = |set| self.tools.iter().any(|tool| tool.toolset() == set);
            paragraph.toolset.is_none_or(has_set) && self.has_all(paragraph.tools)
        };
        let said = INSTRUCTIONS.iter().filter(is_said);
        said.map(|paragraph| paragraph.text)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// What a person can start a conversation with: the prompts of which every
    /// tool that they name is served.
    pub fn prompts(&self) -> impl Iterator<Item = &'static Prompt> {
        let prompts = PROMPTS.iter();
        prompts.filter(|prompt| self.has_all(prompt.tools))
    }

    /// Why a prompt of this name is not served although it exists.
    pub fn reason_against_prompt(&self, name: &str) -> Option<String> {
        let prompt = PROMPTS.iter().find(|prompt| prompt.name == name)?;
        let mut tools = prompt.tools.iter().map(|tool| tool.name());
        tools.find_map(|tool| {
            let reason = self.reason_against(tool)?;
            Some(format!("it needs {tool}: {reason}"))
        })
    }

    fn has_all(&self, tools: &[Tool]) -> bool {
        tools.iter().all(|tool| self.tools.contains(tool))
    }
}
