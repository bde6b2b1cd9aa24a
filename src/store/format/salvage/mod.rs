//! What `mcp-memory repair` makes of a memory file: the bytes of a file in
//! which every line is good, and what could not be brought into it. Pure; the
//! files are `store/doctor`'s business.

use std::collections::HashSet;

mod merge;
mod pieces;

use super::line::{Content, FaultKind, Line, is_blank, read_line, read_record};
use super::parts::{BadLine, Found, Part, walk};
use crate::json::{Kind, Scanner};
pub use merge::Merged;
use merge::merge;
use pieces::{elements, members, on_one_line, read, skip_separators};

/// What to do to a file.
#[derive(Debug, Default)]
pub struct Plan {
    /// The new file.
    pub output: Vec<u8>,
    /// What cannot be saved, each piece followed by LF.
    pub rejected: Vec<u8>,
    /// What is done about each bad line, in file order.
    pub steps: Vec<Step>,
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
}

impl Plan {
    /// Whether the file can stay as it is.
    pub fn is_nothing(&self) -> bool {
        self.steps.is_empty() && self.merged.is_empty()
    }
}

/// Plans the repair of a file. Good records keep their bytes and their order;
/// bad lines give the records that can be found in them, in their place.
pub fn plan(bytes: &[u8], merge_duplicates: bool) -> Plan {
    let decoded;
    let mut salvager = Salvager::default();
    let mut text = bytes;
    if let Some(utf8) = decode_utf16(bytes) {
        decoded = utf8;
        text = decoded.as_bytes();
    }
    walk(bytes, |part, _| match &part.found {
        Found::Blank => {}
        Found::Record(record) => salvager.keep(&bytes[record.start..record.end]),
        Found::Bad(fault) if fault.kind == FaultKind::Utf16 => {
            salvager.bad_part(bytes, &part, |salvager| {
                walk(text, |part, _| match part.found {
                    Found::Blank => {}
                    Found::Record(record) => salvager.keep(&text[record.start..record.end]),
                    Found::Bad(_) => salvager.part(text, part.start, part.end),
                });
            });
        }
        Found::Bad(_) => salvager.bad_part(bytes, &part, |salvager| {
            salvager.part(bytes, part.start, part.end);
        }),
    });
    let mut merged = Vec::new();
    if merge_duplicates {
        let aside;
        (merged, aside) = merge(&mut salvager.records);
        for record in aside {
            salvager.reject(&record);
        }
    }
    let Salvager {
        records,
        rejected,
        steps,
        ..
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
        merged,
        records: records.len(),
        memory: records.iter().filter(|record| is_memory(record)).count(),
    }
}

/// How many entities and relations can be found in these bytes, whatever the
/// shape: as many as a repair would save.
pub fn count_memory(bytes: &[u8]) -> usize {
    let mut good = 0;
    let mut any_bad = false;
    walk(bytes, |part, _| match part.found {
        Found::Record(record) => good += usize::from(record.content != Content::Other),
        Found::Bad(_) => any_bad = true,
        Found::Blank => {}
    });
    if any_bad {
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

fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    Some(
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    )
}

/// What an object without a `type` is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// On a line: for an unknown record, as the reader does.
    Line,
    /// In an array: for what its keys tell.
    Array,
    /// Under "entities" of a whole graph.
    Entities,
    /// Under "relations" of a whole graph.
    Relations,
}

#[derive(Default)]
struct Salvager {
    records: Vec<Vec<u8>>,
    rejected: Vec<u8>,
    /// How much of that is not the LFs between the pieces.
    rejected_bytes: usize,
    steps: Vec<Step>,
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

    /// Takes what can be taken from a bad part, and notes how that went.
    fn bad_part(&mut self, bytes: &[u8], part: &Part, take: impl FnOnce(&mut Self)) {
        let (records, rejected) = (self.records.len(), self.rejected_bytes);
        take(self);
        self.steps.extend(part.bad_line(bytes).map(|bad| Step {
            bad,
            saved: self.records.len() - records,
            rejected: self.rejected_bytes - rejected,
        }));
    }

    /// Takes apart the bad lines `bytes[start..end]`: JSON values one after the
    /// other, commas or blanks between them, and garbage.
    fn part(&mut self, bytes: &[u8], start: usize, end: usize) {
        let bytes = &bytes[..end];
        let mut at = start;
        // A line of nothing but beginnings must not take for ever.
        let mut budget = 16 * (end - start) + 4096;
        loop {
            at = skip_separators(bytes, at);
            if at == end {
                return;
            }
            let mut scanner = Scanner::new(bytes, at);
            let value = match bytes[at] {
                b'{' | b'[' if budget > 0 => scanner.value().ok(),
                _ => None,
            };
            budget = budget.saturating_sub(scanner.at() - at + 1);
            if let Some(kind) = value {
                self.value(&bytes[at..scanner.at()], kind);
                at = scanner.at();
            } else if budget > 0
                && let Some(inside) = self.unfinished_array(bytes, at)
            {
                at = inside;
            } else {
                let good = good_tail(bytes, at + 1).unwrap_or(end);
                self.reject(&bytes[at..good]);
                at = good;
            }
        }
    }

