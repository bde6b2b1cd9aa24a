//! The reference server: what was recorded from it holds for ours, and what
//! both do with the same calls is the same.

mod calls;
mod differential;
mod installed;
mod memory_file;
mod odd_lines;
mod pair;
mod server;
mod sessions;
mod texts;
