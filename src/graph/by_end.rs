//! Relations by the name of an endpoint.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

use super::slots::{Relation, RelationId};
use super::text::{Text, Texts};

/// The end of a list of links.
const END: u32 = u32::MAX;

/// Finds the relations that touch a name, whether an entity has it or not.
///
/// Each relation is a link in two lists, one for its `from` and one for its
/// `to`: a hub with a hundred thousand relations costs no more to extend than
/// a leaf. The lists are those of a hash table's buckets, so names that share a
/// bucket share a list, and only a reader compares names. Building needs no
/// comparison, and thus not the text of a name that was seen long before, which
/// has left the processor's cache by then; it is a large part of a start. A
/// removed relation stays linked and is passed over, which the caller does.
#[derive(Debug, Clone)]
pub struct ByEnd {
    hasher: DefaultHashBuilder,
    /// The newest link of each bucket: the relation's number times two, plus
    /// one for `to`. A power of two of them, at least two for each relation.
    newest: Vec<u32>,
    /// For each relation, the links after its `from` and its `to`.
    next: Vec<[u32; 2]>,
}

impl ByEnd {
    /// The index of `relations`.
    pub fn build(relations: &[Relation], texts: &Texts) -> ByEnd {
        let mut index = ByEnd {
            hasher: DefaultHashBuilder::default(),
            newest: vec![END; (relations.len() * 2).next_power_of_two().max(16)],
            next: Vec::with_capacity(relations.len()),
        };
        for relation in relations {
            index.link(relation, texts);
        }
        index
    }

    /// Every relation from or to `name`, newest first, removed ones too. One
    /// from the name to itself comes twice.
    pub fn touching(
        &self,
        name: &str,
        relations: &[Relation],
        texts: &Texts,
    ) -> impl Iterator<Item = RelationId> {
        let link = |link: u32| (link != END).then_some(link);
        let newest = self.newest[self.bucket(name)];
        std::iter::successors(link(newest), move |&current| {
            link(self.next[(current >> 1) as usize][(current & 1) as usize])
        })
        .filter(move |&link| {
            let end = ends(&relations[(link >> 1) as usize])[(link & 1) as usize];
            texts.get(end) == name
        })
        .map(|link| link >> 1)
    }

    /// Adds the last of `relations`.
    pub fn insert_last(&mut self, relations: &[Relation], texts: &Texts) {
        debug_assert_eq!(relations.len(), self.next.len() + 1);
        if relations.len() * 2 > self.newest.len() {
            *self = ByEnd::build(relations, texts);
        } else if let Some(relation) = relations.last() {
            self.link(relation, texts);
        }
    }

    /// Links the next relation, also a removed one.
    fn link(&mut self, relation: &Relation, texts: &Texts) {
        let id = self.next.len() as RelationId;
        let mut next = [END; 2];
        for (side, name) in ends(relation).into_iter().enumerate() {
            let bucket = self.bucket(texts.get(name));
            next[side] = std::mem::replace(&mut self.newest[bucket], id * 2 + side as u32);
        }
        self.next.push(next);
    }

    fn bucket(&self, name: &str) -> usize {
        self.hasher.hash_one(name) as usize & (self.newest.len() - 1)
    }
}

fn ends(relation: &Relation) -> [Text; 2] {
    [relation.from, relation.to]
}
