//! The knowledge graph: entities, observations, relations, and the operations
//! of the tools on them (docs/behaviour.md, "The graph" and "The nine tools").
//!
//! No I/O, no async, no JSON. The strings are handles into [`Texts`]; the
//! bytes of the memory file are the store's business, which is why every
//! operation that changes something notes it in a journal for the store.
//!
//! Entities and relations keep their slot for good: a slot's number is the
//! record's place in stored order, since new ones are always added at the end,
//! and a removed one leaves an empty slot.

mod adjacency;
mod hints;
mod load;
mod names;
mod search;
mod text;
mod types;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use adjacency::Adjacency;
use names::Names;
use search::SearchText;
pub use search::lower;
pub use text::{Text, Texts};
use types::Types;

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
    observations_start: u32,
    observations_len: u32,
    live: bool,
}

impl Entity {
    fn is_live(&self) -> bool {
        self.live
    }

    fn observation_range(&self) -> Range<usize> {
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
    live: bool,
}

impl Relation {
    fn is_live(&self) -> bool {
        self.live
    }
}

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

/// What a read tool found, in stored order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The entities.
    pub entities: Vec<EntityId>,
    /// The relations that go with them.
    pub relations: Vec<RelationId>,
}

/// How much [`Graph::delete_entity`] removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// The entities of the name.
    pub entities: usize,
    /// The relations that touched it.
    pub relations: usize,
}

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
    names: OnceLock<Names>,
    types: OnceLock<Types>,
    adjacency: OnceLock<Adjacency>,
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
        self.names().first(name, &self.entities, &self.texts)
    }

    /// How many bytes of memory changes took since the graph was loaded. What
    /// was removed is not given back before it is loaded again.
    pub fn growth(&self) -> usize {
        self.texts.appended_len() + self.moved * size_of::<Text>()
    }
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
        let index = self.types();
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
            .flat_map(|name| self.names().all(name, &self.entities, &self.texts))
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

/// Changing. Whatever an operation changes is noted in the journal.
impl Graph {
    /// Stores an entity. False when one of this name exists, which is then
    /// left alone.
    pub fn create_entity(
        &mut self,
        name: &str,
        entity_type: &str,
        observations: &[String],
    ) -> bool {
        if self.find(name).is_some() {
            return false;
        }
        let name = self.texts.push(name);
        let entity_type = self.texts.push(entity_type);
        let observations: Vec<Text> = observations
            .iter()
            .map(|observation| self.texts.push(observation))
            .collect();
        let id = self.load_entity(name, entity_type, observations);
        let entity = self.entities[id as usize];
        if let Some(types) = self.types.get_mut() {
            types.insert(id, self.texts.get(entity.entity_type));
        }
        if let Some(names) = self.names.get_mut() {
            names.insert(id, &self.entities, &self.texts);
        }
        if let Some(search) = self.search.get_mut() {
            search.insert(id, entity, &self.observations, &self.texts);
        }
        self.journal.push(Change::EntityAdded(id));
        true
    }

    /// Stores a relation. False when the same one exists.
    pub fn create_relation(&mut self, from: &str, to: &str, relation_type: &str) -> bool {
        if !self.find_relations(from, to, relation_type).is_empty() {
            return false;
        }
        let [from, to, relation_type] = [from, to, relation_type].map(|text| self.texts.push(text));
        let id = self.load_relation(from, to, relation_type);
        if let Some(adjacency) = self.adjacency.get_mut() {
            adjacency.insert_last(&self.relations, &self.texts);
        }
        self.journal.push(Change::RelationAdded(id));
        true
    }

    /// Appends to each entity those of its contents that it does not have yet,
    /// and returns them, item by item. What is twice in one item is appended
    /// twice, as the reference server does; a later item sees what an earlier
    /// one added. An entity's list is gone through once, however many items
    /// name it.
    pub fn add_observations<'a>(
        &mut self,
        items: &[(EntityId, &'a [String])],
    ) -> Vec<Vec<&'a String>> {
        let mut wanted: BTreeMap<EntityId, HashSet<&str>> = BTreeMap::new();
        for (id, contents) in items {
            let wanted = wanted.entry(*id).or_default();
            wanted.extend(contents.iter().map(String::as_str));
        }
        // Of what is wanted, what the entity has.
        let mut known = wanted;
        for (&id, wanted) in &mut known {
            let stored = self.observations(id).iter().map(|&text| self.text(text));
            *wanted = stored
                .filter_map(|text| wanted.get(text).copied())
                .collect();
        }
        let mut new: BTreeMap<EntityId, Vec<Text>> = BTreeMap::new();
        let mut results = Vec::with_capacity(items.len());
        for (id, contents) in items {
            let known = known.get_mut(id).expect("every item's entity is there");
            let added = contents
                .iter()
                .filter(|text| !known.contains(text.as_str()));
            let added: Vec<&String> = added.collect();
            known.extend(added.iter().map(|text| text.as_str()));
            let texts = added.iter().map(|text| self.texts.push(text));
            new.entry(*id).or_default().extend(texts);
            results.push(added);
        }
        for (id, texts) in new.into_iter().filter(|(_, texts)| !texts.is_empty()) {
            let list = [self.observations(id), &texts].concat();
            self.set_observations(id, list);
            self.journal.push(Change::ObservationsAdded(id, texts));
        }
        results
    }

