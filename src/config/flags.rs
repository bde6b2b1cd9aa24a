//! The flags as clap reads them: those of the server, and the memory file as a
//! subcommand takes it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

/// A longer wait for the lock than this is taken for a slip.
const MAX_LOCK_TIMEOUT_SECONDS: f64 = 86_400.0;

/// Flags that both binaries know.
#[derive(Debug, Args)]
pub struct Flags {
    /// The memory file, one JSON object a line
    ///
    /// Without it, the environment variable MEMORY_FILE_PATH, and without that
    /// memory.jsonl in the working directory. A relative path starts at the
    /// working directory; a leading ~/ is the home directory.
    #[arg(long, value_name = "PATH", visible_alias = "memory-path")]
    pub memory_file: Option<PathBuf>,

    /// The same, as a subcommand's argument.
    #[arg(skip)]
    pub file: Option<PathBuf>,

    /// Which tools are served, for example memory,upkeep
    ///
    /// Names of toolsets, with commas, or all; mcp-memory tools lists them.
    /// Without it, the environment variable MEMORY_TOOLSETS, and without that
    /// memory.
    #[arg(long, value_name = "SETS")]
    pub toolsets: Option<String>,

    /// Serve only tools that change nothing, and never write
    ///
    /// No lock is taken either, and no old memory file is moved. The
    /// environment variable MEMORY_READ_ONLY=1 does the same.
    #[arg(long)]
    pub read_only: bool,

    /// Refuse relations to entities that do not exist
    ///
    /// The whole create_relations call fails then and nothing is stored. The
    /// environment variable MEMORY_STRICT_RELATIONS=1 does the same.
    #[arg(long)]
    pub strict_relations: bool,

    /// When written data is forced to the disk
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub fsync: Fsync,

    /// How long a write waits while another process writes
    #[arg(long, value_name = "SECONDS", default_value = "45", value_parser = seconds)]
    pub lock_timeout: Duration,
}

/// When written data is forced to the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Fsync {
    /// Before each reply to a write: what was answered survives a power cut
    #[default]
    Always,
    /// When the system sees fit: faster, a power cut may lose the last writes
    Never,
}

/// The memory file that a subcommand looks after.
#[derive(Debug, Args)]
pub struct MemoryFile {
    /// The memory file; without it, the one that would be served
    file: Option<PathBuf>,
    /// As the server takes it, for those who know that by heart
    #[arg(long, alias = "memory-path", hide = true, conflicts_with = "file")]
    memory_file: Option<PathBuf>,
}

/// How long a subcommand that writes waits for the lock.
#[derive(Debug, Args)]
pub struct Patience {
    /// How long to wait while another process writes
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    lock_timeout: Option<Duration>,
}

impl MemoryFile {
    /// The server's flags, with this file in place of theirs if it was named.
    #[must_use]
    pub fn or(self, flags: Flags) -> Flags {
        Flags {
            file: self.file,
            memory_file: self.memory_file.or(flags.memory_file),
            ..flags
        }
    }
}

impl Patience {
    /// The server's flags, with this wait in place of theirs if it was said.
    #[must_use]
    pub fn or(self, flags: Flags) -> Flags {
        Flags {
            lock_timeout: self.lock_timeout.unwrap_or(flags.lock_timeout),
            ..flags
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.0..=MAX_LOCK_TIMEOUT_SECONDS).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected seconds, a number from 0 to {MAX_LOCK_TIMEOUT_SECONDS}"))
}
