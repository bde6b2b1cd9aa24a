//! Loading a graph, for the reader of the memory file. Nothing here is
//! journalled.

use super::Graph;
use super::slots::{Entity, EntityId, Relation, RelationId, slot};
use super::text::{Text, Texts};

impl Graph {
    /// An empty graph over these texts.
    pub fn over(texts: Texts) -> Graph {
        Graph {
            texts,
            ..Graph::default()
        }
    }

    /// Stores a string that is not in the base text.
    pub fn push_text(&mut self, text: &str) -> Text {
        self.texts.push(text)
    }

    /// Adds an entity as it stands in the file.
    pub fn load_entity(
        &mut self,
        name: Text,
        entity_type: Text,
        observations: impl IntoIterator<Item = Text>,
    ) -> EntityId {
        let observations_start = slot(self.observations.len());
        self.observations.extend(observations);
        let id = slot(self.entities.len());
        self.entities.push(Entity {
            name,
            entity_type,
            observations_start,
            observations_len: slot(self.observations.len()) - observations_start,
            live: true,
        });
        self.live_entities += 1;
        id
    }

    /// Adds a relation as it stands in the file.
    pub fn load_relation(&mut self, from: Text, to: Text, relation_type: Text) -> RelationId {
        let id = slot(self.relations.len());
        self.relations.push(Relation {
            from,
            to,
            relation_type,
            live: true,
        });
        id
    }

    /// Gives back what the lists have over, once all is loaded.
    pub fn shrink(&mut self) {
        self.entities.shrink_to_fit();
        self.observations.shrink_to_fit();
        self.relations.shrink_to_fit();
    }
}
