//! What the read tools find: entities by type, name or text, and the relations
//! that go with them. Everything comes in stored order.

use super::Graph;
use super::search::{SearchText, lower};
use super::slots::{EntityId, RelationId};

/// What a read tool found, in stored order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The entities.
    pub entities: Vec<EntityId>,
    /// The relations that go with them.
    pub relations: Vec<RelationId>,
}

/// Reading.
impl Graph {
    /// Everything.
    pub fn all(&self) -> Selection {
        Selection {
            entities: self.live_entity_ids().collect(),
            relations: self.live_relation_ids().collect(),
        }
    }

    /// The entities of these types, and the relations that touch one of them.
    pub fn of_types(&self, types: &[String]) -> Selection {
        let index = self.by_type();
        let listed = types.iter().flat_map(|name| index.of(name)).copied();
        let mut entities: Vec<EntityId> = listed.filter(|&id| self.entity(id).is_live()).collect();
        entities.sort_unstable();
        entities.dedup();
        self.with_relations(entities)
    }

    /// The entities with `query` in their name, type or an observation,
    /// whatever the case; all of them for the empty query. In stored order.
    pub fn search(&self, query: &str) -> Vec<EntityId> {
        if query.is_empty() {
            return self.live_entity_ids().collect();
        }
        self.search
            .get_or_init(|| SearchText::build(&self.entities, &self.observations, &self.texts))
            .find(&lower(query))
    }

    /// The entities of these names, each once.
    pub fn open(&self, names: &[String]) -> Vec<EntityId> {
        let mut entities: Vec<EntityId> = names
            .iter()
            .flat_map(|name| self.by_name().all(name, &self.entities, &self.texts))
            .collect();
        entities.sort_unstable();
        entities.dedup();
        entities
    }

    /// `entities` with the relations that touch at least one of them.
    pub fn with_relations(&self, entities: Vec<EntityId>) -> Selection {
        let mut relations: Vec<RelationId> = entities
            .iter()
            .flat_map(|&id| self.relations_of(self.text(self.entity(id).name)))
            .collect();
        relations.sort_unstable();
        relations.dedup();
        Selection {
            entities,
            relations,
        }
    }
}
