//! Relations by all three of their parts.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

use super::slots::{Relation, RelationId};
use super::text::Texts;

/// The end of a list.
const END: u32 = u32::MAX;

/// Finds the relations that equal a triple, however many others there are
/// between the same two names.
///
/// As in [`ByEnd`](super::by_end::ByEnd), each bucket of a hash table has a list
/// of the relations in it, newest first, so that building compares no names. A
/// relation that was removed leaves its list when the list is next gone through:
/// one that is created and deleted over and over costs each of these no more
/// than the first.
#[derive(Debug, Clone)]
pub struct ByTriple {
    hasher: DefaultHashBuilder,
    /// The newest relation of each bucket. A power of two of them, at least one
    /// for each relation.
    newest: Vec<u32>,
    /// For each relation, the next older one of its bucket.
    next: Vec<u32>,
}

impl ByTriple {
    /// The index of `relations`.
    pub fn build(relations: &[Relation], texts: &Texts) -> ByTriple {
        let mut index = ByTriple {
            hasher: DefaultHashBuilder::default(),
            newest: vec![END; relations.len().next_power_of_two().max(16)],
            next: Vec::with_capacity(relations.len()),
        };
        for relation in relations {
            index.link(relation, texts);
        }
        index
    }

    /// The relations that equal `triple` and were not removed, newest first.
    pub fn equal_to<'a>(
        &'a mut self,
        triple: [&'a str; 3],
        relations: &'a [Relation],
        texts: &'a Texts,
    ) -> impl Iterator<Item = RelationId> + 'a {
        let bucket = self.bucket(triple);
        // Where the link is that leads to the relation looked at next.
        let mut behind = None;
        std::iter::from_fn(move || {
            loop {
                let link = match behind {
                    None => self.newest[bucket],
                    Some(id) => self.next[id as usize],
                };
                let relation = relations.get(link as usize)?;
                if relation.is_live() {
                    behind = Some(link);
                    if parts(relation, texts) == triple {
                        return Some(link);
                    }
                } else {
                    let older = self.next[link as usize];
                    match behind {
                        None => self.newest[bucket] = older,
                        Some(id) => self.next[id as usize] = older,
                    }
                }
            }
        })
    }

    /// Adds the last of `relations`.
    pub fn insert_last(&mut self, relations: &[Relation], texts: &Texts) {
        debug_assert_eq!(relations.len(), self.next.len() + 1);
        if relations.len() > self.newest.len() {
            *self = ByTriple::build(relations, texts);
        } else if let Some(relation) = relations.last() {
            self.link(relation, texts);
        }
    }

    /// Links the next relation, also a removed one.
    fn link(&mut self, relation: &Relation, texts: &Texts) {
        let id = self.next.len() as RelationId;
        let bucket = self.bucket(parts(relation, texts));
        let older = std::mem::replace(&mut self.newest[bucket], id);
        self.next.push(older);
    }

    fn bucket(&self, triple: [&str; 3]) -> usize {
        self.hasher.hash_one(triple) as usize & (self.newest.len() - 1)
    }
}

fn parts<'a>(relation: &Relation, texts: &'a Texts) -> [&'a str; 3] {
    [relation.from, relation.to, relation.relation_type].map(|text| texts.get(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relations in a bucket's list.
    fn listed(index: &ByTriple, bucket: u32) -> usize {
        let older = |&id: &u32| index.next.get(id as usize).copied();
        let list = std::iter::successors(Some(bucket), older);
        list.take_while(|&id| id != END).count()
    }

    fn longest(index: &ByTriple) -> usize {
        let lists = index.newest.iter().map(|&newest| listed(index, newest));
        lists.max().unwrap_or(0)
    }

    fn relation(texts: &mut Texts, relation_type: &str) -> Relation {
        Relation {
            from: texts.push("a"),
            to: texts.push("b"),
            relation_type: texts.push(relation_type),
            live: true,
        }
    }

    #[test]
    fn relations_of_the_same_two_names_are_spread_over_the_lists() {
        let mut texts = Texts::default();
        let relation = |number: u32| relation(&mut texts, &number.to_string());
        let relations: Vec<Relation> = (0..10_000).map(relation).collect();
        let mut index = ByTriple::build(&[], &texts);
        for count in 1..=relations.len() {
            index.insert_last(&relations[..count], &texts);
        }
        assert!(longest(&index) < 50, "{}", longest(&index));
        let found: Vec<_> = index
            .equal_to(["a", "b", "77"], &relations, &texts)
            .collect();
        assert_eq!(found, [77]);
    }

    #[test]
    fn what_was_removed_is_gone_through_once() {
        let mut texts = Texts::default();
        let mut relations: Vec<Relation> = Vec::new();
        let mut index = ByTriple::build(&relations, &texts);
        for _ in 0..100 {
            relations.push(relation(&mut texts, "r"));
            index.insert_last(&relations, &texts);
            let triple = ["a", "b", "r"];
            let found: Vec<_> = index.equal_to(triple, &relations, &texts).collect();
            assert_eq!(found, [relations.len() as u32 - 1]);
            relations[found[0] as usize].live = false;
        }
        assert!(longest(&index) <= 2, "{}", longest(&index));
    }
}
