//! Where entities and relations are kept. Both stay in their slot for good: a
//! slot's number is the record's place in stored order, since new ones are
//! always added at the end, and a removed one leaves an empty slot.

use std::ops::Range;

use super::text::Text;

/// An entity's slot.
pub type EntityId = u32;
/// A relation's slot.
pub type RelationId = u32;

/// A thing that is remembered.
#[derive(Debug, Clone, Copy)]
pub struct Entity {
    /// The unique key (a file may hold several of one name all the same).
    pub name: Text,
    /// What kind of thing it is.
    pub entity_type: Text,
    pub(super) observations_start: u32,
    pub(super) observations_len: u32,
    pub(super) live: bool,
}

impl Entity {
    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    pub(super) fn observation_range(&self) -> Range<usize> {
        let start = self.observations_start as usize;
        start..start + self.observations_len as usize
    }
}

/// A directed link between two names, which need not be entities.
#[derive(Debug, Clone, Copy)]
pub struct Relation {
    /// The name it starts at.
    pub from: Text,
    /// The name it ends at.
    pub to: Text,
    /// What it says, in active voice.
    pub relation_type: Text,
    pub(super) live: bool,
}

impl Relation {
    pub(super) fn is_live(&self) -> bool {
        self.live
    }
}

/// The number of a slot.
pub(super) fn slot(number: usize) -> u32 {
    u32::try_from(number).expect("a file under 4 GiB holds fewer records")
}
