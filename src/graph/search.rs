//! The lower-cased text of every entity, for substring search.
//!
//! One buffer holds all fields of all entities one after the other, so that a
//! search is one run of memmem instead of a call per string. The fields are
//! separated by a byte that occurs in no UTF-8 text, so a hit never reaches
//! across two fields. An entity that changes is blanked with that byte and
//! written anew at the end.

use memchr::memmem;

use super::slots::{Entity, EntityId};
use super::text::{Text, Texts};

/// Occurs in no UTF-8 text, so in no query either.
const SEPARATOR: u8 = 0xFF;

/// The index behind `search_nodes`.
#[derive(Debug, Clone, Default)]
pub struct SearchText {
    bytes: Vec<u8>,
    /// Where each segment starts and whose it is, in the order of the buffer.
    segments: Vec<(u32, EntityId)>,
    /// Each entity's segment.
    segment_of: Vec<u32>,
    blanked: usize,
}

impl SearchText {
    /// The text of `entities`; `observations` is the graph's list of all.
    pub fn build(entities: &[Entity], observations: &[Text], texts: &Texts) -> SearchText {
        let mut search = SearchText::default();
        search.segments.reserve_exact(entities.len());
        search.segment_of.reserve_exact(entities.len());
        for (id, entity) in entities.iter().enumerate() {
            search.insert(id as EntityId, *entity, observations, texts);
        }
        search
    }

    /// The entities with a field that contains `lowered`, which is lower-cased
    /// and not empty; in stored order.
    pub fn find(&self, lowered: &str) -> Vec<EntityId> {
        let finder = memmem::Finder::new(lowered.as_bytes());
        let mut found = Vec::new();
        let mut segment = 0;
        let mut position = 0;
        while let Some(hit) = finder.find(&self.bytes[position..]) {
            let hit = position + hit;
            // Hits come in ascending order: the segment is at or after the last.
            segment +=
                self.segments[segment..].partition_point(|&(start, _)| start as usize <= hit) - 1;
            found.push(self.segments[segment].1);
            segment += 1;
            match self.segments.get(segment) {
                Some(&(start, _)) => position = start as usize,
                None => break,
            }
        }
        found.sort_unstable();
        found
    }

    /// Adds the next entity.
    pub fn insert(&mut self, id: EntityId, entity: Entity, observations: &[Text], texts: &Texts) {
        debug_assert_eq!(id as usize, self.segment_of.len());
        self.segment_of.push(self.segments.len() as u32);
        self.append(id, entity, observations, texts);
    }

    /// Takes an entity's text out, and writes it anew when it lives on.
    pub fn refresh(&mut self, id: EntityId, entity: Entity, observations: &[Text], texts: &Texts) {
        let segment = self.segment_of[id as usize] as usize;
        let start = self.segments[segment].0 as usize;
        let end = self
            .segments
            .get(segment + 1)
            .map_or(self.bytes.len(), |&(start, _)| start as usize);
        self.bytes[start..end].fill(SEPARATOR);
        self.blanked += end - start;
        self.segment_of[id as usize] = self.segments.len() as u32;
        self.append(id, entity, observations, texts);
    }

    /// Whether so much is blanked that building anew is better.
    pub fn is_worn(&self) -> bool {
        self.blanked > self.bytes.len() / 2 && self.blanked > 1 << 20
            || self.bytes.len() > u32::MAX as usize / 2
    }

    fn append(&mut self, id: EntityId, entity: Entity, observations: &[Text], texts: &Texts) {
        self.segments.push((self.bytes.len() as u32, id));
        if entity.is_live() {
            self.push_lowered(texts.get(entity.name));
            self.push_lowered(texts.get(entity.entity_type));
            for &observation in &observations[entity.observation_range()] {
                self.push_lowered(texts.get(observation));
            }
        }
    }

    fn push_lowered(&mut self, text: &str) {
        let start = self.bytes.len();
        if text.is_ascii() {
            self.bytes.extend_from_slice(text.as_bytes());
            self.bytes[start..].make_ascii_lowercase();
        } else {
            self.bytes.extend_from_slice(lower(text).as_bytes());
        }
        self.bytes.push(SEPARATOR);
    }
}

/// Lower case as JavaScript's `toLowerCase` makes it: the full Unicode mapping
/// with the final sigma, no locale.
///
/// Long runs of ASCII are lowered as bytes: the standard library looks at every
/// character once the first one is not ASCII, which makes the first search of
/// a graph in any other language half as long again.
pub fn lower(text: &str) -> String {
    // Alone depends on what stands around it.
    if text.contains('Σ') {
        return text.to_lowercase();
    }
    let mut lowered = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.bytes().position(|byte| !byte.is_ascii()) {
        push_lowered_ascii(&mut lowered, &rest[..start]);
        let mut others = rest[start..].chars();
        let mut after = others.as_str();
        while let Some(other) = others.next().filter(|it| !it.is_ascii()) {
            lowered.extend(other.to_lowercase());
            after = others.as_str();
        }
        rest = after;
    }
    push_lowered_ascii(&mut lowered, rest);
    lowered
}

fn push_lowered_ascii(lowered: &mut String, ascii: &str) {
    let start = lowered.len();
    lowered.push_str(ascii);
    lowered[start..].make_ascii_lowercase();
}
