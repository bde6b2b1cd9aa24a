//! One line of the memory file: which record it holds, and where its fields
//! stand; or what is wrong with it, and at which byte. The reading rules of
//! docs/behaviour.md, "The memory file". What spans several lines is
//! `document.rs`'s business.

use super::json::{JsonError, Kind, RawString, Scanner};

/// What a line holds. All offsets are those of the bytes that were passed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Nothing that JavaScript's `trim` would leave.
    Blank,
    /// A JSON object.
    Record(Record),
}

/// A JSON object on a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Offset of the opening brace.
    pub start: usize,
    /// Offset behind the closing brace.
    pub end: usize,
    /// What it says.
    pub content: Content,
}

/// What a record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// `"type": "entity"`
    Entity {
        /// Its name.
        name: RawString,
        /// Its type; none (absent or null) means the empty string.
        entity_type: Option<RawString>,
        /// Where its observations stand; the items are in the caller's list.
        observations: Observations,
    },
    /// `"type": "relation"`
    Relation {
        /// The entity it starts from.
        from: RawString,
        /// The entity it leads to.
        to: RawString,
        /// What it says.
        relation_type: RawString,
    },
    /// An object of another type, or of none.
    Other,
}

/// Where the observations of an entity stand in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observations {
    /// There is no such key.
    Absent,
    /// `null`, at this offset.
    Null(usize),
    /// An array of strings, from the opening bracket to behind the closing one.
    List {
        /// Offset of the opening bracket.
        start: usize,
        /// Offset behind the closing bracket.
        end: usize,
    },
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The byte at which it goes wrong.
    pub at: usize,
    /// The sort of trouble.
    pub kind: FaultKind,
    /// What is wrong, lower case, no full stop.
    pub reason: String,
}

/// Sorts of trouble that are mended in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The line ends too early; what follows may be on the next lines.
    CutOff,
    /// A good object, and behind it something else on the same line.
    MoreBehind,
    /// A whole graph in another shape: an array.
    Array,
    /// A whole graph in another shape: `{"entities": […], "relations": […]}`.
    GraphObject,
    /// One object over several lines.
    Spread,
    /// The whole file is in another encoding.
    Utf16,
    /// JSON, but not what a record looks like.
    Shape,
    /// Not JSON.
    NotJson,
}

/// What to say of an array where a record should be.
pub const ARRAY_DOCUMENT: &str =
    "a JSON array, not one record a line; `mcp-memory repair` turns it into lines";
/// What to say of an object that holds a whole graph.
pub const GRAPH_DOCUMENT: &str = "a whole graph in one object (\"entities\", \"relations\"), \
     not one record a line; `mcp-memory repair` turns it into lines";

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

/// Reads a line that is exactly as this program and the reference server write
/// it, which nearly all are: no key has to be looked for then, which halves the
/// time to load a file. None for any other line, good or bad.
fn read_as_written(
    bytes: &[u8],
    start: usize,
    observations: &mut Vec<RawString>,
) -> Option<Record> {
    let mut scanner = Scanner::new(bytes, start);
    let content = if scanner.eat_all(b"{\"type\":\"entity\",\"name\":\"") {
        let name = scanner.rest_of_string()?;
        let entity_type = scanner
            .eat_all(b",\"entityType\":\"")
            .then(|| scanner.rest_of_string())??;
        scanner.eat_all(b",\"observations\":[").then_some(())?;
        let start = scanner.at() - 1;
        if !scanner.eat(b']') {
            loop {
                let text = scanner.eat(b'"').then(|| scanner.rest_of_string())??;
                observations.push(text);
                if scanner.eat(b']') {
                    break;
                }
                scanner.eat(b',').then_some(())?;
            }
        }
        let end = scanner.at();
        Content::Entity {
            name,
            entity_type: Some(entity_type),
            observations: Observations::List { start, end },
        }
    } else if scanner.eat_all(b"{\"type\":\"relation\",\"from\":\"") {
        Content::Relation {
            from: scanner.rest_of_string()?,
            to: scanner
                .eat_all(b",\"to\":\"")
                .then(|| scanner.rest_of_string())??,
            relation_type: scanner
                .eat_all(b",\"relationType\":\"")
                .then(|| scanner.rest_of_string())??,
        }
    } else {
        return None;
    };
    let end = scanner.eat(b'}').then(|| scanner.at())?;
    (end == bytes.len()).then_some(Record {
        start,
        end,
        content,
    })
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

fn shape(at: usize, reason: String) -> Fault {
    Fault {
        at,
        kind: FaultKind::Shape,
        reason,
    }
}

#[cold]
fn odd_observations(at: usize, kind: Kind) -> Fault {
    let found = kind.words();
    shape(
        at,
        format!("expected an array of strings for \"observations\", found {found}"),
    )
}

#[cold]
#[expect(
    clippy::boxed_local,
    reason = "the scanner hands its error out in a box, so that a good result stays small"
)]
fn not_json(bytes: &[u8], error: JsonError) -> Fault {
    let JsonError { at, reason } = error;
    if at < bytes.len() {
        return Fault {
            at,
            kind: FaultKind::NotJson,
            reason: format!("not JSON: {reason}"),
        };
    }
    Fault {
        at,
        kind: FaultKind::CutOff,
        reason: format!(
            "cut off: {}",
            reason.replace("the text ends", "the line ends")
        ),
    }
}

