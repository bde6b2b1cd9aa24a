//! Which records the memory file holds, in which order, and where the bytes of
//! each one are. What they say is the graph's and `line`'s business.
//!
//! A new entity goes behind the last one, which may stand in the middle of the
//! file, and any record may go. So the order is a list of small numbers, cheap
//! to insert into, and the places are in lists that are indexed by the graph's
//! slots; nothing that is removed has to be searched for.

use crate::graph::{EntityId, RelationId};

/// Where a record's bytes are: from its opening brace to behind its closing
/// one, as addresses of the document's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Span {
    /// Of these offsets in the document's bytes.
    pub fn new(start: usize, end: usize) -> Span {
        let address = |at| u32::try_from(at).expect("a document is renewed long before 4 GiB");
        Span {
            start: address(start),
            end: address(end),
        }
    }

    /// A record that was removed.
    const GONE: Span = Span { start: 0, end: 0 };
    /// A record whose bytes are still to be written.
    const AWAITED: Span = Span {
        start: u32::MAX,
        end: u32::MAX,
    };
}

/// The records of a file.
#[derive(Debug, Clone, Default)]
pub struct Records {
    order: Vec<Entry>,
    /// By the graph's slots.
    entities: Vec<Span>,
    /// By the graph's slots.
    relations: Vec<Span>,
    others: Vec<Span>,
    /// No live entity stands in the order at this index or behind it.
    entities_end: usize,
    gone: usize,
}

/// One place in the order: which list, and the index in it, in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry(u32);

impl Entry {
    const INDEX_BITS: u32 = 30;
    const ENTITY: u32 = 0;
    const RELATION: u32 = 1;
    const OTHER: u32 = 2;

    fn new(list: u32, index: usize) -> Entry {
        let index = u32::try_from(index).expect("a file under 2 GiB holds fewer records");
        assert!(index < 1 << Self::INDEX_BITS, "too many records");
        Entry(list << Self::INDEX_BITS | index)
    }

    fn list(self) -> u32 {
        self.0 >> Self::INDEX_BITS
    }

    fn index(self) -> usize {
        (self.0 & ((1 << Self::INDEX_BITS) - 1)) as usize
    }
}

impl Records {
    /// Takes in the next record of the file that is being read: an entity.
    pub fn read_entity(&mut self, span: Span) {
        self.order
            .push(Entry::new(Entry::ENTITY, self.entities.len()));
        self.entities.push(span);
        self.entities_end = self.order.len();
    }

    /// Takes in the next record of the file that is being read: a relation.
    pub fn read_relation(&mut self, span: Span) {
        self.order
            .push(Entry::new(Entry::RELATION, self.relations.len()));
        self.relations.push(span);
    }

    /// Takes in the next record of the file that is being read: an unknown one.
    pub fn read_other(&mut self, span: Span) {
        self.order.push(Entry::new(Entry::OTHER, self.others.len()));
        self.others.push(span);
    }

    /// Gives back what the lists have over, once all is read.
    pub fn shrink(&mut self) {
        self.order.shrink_to_fit();
        self.entities.shrink_to_fit();
        self.relations.shrink_to_fit();
        self.others.shrink_to_fit();
    }

    /// The places of the live records, in file order.
    pub fn spans(&self) -> impl Iterator<Item = Span> {
        self.order
            .iter()
            .map(|&entry| self.span(entry))
            .filter(|&span| span != Span::GONE)
    }

    /// Where an entity's bytes are.
    pub fn entity(&self, id: EntityId) -> Span {
        self.entities[id as usize]
    }

    /// Inserts `count` new entities, whose bytes are set later: behind the last
    /// entity; with none, before the first relation; with neither, at the end.
    pub fn insert_entities(&mut self, count: usize) {
        let place = self.place_for_entities();
        let first = self.entities.len();
        let entries = (first..first + count).map(|index| Entry::new(Entry::ENTITY, index));
        self.order.splice(place..place, entries);
        self.entities.resize(first + count, Span::AWAITED);
        self.entities_end = place + count;
    }

    fn place_for_entities(&mut self) -> usize {
        let live_entity =
            |&entry: &Entry| entry.list() == Entry::ENTITY && self.span(entry) != Span::GONE;
        let end = self.order[..self.entities_end]
            .iter()
            .rposition(live_entity)
            .map_or(0, |last| last + 1);
        self.entities_end = end;
        if end > 0 {
            return end;
        }
        self.order
            .iter()
            .position(|&entry| entry.list() == Entry::RELATION && self.span(entry) != Span::GONE)
            .unwrap_or(self.order.len())
    }

    /// Appends a new relation, whose bytes are set later.
    pub fn append_relation(&mut self) {
        self.read_relation(Span::AWAITED);
    }

    /// Says where an entity's bytes are now. A removed one stays removed.
    pub fn set_entity(&mut self, id: EntityId, span: Span) {
        let place = &mut self.entities[id as usize];
        if *place != Span::GONE {
            *place = span;
        }
    }

    /// Says where a relation's bytes are now. A removed one stays removed.
    pub fn set_relation(&mut self, id: RelationId, span: Span) {
        let place = &mut self.relations[id as usize];
        if *place != Span::GONE {
            *place = span;
        }
    }

    /// Whether the entity was removed.
    pub fn is_entity_gone(&self, id: EntityId) -> bool {
        self.entities[id as usize] == Span::GONE
    }

    /// Whether the relation was removed.
    pub fn is_relation_gone(&self, id: RelationId) -> bool {
        self.relations[id as usize] == Span::GONE
    }

    /// Removes an entity.
    pub fn remove_entity(&mut self, id: EntityId) {
        self.entities[id as usize] = Span::GONE;
        self.count_gone();
    }

    /// Removes a relation.
    pub fn remove_relation(&mut self, id: RelationId) {
        self.relations[id as usize] = Span::GONE;
        self.count_gone();
    }

    /// Sweeps the removed ones out of the order when they are most of it.
    fn count_gone(&mut self) {
        self.gone += 1;
        if self.gone <= 1000 || self.gone * 2 <= self.order.len() {
            return;
        }
        let mut order = std::mem::take(&mut self.order);
        order.retain(|&entry| self.span(entry) != Span::GONE);
        self.entities_end = order.len();
        self.order = order;
        self.gone = 0;
    }

    fn span(&self, entry: Entry) -> Span {
        match entry.list() {
            Entry::ENTITY => self.entities[entry.index()],
            Entry::RELATION => self.relations[entry.index()],
            _ => self.others[entry.index()],
        }
    }
}
