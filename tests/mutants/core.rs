//! The tests of `tests/it` that know nothing but the core.

#![allow(clippy::unwrap_used)]

#[path = "it/support/cases.rs"]
mod cases;
#[path = "it/file/format.rs"]
mod format;
#[path = "it/file/properties.rs"]
mod properties;
#[path = "it/file/records.rs"]
mod records;
#[path = "it/file/repair_properties.rs"]
mod repair_properties;
mod place {
    pub use super::records::*;
}
mod support {
    pub use super::cases::cases;
}
