//! The memory server. See [`mcp_memory::program`] for what happens.

use std::process::ExitCode;

use mcp_memory::config::Program;

fn main() -> ExitCode {
    mcp_memory::program::run(Program::McpMemory)
}
