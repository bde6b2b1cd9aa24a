//! Bytes and records: what a memory file may hold, and how a change is written
//! without touching the rest. No I/O.
//!
//! [`line`](mod@line) reads one line, [`parts`] all of them and what spans
//! several. A [`document`] is a file in which every line is good; [`records`]
//! knows where its records are, and [`edit`] changes one in place. [`salvage`]
//! plans what becomes of a file in which not every line is good.

pub mod document;
mod edit;
pub mod line;
pub mod parts;
mod records;
pub mod salvage;
