//! The memory file: reading, locking, replacing.

pub mod changes;
pub mod disk;
pub mod document;
mod edit;
pub mod ending;
pub mod error;
mod holder;
pub mod json;
pub mod line;
pub mod lock;
mod real_disk;
mod records;
mod refresh;
pub mod replace;
pub mod walk;

pub use changes::Changes;
pub use disk::{Disk, RealDisk};
pub use document::Document;
pub use ending::Ending;
pub use error::{BadLine, StoreError};
