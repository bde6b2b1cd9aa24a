//! The knowledge graph: entities, observations, relations, and the operations
//! of the tools on them (docs/behaviour.md, "The graph" and "The nine tools").
//!
//! No I/O, no async, no JSON. The strings are handles into [`Texts`]; the
//! bytes of the memory file are the store's business, which is why every
//! operation that changes something notes it in a journal for the store.
//!
//! The map: `slots` hold the records, `text` their strings; `read` is what read
//! tools find, `change` what the others do, `journal` what came of it, `hints`
//! what is close to what is not there. `by_name`, `by_type`, `by_end`,
//! `by_triple` and `search` are indices, and `load` is for the reader of the file.

mod by_end;
mod by_name;
mod by_triple;
mod by_type;
mod change;
mod hints;
mod journal;
mod load;
mod read;
mod search;
mod slots;
mod text;

use std::sync::OnceLock;

use by_end::ByEnd;
use by_name::ByName;
use by_triple::ByTriple;
use by_type::ByType;
pub use change::Deleted;
pub use journal::Change;
pub use read::Selection;
use search::SearchText;
pub use search::lower;
pub use slots::{Entity, EntityId, Relation, RelationId};
pub use text::{Text, Texts};

/// The graph.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    texts: Texts,
    entities: Vec<Entity>,
    /// The observations of all entities; a list that grows moves to the end.
    observations: Vec<Text>,
    relations: Vec<Relation>,
    live_entities: usize,
    /// How many observations were written to a new place.
    moved: usize,
    journal: Vec<Change>,
    // Built when first needed, kept up to date from then on.
    by_name: OnceLock<ByName>,
    by_type: OnceLock<ByType>,
    by_end: OnceLock<ByEnd>,
    by_triple: Option<ByTriple>,
    search: OnceLock<SearchText>,
}

/// What is in the graph.
impl Graph {
    /// The string behind a handle.
    pub fn text(&self, text: Text) -> &str {
        self.texts.get(text)
    }

    /// Whether the string stands in the memory file as it is, and thus needs no
    /// escape where the file needs none. False may also mean that it is new.
    pub fn is_verbatim(&self, text: Text) -> bool {
        self.texts.is_in_base(text)
    }

    /// The entity in a slot, which is not empty.
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id as usize]
    }

    /// An entity's observations.
    pub fn observations(&self, id: EntityId) -> &[Text] {
        &self.observations[self.entity(id).observation_range()]
    }

    /// The relation in a slot, which is not empty.
    pub fn relation(&self, id: RelationId) -> &Relation {
        &self.relations[id as usize]
    }

    /// How many entities there are.
    pub fn entity_count(&self) -> usize {
        self.live_entities
    }

    /// The entity of this name, the first where the file has several.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.by_name().first(name, &self.entities, &self.texts)
    }

    /// How many bytes of memory changes took since the graph was loaded. What
    /// was removed is not given back before it is loaded again.
    pub fn growth(&self) -> usize {
        self.texts.appended_len() + self.moved * size_of::<Text>()
    }
}

impl Graph {
    fn by_name(&self) -> &ByName {
        self.by_name
            .get_or_init(|| ByName::build(&self.entities, &self.texts))
    }

    fn by_type(&self) -> &ByType {
        self.by_type
            .get_or_init(|| ByType::build(&self.entities, &self.texts))
    }

    fn by_end(&self) -> &ByEnd {
        self.by_end
            .get_or_init(|| ByEnd::build(&self.relations, &self.texts))
    }

    fn live_entity_ids(&self) -> impl Iterator<Item = EntityId> {
        live_slots(&self.entities, Entity::is_live)
    }

    fn live_relation_ids(&self) -> impl Iterator<Item = RelationId> {
        live_slots(&self.relations, Relation::is_live)
    }

    /// The relations that touch `name`, in no order, one from the name to
    /// itself twice.
    fn relations_of(&self, name: &str) -> impl Iterator<Item = RelationId> {
        self.by_end()
            .touching(name, &self.relations, &self.texts)
            .filter(|&id| self.relation(id).is_live())
    }

    /// The relations that touch that one of the names that has fewer, found
    /// without looking at all of the other's, which may be a hub.
    fn relations_of_rarer(&self, one: &str, other: &str) -> Vec<RelationId> {
        let mut lists = [one, other].map(|name| (self.relations_of(name), Vec::new()));
        loop {
            for (relations, seen) in &mut lists {
                match relations.next() {
                    Some(id) => seen.push(id),
                    None => return std::mem::take(seen),
                }
            }
        }
    }
}

fn live_slots<T>(slots: &[T], is_live: impl Fn(&T) -> bool) -> impl Iterator<Item = u32> {
    slots
        .iter()
        .enumerate()
        .filter(move |(_, slot)| is_live(slot))
        .map(|(number, _)| number as u32)
}

#[cfg(test)]
mod tests;
