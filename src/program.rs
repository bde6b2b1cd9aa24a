//! What both binaries do: read the command line, warn, move an old memory
//! file, say which file is used, put the parts together and serve. Or what a
//! subcommand does.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::command_line::{Binary, CommandLine};
use crate::config::{Config, Fsync, Stop, Surroundings, serving};
use crate::ending::Ending;
use crate::mcp::stdio;
use crate::signals::Signals;
use crate::store::disk::doubtful::doubt;
use crate::store::disk::identity::Kind;
use crate::store::doctor::migrate::{self, Migration, migrate};
use crate::store::doctor::place::{self, Place};
use crate::store::lock::LockTiming;
use crate::store::{Disk, Memory, Options, RealDisk};
use crate::tools::handlers::MemoryHandlers;
use crate::tools::{MemoryTools, Served};
use crate::{diagnostics, limits, words};

/// The whole program, from the command line to the exit code.
pub fn run(binary: Binary) -> ExitCode {
    limits::survive_file_size_limit();
    let code = match answer(binary, &Surroundings::of_process()) {
        Ok(code) => ExitCode::from(code),
        Err(stop) => print(&stop),
    };
    diagnostics::finish();
    code
}

/// Does what the command line asks for, and gives the exit code.
fn answer(binary: Binary, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
    let CommandLine { flags, command } = CommandLine::parse(binary, std::env::args_os())?;
    if let Some(command) = command {
        return command.run(flags, surroundings);
    }
    let served = serving::served(&flags, surroundings)?;
    let mut config = Config::resolve(flags, surroundings)?;
    if !prepare(&mut config, &served) {
        return Ok(1);
    }
    match serve(config, served) {
        Ok(()) => Ok(0),
        Err(error) => {
            diagnostics::say(format_args!("cannot serve: {error}"));
            Ok(1)
        }
    }
}

/// Serves until the client is gone or a signal comes, and lets the store
/// finish.
fn serve(config: Config, served: Served) -> io::Result<()> {
    let options = Options {
        path: config.memory_file.clone(),
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
    let is_default = config.old_memory_file.is_some();
    let tools = MemoryTools::new(memory_of_client, handlers, served)
        .telling_when_missing(&config.memory_file)
        .advising(is_default.then_some(NOT_CONFIGURED));
    let tools = Arc::new(tools);
    drop(memory);
    limits::spare_descriptors()?;
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
fn prepare(config: &mut Config, served: &Served) -> bool {
    for warning in &config.warnings {
        diagnostics::warn(warning);
    }
    let read_only = served.is_read_only();
    if let Some(old) = &config.old_memory_file {
        if !read_only {
            if !move_old(config, old) {
                return false;
            }
        } else if migrate::is_due(&RealDisk, old, &config.memory_file) {
            // A server that writes would move it.
            config.memory_file.clone_from(old);
        }
    }
    let place = Place::of(&RealDisk, &config.memory_file);
    let is_writable = read_only || place::is_writable(&RealDisk, &config.memory_file);
    if let Some(warning) = warning_of(place, is_writable, config) {
        diagnostics::warn(warning);
    }
    let file = config.memory_file.display();
    if let Some(doubt) = doubt(&config.memory_file) {
        diagnostics::warn(format_args!("{file}: {doubt}"));
    }
    let there = match place {
        Place::New if read_only => Some("missing".to_owned()),
        Place::New => Some("new".to_owned()),
        Place::File(size) => Some(words::size(size)),
        Place::Other(_) | Place::Unknown => None,
    };
    let facts = there
        .into_iter()
        .chain(read_only.then(|| "read-only".to_owned()));
    let facts: Vec<String> = facts.collect();
    if facts.is_empty() {
        diagnostics::say(format_args!("memory file {file}"));
    } else {
        diagnostics::say(format_args!("memory file {file} ({})", facts.join(", ")));
    }
    if io::stdin().is_terminal() {
        diagnostics::say(
            "waiting for an MCP client on standard input, which is a terminal here: Ctrl-C ends \
             it, and mcp-memory --help says what else it does",
        );
    }
    true
}

/// What to do where nobody chose a memory file and its place is not fit for one.
const NOT_CONFIGURED: &str = "no memory file is configured: add --memory-file with an absolute \
                              path to the client's configuration";

/// What to say of a place where nothing could be stored, or nobody meant to.
fn warning_of(place: Place, is_writable: bool, config: &Config) -> Option<String> {
    let file = config.memory_file.display();
    let directory = config.memory_file.parent();
    let is_root = directory.is_some_and(|directory| directory.parent().is_none());
    let is_default = config.old_memory_file.is_some();
    let advice = if is_default {
        NOT_CONFIGURED
    } else {
        "choose another place"
    };
    match place {
        Place::Other(Kind::Directory) => Some(format!(
            "{file} is a directory, so nothing can be read or stored; name a file in it"
        )),
        Place::Other(kind) => Some(format!(
            "{file} is {}, not a file, so nothing can be read or stored; name another",
            kind.words()
        )),
        _ if !is_writable => Some(format!(
            "this program may not write where {file} is, so nothing can be stored; {advice}"
        )),
        _ if is_default && is_root => Some(format!(
            "the memory file is {file}, because the client started this program in the root \
             directory; {advice}"
        )),
        _ => None,
    }
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
        diagnostics::say_at_last(&stop.text);
    }
    ExitCode::from(stop.code)
}

// The paths in these tests are those of Unix.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::config::Flags;

    fn config(file: Option<&str>, directory: &str) -> Config {
        let surroundings = Surroundings {
            variable: Box::new(|_| None),
            working_directory: Ok(directory.into()),
            home: None,
            temporary: Vec::new(),
        };
        let arguments = file
            .map(|file| ["--memory-file", file])
            .into_iter()
            .flatten();
        let arguments = std::iter::once("mcp-memory").chain(arguments);
        let line = CommandLine::parse(Binary::McpMemory, arguments.map(Into::into)).unwrap();
        let flags: Flags = line.flags;
        Config::resolve(flags, &surroundings).unwrap()
    }

    #[test]
    fn a_place_where_nothing_can_be_stored_or_nobody_meant_to_is_warned_about() {
        let check = |file, directory, place, is_writable, expected: Option<&str>| {
            let warning = warning_of(place, is_writable, &config(file, directory));
            assert_eq!(warning.as_deref(), expected);
        };
        let configure = "no memory file is configured: add --memory-file with an absolute path to \
                         the client's configuration";
        for place in [Place::New, Place::File(7)] {
            check(None, "/srv", place, true, None);
            check(Some("/m"), "/srv", place, true, None);
            let said = format!(
                "the memory file is /memory.jsonl, because the client started this program in the \
                 root directory; {configure}"
            );
            check(None, "/", place, true, Some(&said));
            let denied = |file: &str, advice: &str| {
                format!(
                    "this program may not write where {file} is, so nothing can be stored; {advice}"
                )
            };
            let said = denied("/memory.jsonl", configure);
            check(None, "/", place, false, Some(&said));
            let said = denied("/srv/m", "choose another place");
            check(Some("m"), "/srv", place, false, Some(&said));
        }
        check(
            Some("/srv"),
            "/",
            Place::Other(Kind::Directory),
            true,
            Some("/srv is a directory, so nothing can be read or stored; name a file in it"),
        );
    }
}
