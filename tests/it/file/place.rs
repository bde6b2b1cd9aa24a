//! A directory with a memory file, and the commands that look after it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

pub use super::records::{ADA, BO, KNOWS, text};

/// A directory with a memory file in it.
pub struct Place {
    pub directory: tempfile::TempDir,
}

impl Place {
    pub fn with(file: impl AsRef<[u8]>) -> Place {
        let place = Place {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::write(place.file(), file).unwrap();
        place
    }

    pub fn file(&self) -> PathBuf {
        self.directory.path().join("memory.jsonl")
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("MEMORY_FILE_PATH")
            .output()
            .unwrap()
    }

    /// Everything in the directory but the memory file, by its ending.
    pub fn others(&self) -> Vec<(String, Vec<u8>)> {
        let mut found: Vec<_> = fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_name() != "memory.jsonl")
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                let ending = name.strip_prefix("memory.jsonl.").unwrap_or(&name);
                let kind = ending.split('-').next().unwrap().to_owned();
                (kind, fs::read(entry.path()).unwrap())
            })
            .collect();
        found.sort();
        found
    }
}
