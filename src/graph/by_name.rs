//! Entities by name.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::slots::{Entity, EntityId};
use super::text::Texts;

/// Finds the entities of a name. A file can hold several of one name, so the
/// table may hold equal keys.
#[derive(Debug, Clone)]
pub struct ByName {
    hasher: DefaultHashBuilder,
    table: HashTable<EntityId>,
}

impl ByName {
    /// The index of `entities`.
    pub fn build(entities: &[Entity], texts: &Texts) -> ByName {
        let mut index = ByName {
            hasher: DefaultHashBuilder::default(),
            table: HashTable::with_capacity(entities.len()),
        };
        for (id, entity) in entities.iter().enumerate() {
            if entity.is_live() {
                index.insert(id as EntityId, entities, texts);
            }
        }
        index
    }

    /// The first entity of this name in stored order.
    pub fn first(&self, name: &str, entities: &[Entity], texts: &Texts) -> Option<EntityId> {
        self.all(name, entities, texts).min()
    }

    /// Every entity of this name, in no order.
    pub fn all<'a>(
        &'a self,
        name: &'a str,
        entities: &'a [Entity],
        texts: &'a Texts,
    ) -> impl Iterator<Item = EntityId> + 'a {
        self.table
            .iter_hash(self.hasher.hash_one(name))
            .copied()
            .filter(move |&id| texts.get(entities[id as usize].name) == name)
    }

    /// Adds an entity, which stands at `id` in `entities` already.
    pub fn insert(&mut self, id: EntityId, entities: &[Entity], texts: &Texts) {
        let hash = |id: &EntityId| self.hasher.hash_one(texts.get(entities[*id as usize].name));
        self.table.insert_unique(hash(&id), id, hash);
    }

    /// Drops an entity, which still has its name.
    pub fn remove(&mut self, id: EntityId, name: &str) {
        let hash = self.hasher.hash_one(name);
        if let Ok(entry) = self.table.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
    }
}
