//! The memory file: reading, locking, replacing.
//!
//! In the order in which a call passes them: [`memory`] queues it, `cache`
//! knows what the file holds, `commit` writes. What a file's bytes mean is
//! [`format`](mod@format)'s business. [`lock`] makes writers take turns, and
//! [`disk`] puts the new file in place. `watch` notices what other processes do
//! to the file, and [`changes`] tells whoever wants to hear of it. [`doctor`] is
//! for people whose file is damaged.

mod cache;
pub mod changes;
mod commit;
pub mod disk;
pub mod doctor;
pub mod ending;
pub mod error;
pub mod format;
pub mod lock;
pub mod memory;
mod watch;

// The old names, until all who use them have moved.
pub use format::{document, salvage};

pub use changes::Changes;
pub use disk::{Disk, RealDisk, replace};
pub use ending::Ending;
pub use error::{BadLine, StoreError};
pub use format::document::Document;
pub use memory::{Memory, Options, Snapshot, Worker};
