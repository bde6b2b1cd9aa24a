//! What `mcp-memory repair` makes of a memory file: the bytes of a file in
//! which every line is good, and what could not be brought into it. Pure; the
//! files are `store/doctor`'s business.

mod apart;
mod merge;
mod pieces;
mod typed;

use std::collections::HashSet;

use super::conflict::Conflict;
use super::line::{Content, FaultKind, Line, is_blank, read_line};
use super::mend::Mends;
use super::parts::{BadLine, Found, Part, walk};
use super::utf16::Utf16;
pub use merge::Merged;
use merge::merge;
use pieces::read;
pub use typed::with_type;

/// What to do to a file.
#[derive(Debug, Default)]
pub struct Plan {
    /// The new file.
    pub output: Vec<u8>,
    /// What cannot be saved, each piece followed by LF.
    pub rejected: Vec<u8>,
    /// What is done about each bad line, in file order.
    pub steps: Vec<Step>,
    /// The lines of unknown records that get their missing type.
    pub typed: Vec<usize>,
    /// The names whose entities were merged.
    pub merged: Vec<Merged>,
    /// How many records the new file has.
    pub records: usize,
    /// How many of them are entities and relations.
    pub memory: usize,
}

/// What is done about one bad line.
#[derive(Debug)]
pub struct Step {
    /// The line and what is wrong with it.
    pub bad: BadLine,
    /// How many records it gave.
    pub saved: usize,
    /// How many bytes of it cannot be saved.
    pub rejected: usize,
    /// The beginning of these.
    pub excerpt: Vec<u8>,
    /// What was changed to make JSON of it.
    pub mends: Mends,
    /// What was left out: the markers of a git conflict.
    pub dropped: Vec<Vec<u8>>,
    /// The names of entities that both sides of a git conflict have.
    pub on_both_sides: Vec<String>,
}

/// So many bytes of what is set aside are shown: 200 characters at least.
const EXCERPT: usize = 800;

impl Plan {
    /// Whether the file can stay as it is.
    pub fn is_nothing(&self) -> bool {
        self.steps.is_empty() && self.merged.is_empty() && self.typed.is_empty()
    }

    /// Whether the repair would take all that the file holds and leave a memory
    /// with nothing in it: perhaps it is no memory file at all.
    pub fn saves_nothing(&self) -> bool {
        self.memory == 0 && !self.rejected.is_empty()
    }
}

/// Plans the repair of a file. Good records keep their bytes and their order;
/// bad lines give the records that can be found in them, in their place.
pub fn plan(bytes: &[u8], merge_duplicates: bool) -> Plan {
    let mut salvager = Salvager::default();
    let (mut steps, mut typed) = (Vec::new(), Vec::new());
    walk(bytes, |part, _| match part.bad_line(bytes) {
        Some(bad) => steps.push(salvager.step(bad, bytes, &part)),
        None => {
            if salvager.good_part(bytes, &part) {
                typed.push(part.line);
            }
        }
    });
    let mut merged = Vec::new();
    if merge_duplicates {
        let aside;
        (merged, aside) = merge(&mut salvager.records);
        for record in aside {
            salvager.reject(&record);
        }
        for step in &mut steps {
            step.on_both_sides.clear();
        }
    }
    let Salvager {
        records, rejected, ..
    } = salvager;
    let mut output = Vec::new();
    for record in &records {
        output.extend_from_slice(record);
        output.push(b'\n');
    }
    Plan {
        output,
        rejected,
        steps,
        typed,
        merged,
        records: records.len(),
        memory: records.iter().filter(|record| is_memory(record)).count(),
    }
}

/// How many entities and relations can be found in these bytes, whatever the
/// shape: as many as a repair would save.
pub fn count_memory(bytes: &[u8]) -> usize {
    let mut good = 0;
    let mut any_other = false;
    walk(bytes, |part, _| match part.found {
        Found::Record(record) if record.content != Content::Other => good += 1,
        Found::Record(_) | Found::Bad(_) => any_other = true,
        Found::Blank => {}
    });
    if any_other {
        plan(bytes, false).memory
    } else {
        good
    }
}

fn is_memory(record: &[u8]) -> bool {
    matches!(
        read_line(record, 0, &mut Vec::new()),
        Ok(Line::Record(record)) if record.content != Content::Other
    )
}

