//! What a person at a terminal asks of the program, a file a subcommand.
//!
//! A subcommand is the struct of its arguments, whose documentation is its
//! `--help`, and a `run` that gives the exit code. To add one: its file, its
//! `mod` line, and its line in `subcommands!`.

use clap::Subcommand;

use crate::config::{Flags, Stop, Surroundings};

pub mod check;
mod progress;
pub mod repair;
pub mod tools;
pub mod with_lock;

macro_rules! subcommands {
    ($($Name:ident($file:ident),)+) => {
        /// What to do in place of serving.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $(
                #[allow(missing_docs, reason = "the struct has them")]
                $Name($file::$Name),
            )+
        }

        impl Command {
            /// Does it, and gives the exit code.
            ///
            /// # Errors
            /// A [`Stop`] with code 2: what is set cannot be used.
            pub fn run(self, flags: Flags, surroundings: &Surroundings<'_>) -> Result<u8, Stop> {
                match self {
                    $(Command::$Name(command) => command.run(flags, surroundings),)+
                }
            }
        }
    };
}

subcommands! {
    Check(check),
    Repair(repair),
    Tools(tools),
    WithLock(with_lock),
}
