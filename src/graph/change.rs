//! What the other tools change. Each operation notes its changes in the
//! journal, for the store to bring into the file.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use super::Graph;
use super::by_triple::ByTriple;
use super::journal::Change;
use super::slots::{EntityId, RelationId, slot};
use super::text::Text;

/// How much [`Graph::delete_entity`] removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// The entities of the name.
    pub entities: usize,
    /// The relations that touched it.
    pub relations: usize,
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
        if let Some(types) = self.by_type.get_mut() {
            types.insert(id, self.texts.get(entity.entity_type));
        }
        if let Some(names) = self.by_name.get_mut() {
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
        let mut equal = self.equal_relations([from, to, relation_type]);
        if equal.next().is_some() {
            return false;
        }
        drop(equal);
        let [from, to, relation_type] = [from, to, relation_type].map(|text| self.texts.push(text));
        let id = self.load_relation(from, to, relation_type);
        if let Some(by_end) = self.by_end.get_mut() {
            by_end.insert_last(&self.relations, &self.texts);
        }
        if let Some(by_triple) = &mut self.by_triple {
            by_triple.insert_last(&self.relations, &self.texts);
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
        let ids = self.open(std::slice::from_ref(&name.to_owned()));
        for &id in &ids {
            self.entities[id as usize].live = false;
            self.live_entities -= 1;
            if let Some(names) = self.by_name.get_mut() {
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
        let equal = self.equal_relations([from, to, relation_type]);
        let mut ids: Vec<RelationId> = equal.collect();
        ids.reverse();
        self.remove_relations(ids)
    }

    /// What was changed since the journal was last taken.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.journal)
    }
}

/// How.
impl Graph {
    /// The relations that equal this one, the newest first.
    fn equal_relations<'a>(
        &'a mut self,
        triple: [&'a str; 3],
    ) -> impl Iterator<Item = RelationId> + 'a {
        let (relations, texts) = (&self.relations, &self.texts);
        let by_triple = &mut self.by_triple;
        let by_triple = by_triple.get_or_insert_with(|| ByTriple::build(relations, texts));
        by_triple.equal_to(triple, relations, texts)
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
