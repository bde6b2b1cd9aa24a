//! The bytes of new records, and of an entity's record whose observations
//! changed. Where they go in the file is `document`'s business.

use super::line::{Content, Line, Observations, read_line};
use crate::graph::{EntityId, Graph, RelationId, Text};
use crate::json::{RawString, escape_into};

/// Writes a new entity's record, without LF.
pub fn write_entity(graph: &Graph, id: EntityId, out: &mut Vec<u8>) {
    let entity = graph.entity(id);
    let mut text = String::from("{\"type\":\"entity\",\"name\":");
    escape_into(graph.text(entity.name), &mut text);
    text.push_str(",\"entityType\":");
    escape_into(graph.text(entity.entity_type), &mut text);
    text.push_str(",\"observations\":[");
    for (place, &observation) in graph.observations(id).iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        escape_into(graph.text(observation), &mut text);
    }
    text.push_str("]}");
    out.extend_from_slice(text.as_bytes());
}

/// Writes a new relation's record, without LF.
pub fn write_relation(graph: &Graph, id: RelationId, out: &mut Vec<u8>) {
    let relation = graph.relation(id);
    let mut text = String::from("{\"type\":\"relation\",\"from\":");
    escape_into(graph.text(relation.from), &mut text);
    text.push_str(",\"to\":");
    escape_into(graph.text(relation.to), &mut text);
    text.push_str(",\"relationType\":");
    escape_into(graph.text(relation.relation_type), &mut text);
    text.push('}');
    out.extend_from_slice(text.as_bytes());
}

/// Changes to the observations of one stored entity, collected so that its
/// record is rewritten once, however many calls of a burst touched it.
pub struct ObservationsEdit {
    record: Vec<u8>,
    place: Observations,
    /// The items as they stand in the record.
    stored: Vec<RawString>,
    list: Vec<Item>,
}

enum Item {
    /// The item at this place in the record, bytes as they are.
    Kept(usize),
    /// A new string token, quotes included.
    Added(Vec<u8>),
}

impl ObservationsEdit {
    /// Begins with a record as it stands in the file.
    pub fn new(record: &[u8]) -> Self {
        let mut stored = Vec::new();
        let content = match read_line(record, 0, &mut stored) {
            Ok(Line::Record(record)) => record.content,
            _ => Content::Other,
        };
        let Content::Entity {
            observations: place,
            ..
        } = content
        else {
            unreachable!("the record was read as an entity before");
        };
        ObservationsEdit {
            record: record.to_vec(),
            place,
            list: (0..stored.len()).map(Item::Kept).collect(),
            stored,
        }
    }

    /// Appends observations.
    pub fn add(&mut self, graph: &Graph, texts: &[Text]) {
        for &text in texts {
            let mut token = String::new();
            escape_into(graph.text(text), &mut token);
            self.list.push(Item::Added(token.into_bytes()));
        }
    }

    /// Appends an observation as it stands in another record, with its quotes.
    pub fn add_token(&mut self, token: &[u8]) {
        self.list.push(Item::Added(token.to_vec()));
    }

    /// The observations as they stand in the record.
    pub fn stored(&self) -> impl Iterator<Item = &[u8]> {
        self.stored.iter().map(|raw| raw.bytes(&self.record))
    }

    /// Takes out the observations at these places, which ascend.
    pub fn remove(&mut self, places: &[usize]) {
        let mut places = places.iter().peekable();
        let mut place = 0;
        self.list.retain(|_| {
            let remove = places.next_if_eq(&&place).is_some();
            place += 1;
            !remove
        });
    }

    /// Writes the record anew: everything outside the list keeps its bytes, so
    /// do the kept observations, and what stands between two of them.
    pub fn write(&self, out: &mut Vec<u8>) {
        let record = &self.record;
        match self.place {
            Observations::List { start, end } => {
                out.extend_from_slice(&record[..start]);
                self.write_list(start, end, out);
                out.extend_from_slice(&record[end..]);
            }
            Observations::Null(at) => {
                out.extend_from_slice(&record[..at]);
                self.write_list(at, at, out);
                out.extend_from_slice(&record[at + b"null".len()..]);
            }
            Observations::Absent => {
                let body = record[..record.len() - 1].trim_ascii_end();
                out.extend_from_slice(body);
                out.extend_from_slice(b",\"observations\":");
                self.write_list(0, 0, out);
                out.extend_from_slice(&record[body.len()..]);
            }
        }
    }

    /// Writes the list that takes the place of `record[start..end]`.
    fn write_list(&self, start: usize, end: usize, out: &mut Vec<u8>) {
        out.push(b'[');
        if let (Some(first), Some(last), false) = (
            self.stored.first(),
            self.stored.last(),
            self.list.is_empty(),
        ) {
            out.extend_from_slice(&self.record[start + 1..first.start - 1]);
            self.write_items(out);
            out.extend_from_slice(&self.record[last.end + 1..end - 1]);
        } else {
            self.write_items(out);
        }
        out.push(b']');
    }

    fn write_items(&self, out: &mut Vec<u8>) {
        let mut before: Option<&Item> = None;
        for item in &self.list {
            match (before, item) {
                (None, _) => {}
                (Some(&Item::Kept(left)), &Item::Kept(right)) if left + 1 == right => {
                    let (left, right) = (self.stored[left], self.stored[right]);
                    out.extend_from_slice(&self.record[left.end + 1..right.start - 1]);
                }
                _ => out.push(b','),
            }
            match item {
                Item::Kept(place) => {
                    let token = self.stored[*place];
                    out.extend_from_slice(&self.record[token.start - 1..=token.end]);
                }
                Item::Added(token) => out.extend_from_slice(token),
            }
            before = Some(item);
        }
    }
}
