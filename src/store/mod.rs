//! The memory file: reading, locking, replacing.

pub mod changes;
pub mod disk;
pub mod ending;
pub mod error;
mod holder;
pub mod json;
pub mod line;
pub mod lock;
mod real_disk;
mod refresh;
pub mod replace;

pub use changes::Changes;
pub use disk::{Disk, RealDisk};
pub use ending::Ending;
pub use error::{BadLine, StoreError};
