//! The command lines of both binaries, as clap reads them. What the values
//! mean, and what else decides, is [`config`](super)'s.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::{Fsync, Stop, Task};
use crate::tools::listing;

/// A longer wait for the lock than this is taken for a slip.
const MAX_LOCK_TIMEOUT_SECONDS: f64 = 86_400.0;

/// Flags that both binaries know.
#[derive(Debug, Args)]
pub(super) struct Flags {
    /// The memory file, one JSON object a line
    ///
    /// Without it, the environment variable MEMORY_FILE_PATH, and without that
    /// memory.jsonl in the working directory. A relative path starts at the
    /// working directory; a leading ~/ is the home directory.
    #[arg(long, value_name = "PATH", visible_alias = "memory-path")]
    pub(super) memory_file: Option<PathBuf>,

    /// Refuse relations to entities that do not exist
    ///
    /// The whole create_relations call fails then and nothing is stored. The
    /// environment variable MEMORY_STRICT_RELATIONS=1 does the same.
    #[arg(long)]
    pub(super) strict_relations: bool,

    /// When written data is forced to the disk
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) fsync: Fsync,

    /// How long a write waits while another process writes
    #[arg(long, value_name = "SECONDS", default_value = "45", value_parser = seconds)]
    pub(super) lock_timeout: Duration,
}

/// An MCP server that keeps a model's memory, a knowledge graph, in one file.
///
/// It talks to an MCP client on stdin and stdout; started by hand, it waits
/// for JSON-RPC on stdin.
#[derive(Debug, Parser)]
#[command(name = "mcp-memory", version)]
pub(super) struct McpMemory {
    #[command(flatten)]
    pub(super) flags: Flags,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Say what is wrong with a memory file, and change nothing
    ///
    /// Exit code 0: nothing to repair; 1: there are bad lines; 2: the file
    /// cannot be read.
    Check {
        /// The memory file; without it, the one that would be served
        file: Option<PathBuf>,
        /// Report in JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a damaged memory file load again, and keep a backup
    ///
    /// Every record that can be found is kept; what cannot be saved goes to a
    /// file beside it. Exit code 0: the file loads; 1: it could not be
    /// repaired; 2: it cannot be read.
    Repair {
        /// The memory file; without it, the one that would be served
        file: Option<PathBuf>,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
        /// Make one entity of those that share a name
        #[arg(long)]
        merge_duplicates: bool,
    },
    /// Print the tools that a client sees
    Tools {
        /// The payload of tools/list, as it is sent
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// A Markdown table
        #[arg(long)]
        markdown: bool,
    },
}

impl Command {
    /// What to do, and to which file if one was named.
    ///
    /// # Errors
    /// The tools, which are printed like `--help`: whatever the path of the
    /// memory file is.
    pub(super) fn split(self) -> Result<(Task, Option<PathBuf>), Stop> {
        let task = match self {
            Command::Check { file, json } => (Task::Check { json }, file),
            Command::Repair {
                file,
                dry_run,
                merge_duplicates,
            } => {
                let task = Task::Repair {
                    dry_run,
                    merge_duplicates,
                };
                (task, file)
            }
            Command::Tools { json, markdown } => {
                let text = match (json, markdown) {
                    (true, _) => listing::json(),
                    (_, true) => listing::markdown(),
                    _ => listing::plain(),
                };
                return Err(Stop { code: 0, text });
            }
        };
        Ok(task)
    }
}

/// Starts an MCP server by its name. The one there is: memory, the same as
/// mcp-memory.
#[derive(Debug, Parser)]
#[command(
    name = "modelcontextprotocol",
    version,
    override_usage = "modelcontextprotocol memory [OPTIONS]\n       modelcontextprotocol --memory [OPTIONS]"
)]
pub(super) struct ModelContextProtocol {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    pub(super) flags: Flags,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(super) struct Which {
    /// The server to start
    #[arg(value_enum)]
    server: Option<Server>,
    /// The same as the word memory
    #[arg(long)]
    memory: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Server {
    Memory,
}
fn seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| (0.0..=MAX_LOCK_TIMEOUT_SECONDS).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("expected seconds, a number from 0 to {MAX_LOCK_TIMEOUT_SECONDS}"))
}

pub(super) fn parse<P: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<P, Stop> {
    let mut command = P::command();
    command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| P::from_arg_matches(&matches))
        .map_err(|error| Stop::from_clap(&error))
}

impl Stop {
    fn from_clap(error: &clap::Error) -> Self {
        let mut text = error.render().to_string();
        match unknown_word(error) {
            Some(word) if is_of_npx(word) => text.push_str(
                "It looks left over from a configuration that starts the server with npx: remove \
                 npx's arguments\n",
            ),
            // People write the path alone and expect it to be the memory file.
            Some(path) if bare_word(error) => text.push_str(&format!(
                "To use it as the memory file: --memory-file {}\n",
                shlex::try_quote(path).unwrap_or(path.into())
            )),
            _ => {}
        }
        Stop {
            code: if error.use_stderr() { 2 } else { 0 },
            text,
        }
    }
}

/// The argument that clap did not know, if that is what is wrong.
fn unknown_word(error: &clap::Error) -> Option<&str> {
    let word = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::InvalidValue => ContextKind::InvalidValue,
        _ => return None,
    };
    match error.get(word) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// Whether the unknown word stands alone: no flag, and no flag's value.
fn bare_word(error: &clap::Error) -> bool {
    error.kind() != ErrorKind::InvalidValue
        && unknown_word(error).is_some_and(|word| !word.starts_with('-'))
}

/// Whether a configuration for the reference server gives this to `npx`, or on
/// Windows to `cmd`.
fn is_of_npx(word: &str) -> bool {
    ["-y", "--yes", "/c", "npx"].contains(&word)
        || word.starts_with("@modelcontextprotocol/server-memory")
}
