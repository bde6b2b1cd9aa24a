//! Several processes on one file.

mod foreign_locks;
mod kill;
mod locks;
mod many_processes;
mod odd_disks;
pub mod other;
mod real_disks;
mod shared_file;