    /// Removes every entity of this name and every relation that touches the
    /// name, also when no entity has it.
    pub fn delete_entity(&mut self, name: &str) -> Deleted {
        self.names();
        let ids = self.open(std::slice::from_ref(&name.to_owned()));
        for &id in &ids {
            self.entities[id as usize].live = false;
            self.live_entities -= 1;
            if let Some(names) = self.names.get_mut() {
                names.remove(id, name);
            }
            self.refresh_search(id);
            self.journal.push(Change::EntityRemoved(id));
        }
        let relations: Vec<RelationId> = self.relations_of(name).collect();
        Deleted {
            entities: ids.len(),
            relations: self.remove_relations(relations),
        }
    }

    /// Removes every observation of the entity that equals one of `unwanted`.
    /// Returns how many went and which of `unwanted` were not there, each once.
    pub fn delete_observations<'a>(
        &mut self,
        id: EntityId,
        unwanted: &'a [String],
    ) -> (usize, Vec<&'a String>) {
        let wanted: HashSet<&str> = unwanted.iter().map(String::as_str).collect();
        let mut missing = wanted.clone();
        let (mut kept, mut removed) = (Vec::new(), Vec::new());
        for (place, &stored) in self.observations(id).iter().enumerate() {
            let text = self.text(stored);
            if wanted.contains(text) {
                missing.remove(text);
                removed.push(place);
            } else {
                kept.push(stored);
            }
        }
        let count = removed.len();
        if count > 0 {
            self.set_observations(id, kept);
            self.journal.push(Change::ObservationsRemoved(id, removed));
        }
        let missing = unwanted
            .iter()
            .filter(|text| missing.remove(text.as_str()))
            .collect();
        (count, missing)
    }

    /// Removes every relation that equals this one. Returns how many went.
    pub fn delete_relation(&mut self, from: &str, to: &str, relation_type: &str) -> usize {
        let ids = self.find_relations(from, to, relation_type);
        self.remove_relations(ids)
    }

    /// What was changed since the journal was last taken.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.journal)
    }
}

impl Graph {
    fn names(&self) -> &Names {
        self.names
            .get_or_init(|| Names::build(&self.entities, &self.texts))
    }

    fn types(&self) -> &Types {
        self.types
            .get_or_init(|| Types::build(&self.entities, &self.texts))
    }

    fn adjacency(&self) -> &Adjacency {
        self.adjacency
            .get_or_init(|| Adjacency::build(&self.relations, &self.texts))
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
        self.adjacency()
            .touching(name, &self.relations, &self.texts)
            .filter(|&id| self.relation(id).is_live())
    }

    fn find_relations(&self, from: &str, to: &str, relation_type: &str) -> Vec<RelationId> {
        let mut ids: Vec<RelationId> = self
            .relations_of_rarer(from, to)
            .into_iter()
            .filter(|&id| {
                let relation = self.relation(id);
                self.text(relation.from) == from
                    && self.text(relation.to) == to
                    && self.text(relation.relation_type) == relation_type
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
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

    /// Returns how many of them were still there.
    fn remove_relations(&mut self, ids: Vec<RelationId>) -> usize {
        let mut count = 0;
        for id in ids {
            let relation = &mut self.relations[id as usize];
            if std::mem::replace(&mut relation.live, false) {
                count += 1;
                self.journal.push(Change::RelationRemoved(id));
            }
        }
        count
    }

    fn set_observations(&mut self, id: EntityId, list: Vec<Text>) {
        let entity = &mut self.entities[id as usize];
        entity.observations_len = slot(list.len());
        entity.observations_start = slot(self.observations.len());
        self.moved += list.len();
        self.observations.extend(list);
        self.refresh_search(id);
    }

    fn refresh_search(&mut self, id: EntityId) {
        let entity = self.entities[id as usize];
        if let Some(search) = self.search.get_mut() {
            search.refresh(id, entity, &self.observations, &self.texts);
            if search.is_worn() {
                self.search = OnceLock::new();
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

fn slot(number: usize) -> u32 {
    u32::try_from(number).expect("a file under 4 GiB holds fewer records")
}

#[cfg(test)]
mod tests;
