//! The memory file: reading, locking, replacing.
//!
//! In the order in which a call passes them: [`memory`] queues it, `cache`
//! knows what the file holds, `commit` writes. A file's bytes become a
//! [`document`] by way of [`walk`], [`line`](mod@line) and [`json`], and
//! `edit` changes a record in place. [`lock`] makes writers take turns, and
//! [`disk`] puts the new file in place. `watch` notices what other processes do to the file, and
//! [`changes`] tells whoever wants to hear of it. [`check`] and [`repair`], with
//! `salvage`, are for people whose file is damaged.

mod cache;
pub mod changes;
pub mod check;
mod commit;
pub mod disk;
pub mod document;
mod edit;
pub mod ending;
pub mod error;
pub mod json;
pub mod line;
pub mod lock;
pub mod memory;
pub mod migrate;
mod progress;
mod records;
pub mod repair;
pub mod salvage;
pub mod walk;
mod watch;

pub use changes::Changes;
pub use disk::{Disk, RealDisk, replace};
pub use document::Document;
pub use ending::Ending;
pub use error::{BadLine, StoreError};
pub use memory::{Memory, Options, Snapshot, Worker};