    /// The complete records at the start of an array that is not complete.
    /// Gives the place behind them, if there were any.
    fn unfinished_array(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut scanner = Scanner::new(bytes, start);
        if !scanner.eat(b'[') {
            return None;
        }
        let mut behind = None;
        loop {
            scanner.skip_space();
            let at = scanner.at();
            if scanner.peek() != Some(b'{') || scanner.value().is_err() {
                return behind;
            }
            self.element(&bytes[at..scanner.at()], Context::Array);
            behind = Some(scanner.at());
            scanner.skip_space();
            if !scanner.eat(b',') {
                return behind;
            }
        }
    }

    /// A complete array or object.
    fn value(&mut self, value: &[u8], kind: Kind) {
        if kind == Kind::Object {
            return self.element(value, Context::Line);
        }
        for (start, end) in elements(value) {
            self.element(&value[start..end], Context::Array);
        }
    }

    /// A complete value that should be a record, or a whole graph.
    fn element(&mut self, value: &[u8], context: Context) {
        match read(value) {
            Ok(Content::Other) => match add_type(value, context) {
                Some(record) => self.keep(&on_one_line(&record)),
                None => self.reject(value),
            },
            Ok(_) => self.keep(&on_one_line(value)),
            Err(fault) if fault.kind == FaultKind::GraphObject && in_graph(context) => {
                self.reject(value);
            }
            Err(fault) if fault.kind == FaultKind::GraphObject => self.graph(value),
            Err(_) => self.reject(value),
        }
    }

    /// `{"entities": […], "relations": […]}`, and whatever else it holds.
    fn graph(&mut self, value: &[u8]) {
        for (key, start, end) in members(value) {
            let member = &value[start..end];
            let context = match &*key.text(value) {
                "entities" => Context::Entities,
                "relations" => Context::Relations,
                _ => {
                    self.reject(&[b"{", &value[key.start - 1..end], b"}"].concat());
                    continue;
                }
            };
            if member.first() != Some(&b'[') {
                self.reject(&[b"{", &value[key.start - 1..end], b"}"].concat());
                continue;
            }
            for (start, end) in elements(member) {
                self.element(&member[start..end], context);
            }
        }
    }
}

fn in_graph(context: Context) -> bool {
    matches!(context, Context::Entities | Context::Relations)
}

/// An unknown record as it is to be kept: with the type that its place or its
/// keys tell, if it has none. None when it is no record there.
fn add_type(value: &[u8], context: Context) -> Option<Vec<u8>> {
    let keys: HashSet<String> = members(value)
        .into_iter()
        .map(|(key, ..)| key.text(value).into_owned())
        .collect();
    let has = |key: &str| keys.contains(key);
    let record_type: &[u8] = match context {
        Context::Line => return Some(value.to_vec()),
        // A type that is not ours: in a list of anything an unknown record,
        // where entities or relations are listed something unclear.
        _ if has("type") => return (context == Context::Array).then(|| value.to_vec()),
        Context::Entities => b"entity",
        Context::Relations => b"relation",
        Context::Array if has("from") && has("to") && has("relationType") => b"relation",
        Context::Array if has("name") && (has("entityType") || has("observations")) => b"entity",
        Context::Array => return Some(value.to_vec()),
    };
    let rest = value[1..].trim_ascii_start();
    let record = [b"{\"type\":\"", record_type, b"\",", rest].concat();
    matches!(
        read(&record),
        Ok(Content::Entity { .. } | Content::Relation { .. })
    )
    .then_some(record)
}

/// The place, from `from` on, from which there is nothing but whole entities
/// and relations up to the end: what another process appended to a line that
/// was cut off.
fn good_tail(bytes: &[u8], from: usize) -> Option<usize> {
    // See above.
    let mut budget = 16 * (bytes.len() - from) + 4096;
    for brace in memchr::memchr_iter(b'{', &bytes[from..]) {
        let start = from + brace;
        let mut at = start;
        loop {
            at = skip_separators(bytes, at);
            if at == bytes.len() {
                return Some(start);
            }
            let mut scanner = Scanner::new(bytes, at);
            let record = read_record(bytes, &mut scanner, &mut Vec::new());
            budget = budget.saturating_sub(scanner.at() - at + 1);
            match record {
                Ok(record) if record.content != Content::Other => at = record.end,
                _ => break,
            }
        }
        if budget == 0 {
            return None;
        }
    }
    None
}
