//! One line of the memory file: which record it holds, and where its fields
//! stand; or what is wrong with it, and at which byte. The reading rules of
//! docs/behaviour.md, "The memory file". A value that
//! spans several lines is recognised in `parts.rs`.

mod as_written;
mod fault;
mod record;

use crate::json::{JsonError, Kind, RawString, Scanner};
use as_written::read_as_written;
pub use fault::{ARRAY_DOCUMENT, Fault, FaultKind, GRAPH_DOCUMENT};
use fault::{more_behind, no_object, not_json, odd_observations, shape};
pub use record::{Content, Line, Observations, Record};

/// Reads the line that is `bytes[start..]`: without its LF, and without the
/// BOM if it is the file's first. The observations of an entity are appended
/// to `observations`, in order; whatever else is appended means nothing.
pub fn read_line(
    bytes: &[u8],
    start: usize,
    observations: &mut Vec<RawString>,
) -> Result<Line, Fault> {
    // The CR of a CRLF is no part of a string that the line cuts off.
    let bytes = match bytes {
        [line @ .., b'\r'] if line.len() >= start => line,
        _ => bytes,
    };
    let first = observations.len();
    if let Some(record) = read_as_written(bytes, start, observations) {
        return Ok(Line::Record(record));
    }
    observations.truncate(first);
    read_any_line(bytes, start, observations)
}

fn read_any_line(
    bytes: &[u8],
    start: usize,
    observations: &mut Vec<RawString>,
) -> Result<Line, Fault> {
    let mut scanner = Scanner::new(bytes, start);
    scanner.skip_space();
    if scanner.peek() != Some(b'{') {
        if is_blank(&bytes[scanner.at()..]) {
            return Ok(Line::Blank);
        }
        return Err(no_object(bytes, scanner));
    }
    let start = scanner.at();
    let mut fields = Fields::default();
    fields.read(bytes, &mut scanner, observations)?;
    let end = scanner.at();
    scanner.skip_space();
    if scanner.peek().is_some() {
        return Err(more_behind(&scanner));
    }
    Ok(Line::Record(Record {
        content: fields.content(bytes, start)?,
        start,
        end,
    }))
}

/// Reads the object at the scanner and leaves the scanner behind it, whatever
/// follows. For text in which lines cannot be relied on.
pub fn read_record(
    bytes: &[u8],
    scanner: &mut Scanner,
    observations: &mut Vec<RawString>,
) -> Result<Record, Fault> {
    let start = scanner.at();
    let mut fields = Fields::default();
    fields.read(bytes, scanner, observations)?;
    Ok(Record {
        content: fields.content(bytes, start)?,
        start,
        end: scanner.at(),
    })
}

/// Whether JavaScript's `trim` leaves nothing of it: its blanks and line ends,
/// U+FEFF among them, U+0085 not.
pub fn is_blank(bytes: &[u8]) -> bool {
    let blank = |c: char| match c {
        '\u{FEFF}' => true,
        '\u{85}' => false,
        other => other.is_whitespace(),
    };
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(blank))
}

/// The fields of a record that mean something. Of a repeated key the last
/// counts, so nothing is judged before the object's end.
#[derive(Default)]
struct Fields {
    record_type: Value,
    name: Value,
    entity_type: Value,
    observations: Value,
    from: Value,
    to: Value,
    relation_type: Value,
    /// The first item of the observations that is no string.
    odd_observation: Option<(usize, Kind)>,
    /// Arrays under the keys of a whole graph.
    entities: bool,
    relations: bool,
}

#[derive(Default, Clone, Copy)]
enum Value {
    #[default]
    Absent,
    Text(RawString),
    /// Something else, with its first byte and the one behind it.
    Other(Kind, usize, usize),
}

impl Fields {
    /// Reads the object at the scanner.
    #[inline]
    fn read(
        &mut self,
        bytes: &[u8],
        scanner: &mut Scanner,
        observations: &mut Vec<RawString>,
    ) -> Result<(), Fault> {
        self.read_fields(bytes, scanner, observations)
            .map_err(|error| not_json(bytes, *error))
    }

