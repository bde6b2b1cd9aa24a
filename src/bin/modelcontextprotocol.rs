//! The memory server under its other name; the same as `mcp-memory`.

use std::process::ExitCode;

use mcp_memory::command_line::Binary;

fn main() -> ExitCode {
    mcp_memory::program::run(Binary::ModelContextProtocol)
}