/// What was found so far.
#[derive(Default)]
struct Salvager {
    records: Vec<Vec<u8>>,
    rejected: Vec<u8>,
    /// How much of that is not the LFs between the pieces.
    rejected_bytes: usize,
    /// What had to be mended in the part at hand.
    mends: Mends,
}

impl Salvager {
    fn keep(&mut self, record: &[u8]) {
        self.records.push(record.to_vec());
    }

    fn reject(&mut self, piece: &[u8]) {
        let piece = piece.trim_ascii();
        if !piece.is_empty() && !is_blank(piece) {
            self.rejected.extend_from_slice(piece);
            self.rejected.push(b'\n');
            self.rejected_bytes += piece.len();
        }
    }

    /// Takes a part that is not bad. Whether it was an unknown record that got
    /// its missing type.
    fn good_part(&mut self, bytes: &[u8], part: &Part) -> bool {
        let Found::Record(record) = &part.found else {
            return false;
        };
        let content = record.content;
        let record = &bytes[record.start..record.end];
        let typed = (content == Content::Other)
            .then(|| with_type(record))
            .flatten();
        self.keep(typed.as_deref().unwrap_or(record));
        typed.is_some()
    }

    /// Takes what can be taken from a bad part, and notes how that went.
    fn step(&mut self, bad: BadLine, bytes: &[u8], part: &Part) -> Step {
        let (records, rejected) = (self.records.len(), self.rejected_bytes);
        let behind = self.rejected.len();
        let (mut dropped, mut on_both_sides) = (Vec::new(), Vec::new());
        match conflict(bytes, part) {
            Some(conflict) => {
                on_both_sides = self.conflict(bytes, &conflict);
                dropped = conflict.markers(bytes, part.start);
            }
            None => self.bad_part(bytes, part),
        }
        let excerpt = &self.rejected[behind..];
        Step {
            bad,
            saved: self.records.len() - records,
            rejected: self.rejected_bytes - rejected,
            excerpt: excerpt[..excerpt.len().min(EXCERPT)].to_vec(),
            mends: std::mem::take(&mut self.mends),
            dropped,
            on_both_sides,
        }
    }

    fn bad_part(&mut self, bytes: &[u8], part: &Part) {
        let Found::Bad(fault) = &part.found else {
            return;
        };
        if let Some(conflict) = conflict(bytes, part) {
            self.conflict(bytes, &conflict);
        } else if fault.kind == FaultKind::Utf16
            && let Some(found) = Utf16::find(bytes, part.start, part.end)
        {
            self.part(bytes, part.start, found.start);
            self.text(&found.decode(bytes));
        } else {
            self.part(bytes, part.start, part.end);
        }
    }

    /// Takes what can be taken from a text of its own.
    fn text(&mut self, bytes: &[u8]) {
        walk(bytes, |part, _| match part.found {
            Found::Bad(_) => self.bad_part(bytes, &part),
            _ => {
                self.good_part(bytes, &part);
            }
        });
    }

    /// Takes both sides. What they come from is older than either, so it is
    /// set aside. Gives the names of the entities that both sides have.
    fn conflict(&mut self, bytes: &[u8], conflict: &Conflict) -> Vec<String> {
        let first = self.records.len();
        self.text(&bytes[conflict.ours.clone()]);
        let ours = names(&self.records[first..]);
        if let Some(base) = &conflict.base {
            self.reject(&bytes[base.clone()]);
        }
        let first = self.records.len();
        self.text(&bytes[conflict.theirs.clone()]);
        let mut both = names(&self.records[first..]);
        let ours: HashSet<String> = ours.into_iter().collect();
        let mut seen = HashSet::new();
        both.retain(|name| ours.contains(name) && seen.insert(name.clone()));
        both
    }
}

fn conflict(bytes: &[u8], part: &Part) -> Option<Conflict> {
    match &part.found {
        Found::Bad(fault) if fault.kind == FaultKind::Conflict => {
            Conflict::find(bytes, part.start).ok()
        }
        _ => None,
    }
}

/// The names of the entities among these records.
fn names(records: &[Vec<u8>]) -> Vec<String> {
    let name = |record: &Vec<u8>| match read(record) {
        Ok(Content::Entity { name, .. }) => Some(name.text(record).into_owned()),
        _ => None,
    };
    records.iter().filter_map(name).collect()
}
