//! Bytes and records: what a memory file may hold, and how a change is written
//! without touching the rest. No I/O.
//!
//! [`line`](mod@line) reads one line, [`parts`] all of them and what spans
//! several: also [`conflict`]s and [`utf16`], and text that is JSON once it is
//! [`mend`](mod@mend)ed. A [`document`] is a file in which every line is good; [`records`]
//! knows where its records are, and [`edit`] changes one in place. [`salvage`]
//! plans what becomes of a file in which not every line is good.

pub mod conflict;
pub mod document;
mod edit;
pub mod line;
pub mod mend;
pub mod parts;
mod records;
pub mod salvage;
pub mod utf16;
