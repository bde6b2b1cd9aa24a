//! The memory server under its other name; the same as `mcp-memory`.

use std::process::ExitCode;

use mcp_memory::config::Program;

fn main() -> ExitCode {
    mcp_memory::program::run(Program::ModelContextProtocol)
}
