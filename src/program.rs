//! What both binaries do before they serve: read the command line, warn, move
//! an old memory file, say which file is used. Serving itself is `mcp`'s.

use std::io::Write as _;
use std::process::ExitCode;

use crate::config::{Config, Program, Stop, Surroundings};
use crate::diagnostics;

/// Gets everything ready that has to be before the first message is read.
///
/// # Errors
/// The exit code, after everything that a person should read was printed: 0
/// for `--help` and `--version` (on stdout), 2 for a command line or an
/// environment that cannot be used.
pub fn prepare(program: Program) -> Result<Config, ExitCode> {
    let config = Config::from_args(program, std::env::args_os(), &Surroundings::of_process())
        .map_err(|stop| print(&stop))?;
    for warning in &config.warnings {
        diagnostics::warn(warning);
    }
    diagnostics::say(format_args!("memory file {}", config.memory_file.display()));
    Ok(config)
}

/// A closed stdout or stderr is no reason to fail, so errors are dropped.
fn print(stop: &Stop) -> ExitCode {
    let _ = if stop.code == 0 {
        std::io::stdout().write_all(stop.text.as_bytes())
    } else {
        std::io::stderr().write_all(stop.text.as_bytes())
    };
    ExitCode::from(stop.code)
}
