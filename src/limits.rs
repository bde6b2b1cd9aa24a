//! What a system limits a process to, and how it is told in place of the sudden
//! end that is usual.

use std::io;

/// Makes a write past the limit on a file's size (`ulimit -f`) an error, which
/// is told, and not the end of the process, which is what the system has in mind.
#[cfg(unix)]
pub fn survive_file_size_limit() {
    let file_size = rustix::process::Signal::XFSZ.as_raw();
    // A handler, and not that the signal is ignored, which programs that are
    // started from here would inherit.
    let _ = signal_hook::flag::register(file_size, Default::default());
}

/// There is no such signal.
#[cfg(not(unix))]
pub fn survive_file_size_limit() {}

/// Fails where a runtime would not get the descriptors that it takes, because it
/// panics then.
///
/// # Errors
/// The system's, with the limit in words.
#[cfg(unix)]
pub fn spare_descriptors() -> io::Result<()> {
    use std::os::fd::AsFd as _;
    let (input, mut spare) = (io::stdin(), Vec::new());
    for _ in 0..RUNTIME_DESCRIPTORS {
        match input.as_fd().try_clone_to_owned() {
            Ok(descriptor) => spare.push(descriptor),
            // A closed stdin cannot be duplicated, and says nothing about others.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error()) => {
                break;
            }
            Err(error) => {
                let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
                let limit = limit.current.unwrap_or_default();
                return Err(io::Error::other(format!(
                    "{error}\nthis process may have {limit} files open; raise the limit \
                     (ulimit -n)"
                )));
            }
        }
    }
    Ok(())
}

/// How many descriptors the runtime and the signals take.
#[cfg(unix)]
const RUNTIME_DESCRIPTORS: usize = 6;

/// There is no such limit.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn spare_descriptors() -> io::Result<()> {
    Ok(())
}
