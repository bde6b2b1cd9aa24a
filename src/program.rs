//! What both binaries do: read the command line, warn, move an old memory
//! file, say which file is used, put the parts together and serve. Or what a
//! subcommand does.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::command_line::{Binary, CommandLine};
use crate::config::{Config, Fsync, Stop, Surroundings};
use crate::diagnostics;
use crate::ending::Ending;
use crate::mcp::stdio;
use crate::signals::Signals;
use crate::store::doctor::migrate::{Migration, migrate};
use crate::store::lock::LockTiming;
use crate::store::{Disk, Memory, Options, RealDisk};
use crate::tools::handlers::MemoryHandlers;
use crate::tools::{MemoryTools, Served};

/// The whole program, from the command line to the exit code.
pub fn run(binary: Binary) -> ExitCode {
    match answer(binary, &Surroundings::of_process()) {
        Ok(code) => ExitCode::from(code),
        Err(stop) => print(&stop),
    }
}

/// Does what the command line asks for, and gives the exit code.
fn answer(binary: Binary, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
    let CommandLine { flags, command } = CommandLine::parse(binary, std::env::args_os())?;
    if let Some(command) = command {
        return command.run(flags, surroundings);
    }
    let config = Config::resolve(flags, surroundings)?;
    if !prepare(&config) {
        return Ok(1);
    }
    match serve(config) {
        Ok(()) => Ok(0),
        Err(error) => {
            diagnostics::say(format_args!("cannot serve: {error}"));
            Ok(1)
        }
    }
}

/// Serves until the client is gone or a signal comes, and lets the store
/// finish.
fn serve(config: Config) -> io::Result<()> {
    let options = Options {
        path: config.memory_file,
        fsync: config.fsync == Fsync::Always,
        lock_timeout: config.lock_timeout,
        lock_timing: LockTiming::default(),
    };
    let ending = Ending::default();
    let (memory, worker) = Memory::start(options, Arc::new(RealDisk), &ending)?;
    let (listeners, patience) = (memory.listeners().clone(), ending.patience());
    let handlers = MemoryHandlers {
        strict_relations: config.strict_relations,
    };
    let memory_of_client = memory.with_patience(patience.clone());
    let tools = Arc::new(MemoryTools::new(
        memory_of_client,
        handlers,
        Served::default(),
    ));
    drop(memory);
    let runtime = stdio::runtime()?;
    let served = runtime.block_on(async {
        let signals = Signals::new()?;
        tokio::select! {
            served = stdio::serve(tools, &listeners, &patience, io::stdin(), output()?) => served,
            never = signals.pass_to(&ending) => match never {},
        }
    });
    runtime.shutdown_background();
    served?;
    worker.join();
    Ok(())
}

/// Standard output as it is, without the standard library's buffer, which looks
/// through every large reply for line feeds.
#[cfg(unix)]
fn output() -> io::Result<impl io::Write + Send + 'static> {
    use std::os::fd::AsFd as _;
    let output = std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // Room for more of a large reply, so that client and server change turns
    // less often. What is no pipe, or may not be larger, works as it is.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&output, 1 << 20);
    Ok(output)
}

#[cfg(not(unix))]
fn output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// Says what a person should know before the first message is read, and moves
/// an old memory file to the new default place. Whether that went well, or was
/// not needed.
fn prepare(config: &Config) -> bool {
    for warning in &config.warnings {
        diagnostics::warn(warning);
    }
    if let Some(old) = &config.old_memory_file
        && !move_old(config, old)
    {
        return false;
    }
    diagnostics::say(format_args!("memory file {}", config.memory_file.display()));
    true
}

fn move_old(config: &Config, old: &Path) -> bool {
    let new = &config.memory_file;
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let fsync = config.fsync == Fsync::Always;
    match migrate(&disk, old, new, fsync, config.lock_timeout) {
        Ok(Migration::NotNeeded) => {}
        Ok(Migration::Moved) => {
            let (old, new) = (old.display(), new.display());
            diagnostics::say(format_args!("moved {old} to {new}"));
        }
        Ok(Migration::LeftAlone(reason)) => {
            diagnostics::warn(format_args!("{} is left alone: {reason}", old.display()));
        }
        Err(error) => {
            diagnostics::say(format_args!("error: {error}"));
            return false;
        }
    }
    true
}

/// What was asked for must arrive; that an error cannot be told changes
/// nothing.
fn print(stop: &Stop) -> ExitCode {
    if stop.code == 0 {
        let mut out = io::stdout();
        let written = out.write_all(stop.text.as_bytes());
        if !diagnostics::say_unless_written(written.and_then(|()| out.flush())) {
            return ExitCode::FAILURE;
        }
    } else {
        let _ = io::stderr().write_all(stop.text.as_bytes());
    }
    ExitCode::from(stop.code)
}
