//! Entities by type.

use std::collections::HashMap;

use super::slots::{Entity, EntityId};
use super::text::Texts;

/// Finds the entities of a type. An entity keeps its type for good, so one that
/// was removed stays listed and is passed over, which the caller does.
#[derive(Debug, Clone, Default)]
pub struct ByType {
    by_type: HashMap<String, Vec<EntityId>>,
}

impl ByType {
    /// The index of `entities`.
    pub fn build(entities: &[Entity], texts: &Texts) -> ByType {
        let mut index = ByType::default();
        for (id, entity) in entities.iter().enumerate() {
            index.insert(id as EntityId, texts.get(entity.entity_type));
        }
        index
    }

    /// Adds the next entity.
    pub fn insert(&mut self, id: EntityId, entity_type: &str) {
        match self.by_type.get_mut(entity_type) {
            Some(ids) => ids.push(id),
            None => {
                self.by_type.insert(entity_type.to_owned(), vec![id]);
            }
        }
    }

    /// The entities of this type in stored order, removed ones too.
    pub fn of(&self, entity_type: &str) -> &[EntityId] {
        self.by_type.get(entity_type).map_or(&[], Vec::as_slice)
    }

    /// Every type that an entity has or had, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_type.keys().map(String::as_str)
    }
}
