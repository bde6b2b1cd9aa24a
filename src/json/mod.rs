//! JSON over bytes: where its tokens stand, and how its strings are read and
//! written. What the tokens mean in a memory file is `store/format`'s business.
//!
//! Why not serde_json: a record keeps its bytes, so the reader needs to know
//! *where* each string stands, escaped ones too, and serde_json hands out a
//! place only for strings without escapes. It also rejects lone surrogates and
//! text that is not UTF-8, which the memory file may hold
//! (docs/behaviour.md, "The memory file"), accepts raw control characters in
//! ignored strings, which it may not, and counts its error columns in bytes.

mod scanner;
mod strings;

pub use scanner::{JsonError, Kind, Scanner};
pub use strings::{RawString, escape_into, is_lossy, unescape};

#[cfg(test)]
mod tests;
