//! The command lines of both binaries, as clap reads them. What the flags mean
//! is [`config`](crate::config)'s, what a subcommand does is its own file's.

mod hints;

use std::ffi::OsString;

use clap::{Args, Parser, ValueEnum};

use crate::commands::Command;
use crate::config::{Flags, Stop};
use hints::Trial;

/// Which binary was started; both do the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `mcp-memory`
    McpMemory,
    /// `modelcontextprotocol`, which wants to be told `memory` or `--memory`.
    ModelContextProtocol,
}

/// A command line, read.
#[derive(Debug)]
pub struct CommandLine {
    /// The server's flags.
    pub flags: Flags,
    /// What to do in place of serving.
    pub command: Option<Command>,
}

impl CommandLine {
    /// Reads it. `arguments` begins with the program's own name, as
    /// `std::env::args_os` does.
    ///
    /// # Errors
    /// A [`Stop`]: `--help` and `--version` with code 0, anything that cannot
    /// be understood with code 2.
    pub fn parse(
        binary: Binary,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<CommandLine, Stop> {
        Ok(match binary {
            Binary::McpMemory => {
                let McpMemory { flags, command } = parse(arguments)?;
                CommandLine { flags, command }
            }
            Binary::ModelContextProtocol => CommandLine {
                flags: parse::<ModelContextProtocol>(arguments)?.flags,
                command: None,
            },
        })
    }
}

fn parse<P: Parser>(arguments: impl IntoIterator<Item = OsString>) -> Result<P, Stop> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    P::command()
        .try_get_matches_from_mut(&arguments)
        .and_then(|matches| P::from_arg_matches(&matches))
        .map_err(|error| {
            hints::stop(error, &arguments, |arguments| {
                match P::command().try_get_matches_from_mut(arguments) {
                    Ok(matches) if matches.subcommand_name().is_some() => Trial::Does,
                    Ok(_) => Trial::Serves,
                    Err(_) => Trial::Fails,
                }
            })
        })
}

/// An MCP server that keeps a model's memory, a knowledge graph, in one file.
///
/// It talks to an MCP client on stdin and stdout; started by hand, it waits
/// for JSON-RPC on stdin.
#[derive(Debug, Parser)]
#[command(name = "mcp-memory", version)]
struct McpMemory {
    #[command(flatten)]
    flags: Flags,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Starts an MCP server by its name. The one there is: memory, the same as
/// mcp-memory.
#[derive(Debug, Parser)]
#[command(
    name = "modelcontextprotocol",
    version,
    override_usage = "modelcontextprotocol memory [OPTIONS]\n       modelcontextprotocol --memory [OPTIONS]"
)]
struct ModelContextProtocol {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Which {
    /// The server to start
    #[arg(value_enum)]
    server: Option<Server>,
    /// The same as the word memory
    #[arg(long)]
    memory: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Server {
    Memory,
}
