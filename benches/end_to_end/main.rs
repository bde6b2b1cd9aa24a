//! Measures real servers over stdio, this one and any other, side by side on
//! the same graphs, beside plain programs that do the least that has to be
//! done. `docs/performance.md` says how to run it and what came out.
//!
//! It asserts no time: whoever reads the figures judges them. It does check
//! that the answers are right.

#[cfg(target_os = "linux")]
mod figures;
#[cfg(target_os = "linux")]
mod generate;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod operations;
#[cfg(target_os = "linux")]
mod plot;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod server;

/// This server, as people run it.
#[cfg(target_os = "linux")]
const OURS: &str = "mcp-memory";
/// This server without fsync, as the reference server writes.
#[cfg(target_os = "linux")]
const OURS_NEVER: &str = "mcp-memory --fsync=never";
/// The plain programs.
#[cfg(target_os = "linux")]
const LIMIT: &str = "limit";
/// The plain program that writes, with the same fsyncs as this server.
#[cfg(target_os = "linux")]
const LIMIT_FSYNC: &str = "limit with fsync";

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return run::main();
    #[cfg(not(target_os = "linux"))]
    {
        eprintln!("this benchmark reads /proc and needs Linux");
        std::process::ExitCode::SUCCESS
    }
}
