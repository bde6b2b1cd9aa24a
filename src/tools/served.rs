//! Which tools a server has, and what it says of them.

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

    /// The value of `tools` in `tools/list`, byte for byte as the build made
    /// its parts, in one line.
    pub fn list(&self) -> String {
        let parts: Vec<&str> = self.0.iter().map(|tool| tool.listed()).collect();
        format!("[{}]", parts.join(","))
    }

    /// What a model is told about the server.
    pub fn instructions(&self) -> String {
        INSTRUCTIONS.join("\n")
    }
}
