//! The memory server. See [`mcp_memory::program`] for what happens first.

use std::process::ExitCode;

use mcp_memory::config::Program;

fn main() -> ExitCode {
    match mcp_memory::program::prepare(Program::McpMemory) {
        Ok(_config) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}