/// Something that starts with neither a brace nor nothing at all.
#[cold]
fn no_object(bytes: &[u8], mut scanner: Scanner) -> Fault {
    let at = scanner.at();
    let kind = match scanner.value() {
        Ok(kind) => kind,
        Err(error) => return not_json(bytes, *error),
    };
    scanner.skip_space();
    if kind == Kind::Array {
        if scanner.peek().is_some() {
            return more_behind(&scanner);
        }
        return Fault {
            at,
            kind: FaultKind::Array,
            reason: ARRAY_DOCUMENT.to_owned(),
        };
    }
    if scanner.peek().is_some() {
        return not_json(bytes, *scanner.unexpected("the end of the line"));
    }
    shape(
        at,
        format!("expected a record (a JSON object), found {}", kind.words()),
    )
}

#[cold]
fn more_behind(scanner: &Scanner) -> Fault {
    let reason = if scanner.peek() == Some(b'{') {
        "two records on one line: the second one starts here".to_owned()
    } else {
        let error = scanner.unexpected("the end of the line");
        format!("something follows the record: {}", error.reason)
    };
    Fault {
        at: scanner.at(),
        kind: FaultKind::MoreBehind,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows a line as `entity NAME/TYPE [OBSERVATIONS]`, `relation A-T-B`,
    /// `other` or `blank`.
    fn show(line: &[u8]) -> String {
        let mut list = Vec::new();
        let text = |raw: RawString| raw.text(line).into_owned();
        match read_line(line, 0, &mut list) {
            Ok(Line::Blank) => "blank".to_owned(),
            Ok(Line::Record(record)) => match record.content {
                Content::Entity {
                    name, entity_type, ..
                } => format!(
                    "entity {}/{} {:?}",
                    text(name),
                    entity_type.map(text).unwrap_or_default(),
                    list.iter().map(|raw| text(*raw)).collect::<Vec<_>>()
                ),
                Content::Relation {
                    from,
                    to,
                    relation_type,
                } => format!(
                    "relation {}-{}-{}",
                    text(from),
                    text(relation_type),
                    text(to)
                ),
                Content::Other => "other".to_owned(),
            },
            Err(fault) => format!("{:?} {}: {}", fault.kind, fault.at, fault.reason),
        }
    }

    #[track_caller]
    fn check(line: impl AsRef<[u8]>, expected: &str) {
        assert_eq!(show(line.as_ref()), expected);
    }

    #[test]
    fn records_are_read_in_any_key_order_and_spacing() {
        check(
            r#"{"type":"entity","name":"A","entityType":"t","observations":["x","y"]}"#,
            r#"entity A/t ["x", "y"]"#,
        );
        check(
            " \t{ \"observations\" : [ \"x\" ,\"y\"] , \"entityType\":\"t\",\"name\":\"A\",\"type\":\"entity\" } \t\r",
            r#"entity A/t ["x", "y"]"#,
        );
        check(
            r#"{"to":"B","relationType":"knows","from":"A","type":"relation"}"#,
            "relation A-knows-B",
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

        /// A line as it is written, with a few bytes exchanged or cut off.
        #[test]
        fn lines_as_written_are_read_as_any_line_is(
            relation: bool,
            at: proptest::sample::Index,
            cut in 0..3usize,
            insert in proptest::sample::select(vec![
                "", " ", "\"", "\\", "\\u0041", "]", "}", ",", "\"\"", ",\"x\"", "\u{1}",
            ]),
        ) {
            let mut line = if relation {
                r#"{"type":"relation","from":"A","to":"B","relationType":"r"}"#.to_owned()
            } else {
                r#"{"type":"entity","name":"A","entityType":"t","observations":["x","y"]}"#.to_owned()
            };
            let at = at.index(line.len() + 1);
            line.replace_range(at..line.len().min(at + cut), insert);
            let (mut quick, mut thorough) = (Vec::new(), Vec::new());
            proptest::prop_assert_eq!(
                read_line(line.as_bytes(), 0, &mut quick),
                read_any_line(line.as_bytes(), 0, &mut thorough)
            );
            proptest::prop_assert_eq!(quick, thorough);
        }
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        check(
            r#"{"type":"x","name":1,"name":"A","observations":["a",1],"observations":["b"],"type":"entity"}"#,
            r#"entity A/ ["b"]"#,
        );
        check(r#"{"type":"entity","type":"note"}"#, "other");
        check(
            r#"{"type":"entity","name":"A","observations":["b"],"observations":null}"#,
            "entity A/ []",
        );
    }

    #[test]
    fn keys_and_types_may_be_written_with_escapes() {
        check(
            r#"{"typ\u0065":"\u0065ntity","na\u006de":"\u0041","entityType":"t"}"#,
            "entity A/t []",
        );
    }

    #[test]
    fn observations_and_entity_type_may_be_absent_or_null() {
        check(r#"{"type":"entity","name":""}"#, "entity / []");
        check(
            r#"{"type":"entity","name":"A","entityType":null,"observations":null}"#,
            "entity A/ []",
        );
    }

    #[test]
    fn extra_fields_of_any_kind_are_passed_over() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        check(
            format!(
                r#"{{"x":{deep},"n":1e400,"\ud800":{{"a":[true,null]}},"type":"entity","name":"A","entities":[]}}"#
            ),
            "entity A/ []",
        );
    }

    #[test]
    fn lone_surrogates_and_bad_utf8_are_shown_as_replacement_characters() {
        check(
            b"{\"type\":\"entity\",\"name\":\"\xFF\",\"entityType\":\"\\ud83d\"}",
            "entity \u{FFFD}/\u{FFFD} []",
        );
    }

    #[test]
    fn objects_of_another_type_or_none_are_unknown_records() {
        check("{}", "other");
        check(r#"{"name":"A"}"#, "other");
        check(r#"{"type":"note","name":1}"#, "other");
        check(r#"{"type":1}"#, "other");
        check(r#"{"type":null,"entities":[]}"#, "other");
        check(r#"{"entities":{},"relations":null}"#, "other");
    }

    #[test]
    fn blank_is_what_javascript_trims() {
        check("", "blank");
        check(" \t\u{b}\u{c}\r", "blank");
        for c in [
            0xA0, 0x1680, 0x2000, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
        ] {
            check(char::from_u32(c).unwrap().to_string(), "blank");
        }
        check(
            "\u{85}",
            "NotJson 0: not JSON: expected a value, found U+0085",
        );
        check(
            "\u{180E}",
            "NotJson 0: not JSON: expected a value, found `\u{180E}`",
        );
        check(
            "\u{200B}",
            "NotJson 0: not JSON: expected a value, found `\u{200B}`",
        );
    }

    #[test]
    fn only_spaces_and_tabs_may_stand_around_a_record() {
        check(
            "{}\u{A0}",
            "MoreBehind 2: something follows the record: expected the end of the line, found U+00A0",
        );
        check(
            "\u{FEFF}{}",
            "NotJson 0: not JSON: expected a value, found U+FEFF",
        );
        check(
            "{},",
            "MoreBehind 2: something follows the record: expected the end of the line, found `,`",
        );
    }

    #[test]
    fn what_is_no_json_is_bad() {
        check(
            "undefined",
            "NotJson 0: not JSON: expected a value, found `u`",
        );
        check(
            "{'type':'entity'}",
            "NotJson 1: not JSON: expected a key in double quotes, found `'`",
        );
        check(
            r#"{"type":"ent"#,
            "CutOff 12: cut off: the line ends inside a string",
        );
        check(
            r#"{"type":"entity","name":"B","#,
            "CutOff 28: cut off: the line ends where a key in double quotes was expected",
        );
        check(
            "{\"a\":tru",
            "CutOff 8: cut off: the line ends inside `true`",
        );
        check(
            "{\"a\":\"\t\"}",
            "NotJson 6: not JSON: control character U+0009 in a string, not escaped",
        );
    }

    #[test]
    fn two_records_on_one_line_are_named_as_such() {
        check(
            r#"{"type":"entity","name":"B"} {"type":"entity","name":"C"}"#,
            "MoreBehind 29: two records on one line: the second one starts here",
        );
        check(
            "{}{",
            "MoreBehind 2: two records on one line: the second one starts here",
        );
    }

    #[test]
    fn a_value_that_is_no_object_is_bad() {
        check(
            "5",
            "Shape 0: expected a record (a JSON object), found a number",
        );
        check(
            " null",
            "Shape 1: expected a record (a JSON object), found null",
        );
        check(
            "\"a\"",
            "Shape 0: expected a record (a JSON object), found a string",
        );
    }

    #[test]
    fn a_whole_document_is_named_as_such() {
        let array = format!("Array 0: {ARRAY_DOCUMENT}");
        check("[]", &array);
        check(r#"[{"type":"entity","name":"A"}]"#, &array);
        let graph = format!("GraphObject 0: {GRAPH_DOCUMENT}");
        check(r#"{"entities":[]}"#, &graph);
        check(r#"{"version":2,"relations":[1]}"#, &graph);
        check(r#"{"relations":[],"entities":1}"#, &graph);
    }

    #[test]
    fn known_fields_of_the_wrong_type_are_bad() {
        check(
            r#"{"type":"entity","name":5}"#,
            "Shape 24: expected a string for \"name\", found a number",
        );
        check(
            r#"{"type":"entity","name":null}"#,
            "Shape 24: expected a string for \"name\", found null",
        );
        check(
            r#"{"type":"entity","name":"A","entityType":["t"]}"#,
            "Shape 41: expected a string for \"entityType\", found an array",
        );
        check(
            r#"{"type":"entity","name":"A","observations":"x"}"#,
            "Shape 43: expected an array of strings for \"observations\", found a string",
        );
        check(
            r#"{"type":"entity","name":"A","observations":["x",{},1]}"#,
            "Shape 48: expected a string in \"observations\", found an object",
        );
        check(
            r#"{"type":"relation","from":"A","to":true,"relationType":"t"}"#,
            "Shape 35: expected a string for \"to\", found a boolean",
        );
    }

    #[test]
    fn required_fields_that_are_missing_are_bad() {
        check(
            r#" {"type":"entity","entityType":"t"}"#,
            "Shape 1: an entity needs \"name\", which is missing",
        );
        for (field, rest) in [
            ("from", r#""to":"B","relationType":"t""#),
            ("to", r#""from":"A","relationType":"t""#),
            ("relationType", r#""from":"A","to":"B""#),
        ] {
            check(
                format!(r#"{{"type":"relation",{rest}}}"#),
                &format!("Shape 0: a relation needs \"{field}\", which is missing"),
            );
        }
    }
}
