//! The one pass over a memory file in which every line is good: each record
//! goes to the graph, and its place to the list of records.

use memchr::memchr;

use super::super::line::{Content, Line, Record, read_line};
use super::super::parts::BOM;
use super::super::records::{Records, Span};
use crate::graph::{Graph, Text};
use crate::json::RawString;

/// What is read so far.
pub(super) struct Loader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) is_utf8: bool,
    pub(super) graph: Graph,
    pub(super) records: Records,
    pub(super) observations: Vec<RawString>,
}

/// A bad line, which is looked at again when all of them are named.
pub(super) struct Bad;

impl Loader<'_> {
    pub(super) fn read_lines(&mut self) -> Result<(), Bad> {
        let mut texts = Vec::new();
        let mut start = if self.bytes.starts_with(BOM) {
            BOM.len()
        } else {
            0
        };
        while start < self.bytes.len() {
            let end = memchr(b'\n', &self.bytes[start..]);
            let end = end.map_or(self.bytes.len(), |lf| start + lf);
            self.observations.clear();
            match read_line(&self.bytes[..end], start, &mut self.observations) {
                Ok(Line::Blank) => {}
                Ok(Line::Record(record)) => self.add(record, &mut texts),
                Err(_) => return Err(Bad),
            }
            start = end + 1;
        }
        Ok(())
    }

    fn add(&mut self, record: Record, texts: &mut Vec<Text>) {
        let span = Span::new(record.start, record.end);
        match record.content {
            Content::Entity {
                name, entity_type, ..
            } => {
                let name = self.text(name);
                let entity_type = match entity_type {
                    Some(raw) => self.text(raw),
                    None => Text::in_base(0, 0),
                };
                texts.clear();
                for place in 0..self.observations.len() {
                    texts.push(self.text(self.observations[place]));
                }
                self.graph
                    .load_entity(name, entity_type, texts.iter().copied());
                self.records.read_entity(span);
            }
            Content::Relation {
                from,
                to,
                relation_type,
            } => {
                let [from, to, relation_type] = [from, to, relation_type].map(|raw| self.text(raw));
                self.graph.load_relation(from, to, relation_type);
                self.records.read_relation(span);
            }
            Content::Other => self.records.read_other(span),
        }
    }

    fn text(&mut self, raw: RawString) -> Text {
        if self.is_utf8 && !raw.escaped {
            Text::in_base(raw.start, raw.end - raw.start)
        } else {
            self.graph.push_text(&raw.text(self.bytes))
        }
    }
}
