//! The memory server. See [`mcp_memory::program`] for what happens.

use std::process::ExitCode;

use mcp_memory::command_line::Binary;

fn main() -> ExitCode {
    mcp_memory::program::run(Binary::McpMemory)
}
