//! The core as a crate of its own: what needs no file, no protocol and no
//! generated code. The real map is the real lib.rs.

pub mod graph;
pub mod json;
pub mod store {
    //! The memory file's format, without the store.
    pub mod format;
    pub use format::document::Document;
}
