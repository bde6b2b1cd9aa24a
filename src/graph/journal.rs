//! What the store has to bring into the file.

use super::slots::{EntityId, RelationId};
use super::text::Text;

/// What an operation changed, for the store to bring into the file. Within one
/// journal the changes are in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new entity in the next slot.
    EntityAdded(EntityId),
    /// Observations appended to an entity's list.
    ObservationsAdded(EntityId, Vec<Text>),
    /// Observations taken out of an entity's list: their places in the list as
    /// it was, ascending.
    ObservationsRemoved(EntityId, Vec<usize>),
    /// An entity is gone.
    EntityRemoved(EntityId),
    /// A new relation in the next slot.
    RelationAdded(RelationId),
    /// A relation is gone.
    RelationRemoved(RelationId),
}
