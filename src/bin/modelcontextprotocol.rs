//! The memory server under its other name; the same as `mcp-memory`.

use std::process::ExitCode;

use mcp_memory::config::Program;

fn main() -> ExitCode {
    match mcp_memory::program::prepare(Program::ModelContextProtocol) {
        Ok(_config) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}
