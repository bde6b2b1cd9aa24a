//! `mcp-memory with-lock`: runs another program while no server writes the
//! memory file, under the lock that servers take.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use tokio::sync::oneshot;

use crate::config::flags::Patience;
use crate::config::{Config, Flags, Stop, Surroundings};
use crate::ending::Ending;
use crate::signals::{Signal, Signals};
use crate::store::disk::temp::temp_name;
use crate::store::lock::acquire::Lock;
use crate::store::lock::claim::Claim;
use crate::store::{Disk, RealDisk, StoreError};
use crate::{diagnostics, limits};

/// The lock cannot be had. The codes are those of env(1) and timeout(1), so
/// that they are not taken for the command's.
const NO_LOCK: u8 = 125;
/// The command cannot be started.
const CANNOT_START: u8 = 126;
/// There is no such command.
const NO_SUCH_COMMAND: u8 = 127;

/// Run a command while no server writes the memory file
///
/// It holds the lock that servers take, waits for it where another program
/// writes, and gives it back when the command ends. The exit code is the
/// command's, 128 and the signal's number where a signal ended it, 125 where
/// the lock cannot be had, 126 or 127 where the command cannot be run.
#[derive(Debug, Args)]
pub struct WithLock {
    /// The memory file
    file: PathBuf,
    #[command(flatten)]
    patience: Patience,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl WithLock {
    pub(super) fn run(self, flags: Flags, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
        let flags = Flags {
            file: Some(self.file),
            ..self.patience.or(flags)
        };
        let config = Config::resolve(flags, surroundings)?;
        Ok(with_lock(config, self.command).unwrap_or_else(|error| {
            diagnostics::say(format_args!("cannot take the lock: {error}"));
            NO_LOCK
        }))
    }
}

/// The command, where it runs; a signal looks for it here.
type Running = Arc<Mutex<Option<u32>>>;

/// Waits for the lock and the command on a thread, so that signals are heard
/// meanwhile: the lock must not stay behind when one comes.
fn with_lock(config: Config, command: Vec<OsString>) -> io::Result<u8> {
    limits::spare_descriptors()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (ending, running) = (Ending::default(), Running::default());
    let (done, mut code) = oneshot::channel();
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let worker = {
            let (ending, running) = (ending.clone(), Arc::clone(&running));
            move || {
                // Nobody is left to hear it when the program is ending.
                let _ = done.send(run_locked(&config, &command, &ending, &running));
            }
        };
        std::thread::Builder::new().spawn(worker)?;
        loop {
            tokio::select! {
                code = &mut code => return Ok(code.unwrap_or(NO_LOCK)),
                signal = signals.next() => {
                    let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                    ending.stop();
                    if let Some(process) = *running {
                        pass_on(signal, process);
                    }
                }
            }
        }
    })
}

/// Takes the lock, runs the command to its end, and gives the exit code.
fn run_locked(config: &Config, command: &[OsString], ending: &Ending, running: &Running) -> u8 {
    let lock = match lock(&config.memory_file, config, ending) {
        Ok(lock) => lock,
        Err(StoreError::ShuttingDown) => {
            diagnostics::say("stopped while it waited for the lock; the command was not run");
            return NO_LOCK;
        }
        Err(error) => {
            diagnostics::say(error);
            diagnostics::say("the command was not run");
            return NO_LOCK;
        }
    };
    let code = match run(command, ending, running) {
        Ok(Some(status)) => code_of(status),
        Ok(None) => NO_LOCK,
        Err(error) => {
            let name = command.first().map(|name| name.to_string_lossy());
            let name = name.unwrap_or_default();
            diagnostics::say(format_args!("cannot run {name}: {error}"));
            match error.kind() {
                io::ErrorKind::NotFound => NO_SUCH_COMMAND,
                _ => CANNOT_START,
            }
        }
    };
    if !matches!(lock.is_ours(), Ok(true)) {
        diagnostics::warn(
            "the lock was taken over while the command ran (was it suspended?); what it wrote \
             may be lost, so look at the memory file",
        );
    }
    code
}

fn lock(path: &Path, config: &Config, ending: &Ending) -> Result<Lock, StoreError> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let target = disk
        .resolve(path)
        .map_err(|error| StoreError::unchanged("find", path, error))?;
    let (temp, patience) = (temp_name(), ending.patience());
    let claim = Claim {
        link: Some(path).filter(|path| *path != target),
        ..Claim::new(&target, &temp, config.lock_timeout, &patience)
    };
    Lock::acquire(&disk, &claim)
}

/// Runs the command, unless the end came first.
fn run(command: &[OsString], ending: &Ending, running: &Running) -> io::Result<Option<ExitStatus>> {
    let (program, arguments) = command.split_first().expect("clap asks for one");
    let mut child: Child = {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        if ending.is_stopped() {
            return Ok(None);
        }
        let child = std::process::Command::new(program)
            .args(arguments)
            .spawn()?;
        *running = Some(child.id());
        child
    };
    let status = child.wait();
    *running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    status.map(Some)
}

/// What ends us is to end the command, which then ends us.
#[cfg(unix)]
fn pass_on(signal: Signal, process: u32) {
    use rustix::process::{Pid, Signal as Sent, kill_process};
    let signal = match signal {
        Signal::Terminate => Sent::TERM,
        Signal::Interrupt => Sent::INT,
        Signal::Hangup => Sent::HUP,
    };
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It may be gone, which is what was wanted.
        let _ = kill_process(process, signal);
    }
}

/// Ctrl-C reaches every program of the console by itself.
#[cfg(not(unix))]
fn pass_on(_: Signal, _: u32) {}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code();
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
