//! What a line can hold, and where its fields stand in it.

use crate::json::RawString;

/// What a line holds. All offsets are those of the bytes that were passed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Nothing that JavaScript's `trim` would leave.
    Blank,
    /// A JSON object.
    Record(Record),
}

/// A JSON object on a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Offset of the opening brace.
    pub start: usize,
    /// Offset behind the closing brace.
    pub end: usize,
    /// What it says.
    pub content: Content,
}

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// `"type": "entity"`
    Entity {
        /// Its name.
        name: RawString,
        /// Its type; none (absent or null) means the empty string.
        entity_type: Option<RawString>,
        /// Where its observations stand; the items are in the caller's list.
        observations: Observations,
    },
    /// `"type": "relation"`
    Relation {
        /// The entity it starts from.
        from: RawString,
        /// The entity it leads to.
        to: RawString,
        /// What it says.
        relation_type: RawString,
    },
    /// An object of another type, or of none.
    Other,
}

/// Where the observations of an entity stand in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observations {
    /// There is no such key.
    Absent,
    /// `null`, at this offset.
    Null(usize),
    /// An array of strings, from the opening bracket to behind the closing one.
    List {
        /// Offset of the opening bracket.
        start: usize,
        /// Offset behind the closing bracket.
        end: usize,
    },
}
