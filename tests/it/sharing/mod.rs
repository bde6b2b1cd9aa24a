//! Several processes on one file.

mod foreign_locks;
mod kill;
mod locks;
mod many_processes;
mod other;
mod shared_file;
