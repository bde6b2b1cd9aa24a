//! The memory file: reading, locking, replacing.

pub mod changes;
pub mod ending;
pub mod error;
pub mod json;
pub mod line;

pub use changes::Changes;
pub use ending::Ending;
pub use error::{BadLine, StoreError};
