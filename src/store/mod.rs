//! The memory file: reading, locking, replacing.
//!
//! [`memory`] queues calls, knows what the file holds, and writes. What a
//! file's bytes mean is decided in [`format`](mod@format). [`lock`] makes
//! writers take turns, and [`disk`] puts the new file in place. [`doctor`] is
//! for people whose file is damaged.

pub mod disk;
pub mod doctor;
pub mod error;
pub mod format;
pub mod lock;
pub mod memory;

pub use disk::{Disk, RealDisk};
pub use error::{BadLine, StoreError};
pub use format::document::Document;
pub use memory::{Listeners, Memory, Options, Snapshot, Subscription, Worker};
