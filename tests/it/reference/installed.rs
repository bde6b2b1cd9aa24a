//! Where the installed reference server is, for the tests that want it.

use std::path::PathBuf;
use std::process::Command;

/// The reference server, installed.
pub struct Reference {
    entry: PathBuf,
}

/// The reference that `MCP_MEMORY_REFERENCE` names.
#[track_caller]
pub fn installed() -> Reference {
    let entry = std::env::var_os("MCP_MEMORY_REFERENCE").expect(
        "MCP_MEMORY_REFERENCE names the reference server\n\
         tests/reference/install.sh installs it and prints its entry point",
    );
    let entry = PathBuf::from(entry);
    assert!(
        entry.is_file(),
        "MCP_MEMORY_REFERENCE: there is no file {}",
        entry.display()
    );
    Reference { entry }
}

impl Reference {
    /// Starts it, with nothing of this machine's settings.
    pub fn command(&self) -> Command {
        let mut command = Command::new("node");
        command.arg(&self.entry).env_remove("NODE_OPTIONS");
        command
    }
}