    fn read_fields(
        &mut self,
        bytes: &[u8],
        scanner: &mut Scanner,
        observations: &mut Vec<RawString>,
    ) -> Result<(), Box<JsonError>> {
        let first = observations.len();
        scanner.expect(b'{', "`{`")?;
        scanner.skip_space();
        if scanner.eat(b'}') {
            return Ok(());
        }
        loop {
            let key = scanner.key()?;
            let decoded;
            let mut name = key.bytes(bytes);
            if key.escaped {
                decoded = key.text(bytes);
                name = decoded.as_bytes();
            }
            match name {
                b"type" => self.record_type = value(scanner)?,
                b"name" => self.name = value(scanner)?,
                b"entityType" => self.entity_type = value(scanner)?,
                b"from" => self.from = value(scanner)?,
                b"to" => self.to = value(scanner)?,
                b"relationType" => self.relation_type = value(scanner)?,
                b"observations" => {
                    observations.truncate(first);
                    self.odd_observation = None;
                    self.observations = if scanner.peek() == Some(b'[') {
                        self.list(scanner, observations)?
                    } else {
                        value(scanner)?
                    };
                }
                b"entities" => self.entities = scanner.value()? == Kind::Array,
                b"relations" => self.relations = scanner.value()? == Kind::Array,
                _ => {
                    scanner.value()?;
                }
            }
            scanner.skip_space();
            if scanner.eat(b'}') {
                return Ok(());
            }
            scanner.expect(b',', "`,` or `}`")?;
            scanner.skip_space();
        }
    }

    fn list(
        &mut self,
        scanner: &mut Scanner,
        observations: &mut Vec<RawString>,
    ) -> Result<Value, Box<JsonError>> {
        let start = scanner.at();
        scanner.expect(b'[', "`[`")?;
        scanner.skip_space();
        if !scanner.eat(b']') {
            loop {
                match value(scanner)? {
                    Value::Text(text) => observations.push(text),
                    Value::Other(kind, at, _) if self.odd_observation.is_none() => {
                        self.odd_observation = Some((at, kind));
                    }
                    _ => {}
                }
                scanner.skip_space();
                if scanner.eat(b']') {
                    break;
                }
                scanner.expect(b',', "`,` or `]`")?;
                scanner.skip_space();
            }
        }
        Ok(Value::Other(Kind::Array, start, scanner.at()))
    }

    /// Judges the complete object, which begins at `start`.
    fn content(&self, bytes: &[u8], start: usize) -> Result<Content, Fault> {
        let record_type = match self.record_type {
            Value::Text(text) => text,
            Value::Absent if self.entities || self.relations => {
                return Err(Fault {
                    at: start,
                    kind: FaultKind::GraphObject,
                    reason: GRAPH_DOCUMENT.to_owned(),
                });
            }
            _ => return Ok(Content::Other),
        };
        match &*record_type.text(bytes) {
            "entity" => Ok(Content::Entity {
                name: required(self.name, "an entity", "name", start)?,
                entity_type: match self.entity_type {
                    Value::Absent | Value::Other(Kind::Null, ..) => None,
                    other => Some(required(other, "an entity", "entityType", start)?),
                },
                observations: self.observations()?,
            }),
            "relation" => Ok(Content::Relation {
                from: required(self.from, "a relation", "from", start)?,
                to: required(self.to, "a relation", "to", start)?,
                relation_type: required(self.relation_type, "a relation", "relationType", start)?,
            }),
            _ => Ok(Content::Other),
        }
    }

    fn observations(&self) -> Result<Observations, Fault> {
        if let Some((at, kind)) = self.odd_observation {
            let found = kind.words();
            return Err(shape(
                at,
                format!("expected a string in \"observations\", found {found}"),
            ));
        }
        match self.observations {
            Value::Absent => Ok(Observations::Absent),
            Value::Other(Kind::Null, at, _) => Ok(Observations::Null(at)),
            Value::Other(Kind::Array, start, end) => Ok(Observations::List { start, end }),
            Value::Other(kind, at, _) => Err(odd_observations(at, kind)),
            // The token begins at its quote, one byte before its text.
            Value::Text(text) => Err(odd_observations(text.start - 1, Kind::String)),
        }
    }
}

/// Reads any value; strings with their place.
#[inline]
fn value(scanner: &mut Scanner) -> Result<Value, Box<JsonError>> {
    if scanner.peek() == Some(b'"') {
        return scanner.string().map(Value::Text);
    }
    let start = scanner.at();
    let kind = scanner.value()?;
    Ok(Value::Other(kind, start, scanner.at()))
}

fn required(value: Value, record: &str, field: &str, start: usize) -> Result<RawString, Fault> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Absent => Err(shape(
            start,
            format!("{record} needs \"{field}\", which is missing"),
        )),
        Value::Other(kind, at, _) => {
            let found = kind.words();
            Err(shape(
                at,
                format!("expected a string for \"{field}\", found {found}"),
            ))
        }
    }
}

#[cfg(test)]
mod tests;
