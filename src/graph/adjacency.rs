//! Relations by the name of an endpoint.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::{Relation, RelationId, Text, Texts};

/// The end of a list of links.
const END: u32 = u32::MAX;

/// Finds the relations that touch a name, whether an entity has it or not.
///
/// Each endpoint name is a node, and each relation is a link in two lists, its
/// `from` node's and its `to` node's: a hub with a hundred thousand relations
/// costs no more to extend than a leaf. A removed relation stays linked and is
/// passed over, which the caller does.
#[derive(Debug, Clone)]
pub struct Adjacency {
    hasher: DefaultHashBuilder,
    table: HashTable<u32>,
    nodes: Vec<Node>,
    /// For each relation, the links after its `from` and its `to`.
    next: Vec<[u32; 2]>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    name: Text,
    /// The newest link: the relation's number times two, plus one for `to`.
    newest: u32,
    degree: u32,
}

impl Adjacency {
    /// The index of `relations`.
    pub fn build(relations: &[Relation], texts: &Texts) -> Adjacency {
        let mut adjacency = Adjacency {
            hasher: DefaultHashBuilder::default(),
            table: HashTable::new(),
            nodes: Vec::new(),
            next: Vec::with_capacity(relations.len()),
        };
        for (id, relation) in relations.iter().enumerate() {
            if relation.is_live() {
                adjacency.insert(id as RelationId, *relation, texts);
            } else {
                adjacency.next.push([END; 2]);
            }
        }
        adjacency
    }

    /// Every relation from or to `name`, newest first, removed ones too. One
    /// from the name to itself comes twice.
    pub fn touching(&self, name: &str, texts: &Texts) -> impl Iterator<Item = RelationId> {
        self.links(name, texts).map(|link| link >> 1)
    }

    /// How many links `name` has.
    pub fn degree(&self, name: &str, texts: &Texts) -> u32 {
        self.node(name, texts)
            .map_or(0, |node| self.nodes[node as usize].degree)
    }

    /// Adds the next relation.
    pub fn insert(&mut self, id: RelationId, relation: Relation, texts: &Texts) {
        debug_assert_eq!(id as usize, self.next.len());
        let mut next = [END; 2];
        for (side, name) in [relation.from, relation.to].into_iter().enumerate() {
            let node = self.node_or_new(name, texts);
            let node = &mut self.nodes[node as usize];
            next[side] = node.newest;
            node.newest = id * 2 + side as u32;
            node.degree += 1;
        }
        self.next.push(next);
    }

    fn links(&self, name: &str, texts: &Texts) -> impl Iterator<Item = u32> {
        let newest = self
            .node(name, texts)
            .map_or(END, |node| self.nodes[node as usize].newest);
        let link = |link: u32| (link != END).then_some(link);
        std::iter::successors(link(newest), move |&current| {
            link(self.next[(current >> 1) as usize][(current & 1) as usize])
        })
    }

    fn node(&self, name: &str, texts: &Texts) -> Option<u32> {
        self.table
            .find(self.hasher.hash_one(name), |&node| {
                texts.get(self.nodes[node as usize].name) == name
            })
            .copied()
    }

    fn node_or_new(&mut self, name: Text, texts: &Texts) -> u32 {
        let nodes = &mut self.nodes;
        let hasher = &self.hasher;
        let text = texts.get(name);
        let entry = self.table.entry(
            hasher.hash_one(text),
            |&node| texts.get(nodes[node as usize].name) == text,
            |&node| hasher.hash_one(texts.get(nodes[node as usize].name)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let node = nodes.len() as u32;
                entry.insert(node);
                nodes.push(Node {
                    name,
                    newest: END,
                    degree: 0,
                });
                node
            }
        }
    }
}
