//! What the store asks of a file system, how this machine does it, and how a
//! file is replaced whole.
//!
//! [`file_system`] asks, [`real`] answers with what differs between systems in
//! `system`, [`replace`] puts a new file in the place of an old one, and
//! [`temp`] names what is on its way there. When a file may be replaced is
//! decided by those who hold its [`lock`](super::lock).

pub(in crate::store) mod attributes;
pub mod cause;
pub mod doubtful;
pub mod file_system;
pub mod identity;
#[cfg(any(windows, test))]
mod patience;
pub mod real;
mod rename_new;
pub mod replace;
pub(in crate::store) mod system;
pub mod temp;
pub mod whole;

pub use file_system::{Access, Disk, DiskDirectory, DiskFile, directory_of};
pub use identity::{Attributes, Content, Identity, Kind, nanoseconds};
pub use real::RealDisk;
pub use replace::{Published, Staged, create_parents, stage};
pub use temp::temp_name;
