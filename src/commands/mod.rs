//! What a person at a terminal asks of the program, a file a subcommand.

pub mod check;
mod progress;
pub mod repair;
