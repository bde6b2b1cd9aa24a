//! What `mcp-memory repair --merge-duplicates` makes of entities that share a
//! name. All else that is salvaged is [`salvage`](super)'s.

use std::collections::{HashMap, HashSet};

use super::super::edit::ObservationsEdit;
use super::super::line::{Content, Line, read_line};
use super::pieces::{members, read};
use crate::json::{is_lossy, unescape};

/// Entities that were made one.
#[derive(Debug)]
pub struct Merged {
    /// Their name.
    pub name: String,
    /// How many there were.
    pub count: usize,
    /// How many of those hold what the merged one does not, and are kept with
    /// what is rejected.
    pub set_aside: usize,
}

/// Makes one entity of those that share a name: the first, with the
/// observations of the others that it does not have. What else the others
/// have is not mixed in but set aside: the second list. Names that are not all
/// text are left alone: they may look the same and be different.
pub(super) fn merge(records: &mut Vec<Vec<u8>>) -> (Vec<Merged>, Vec<Vec<u8>>) {
    let mut gone = HashSet::new();
    let mut aside = Vec::new();
    let mut merged = Vec::new();
    for (name, same) in duplicates(records) {
        let first = records[same[0]].clone();
        let mut edit = ObservationsEdit::new(&first);
        let mut known: HashSet<Vec<u8>> = edit.stored().map(sameness).collect();
        let mut set_aside = 0;
        for &place in &same[1..] {
            gone.insert(place);
            let other = std::mem::take(&mut records[place]);
            for raw in ObservationsEdit::new(&other).stored() {
                if known.insert(sameness(raw)) {
                    edit.add_token(&[b"\"", raw, b"\""].concat());
                }
            }
            if holds_more(&other, &first) {
                aside.push(other);
                set_aside += 1;
            }
        }
        let mut record = Vec::new();
        edit.write(&mut record);
        records[same[0]] = record;
        merged.push(Merged {
            name,
            count: same.len(),
            set_aside,
        });
    }
    let mut place = 0;
    records.retain(|_| {
        place += 1;
        !gone.contains(&(place - 1))
    });
    (merged, aside)
}

/// The names that several entities have, in the order of the second ones, with
/// the places of the entities.
fn duplicates(records: &[Vec<u8>]) -> Vec<(String, Vec<usize>)> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    let mut names = Vec::new();
    for (place, record) in records.iter().enumerate() {
        if let Ok(Line::Record(line)) = read_line(record, 0, &mut Vec::new())
            && let Content::Entity { name, .. } = line.content
            && !is_lossy(name.bytes(record))
        {
            let name = name.text(record).into_owned();
            let same = places.entry(name.clone()).or_default();
            same.push(place);
            if same.len() == 2 {
                names.push(name);
            }
        }
    }
    names
        .into_iter()
        .filter_map(|name| places.remove_entry(&name))
        .collect()
}

/// What two observations have in common when one of them can go: the text, or
/// all bytes where they are not all text.
fn sameness(raw: &[u8]) -> Vec<u8> {
    if is_lossy(raw) {
        raw.to_vec()
    } else {
        unescape(raw).into_bytes()
    }
}

/// Whether an entity's record says more than its name, its observations and
/// what `first` says too.
fn holds_more(record: &[u8], first: &[u8]) -> bool {
    let entity_type = |record: &[u8]| match read(record) {
        Ok(Content::Entity { entity_type, .. }) => {
            entity_type.map_or_else(Vec::new, |raw| sameness(raw.bytes(record)))
        }
        _ => Vec::new(),
    };
    if entity_type(record) != entity_type(first) {
        return true;
    }
    let of_first: HashSet<(String, &[u8])> = members(first)
        .into_iter()
        .map(|(key, start, end)| (key.text(first).into_owned(), &first[start..end]))
        .collect();
    let mut seen = HashSet::new();
    members(record).into_iter().any(|(key, start, end)| {
        let key = key.text(record).into_owned();
        let repeated = !seen.insert(key.clone());
        let known = ["type", "name", "entityType", "observations"].contains(&key.as_str());
        repeated || (!known && !of_first.contains(&(key, &record[start..end])))
    })
}
