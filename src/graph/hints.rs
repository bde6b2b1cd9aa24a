//! What is stored that comes close to what was asked for and is not there.

use super::Graph;
use super::search::lower;
use super::slots::{EntityId, RelationId};

impl Graph {
    /// The stored name that differs from `name` only in case or surrounding
    /// space, for a hint.
    pub fn similar_name(&self, name: &str) -> Option<&str> {
        let wanted = lower(name.trim());
        self.live_entity_ids()
            .map(|id| self.text(self.entity(id).name))
            .find(|stored| {
                let stored = stored.trim();
                // Comparing the first characters alone settles most names.
                stored.chars().flat_map(char::to_lowercase).next() == wanted.chars().next()
                    && lower(stored) == wanted
            })
    }

    /// The observation of `entity` that differs from `text` only in case,
    /// spaces or punctuation, for a hint.
    pub fn similar_observation(&self, entity: EntityId, text: &str) -> Option<&str> {
        letters(text).next()?;
        self.observations(entity)
            .iter()
            .map(|&observation| self.text(observation))
            .find(|stored| letters(stored).eq(letters(text)))
    }

    /// The types of the stored entities, sorted, for a hint.
    pub fn entity_types(&self) -> Vec<&str> {
        let index = self.by_type();
        let is_live = |name: &&str| index.of(name).iter().any(|&id| self.entity(id).is_live());
        let mut types: Vec<&str> = index.names().filter(is_live).collect();
        types.sort_unstable();
        types
    }

    /// A stored relation with the same two ends, the same way round if there
    /// is one, for a hint.
    pub fn similar_relation(&self, from: &str, to: &str) -> Option<RelationId> {
        self.relations_of_rarer(from, to)
            .into_iter()
            .filter_map(|id| {
                let relation = self.relation(id);
                match (self.text(relation.from), self.text(relation.to)) {
                    ends if ends == (from, to) => Some((0, id)),
                    ends if ends == (to, from) => Some((1, id)),
                    _ => None,
                }
            })
            .min()
            .map(|(_, id)| id)
    }
}

/// A text without case, spaces and punctuation. Two texts are compared without
/// making either, and mostly differ in the first letters.
fn letters(text: &str) -> impl Iterator<Item = char> {
    let lowered = text.chars().flat_map(char::to_lowercase);
    lowered.filter(|c| c.is_alphanumeric())
}
