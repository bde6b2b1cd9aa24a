//! What a user meets: the binaries, their flags and paths, and what the README
//! shows and promises.

mod benchmarks;
mod binaries;
mod paths;
mod promises;
mod readme;
#[cfg(target_os = "linux")]
mod scarce;
mod serving;
mod start;
mod tools_command;
#[cfg(unix)]
mod with_lock;
