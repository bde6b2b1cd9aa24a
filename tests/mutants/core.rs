//! The tests of `tests/it` that know nothing but the core.

#![allow(clippy::unwrap_used)]

#[path = "it/support/cases.rs"]
mod cases;
#[path = "it/file/format.rs"]
mod format;
#[path = "it/file/properties.rs"]
mod properties;
mod support {
    pub use super::cases::cases;
}
