//! Random memory files and random changes, against a naive model of the file:
//! a list of lines (docs/behaviour.md, "The memory file").

use mcp_memory::graph::Graph;
use mcp_memory::store::Document;
use mcp_memory::store::format::line::{Line, read_line};
use mcp_memory::store::format::parts::bad_lines;
use proptest::prelude::*;

/// A line of the file, as the naive model sees it.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    /// The bytes, as long as they must stay.
    raw: Option<Vec<u8>>,
    what: What,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Entity(String, String, Vec<String>),
    Relation(String, String, String),
    Other,
}

impl Row {
    fn read(line: &[u8]) -> Option<Row> {
        let value: serde_json::Value =
            serde_json::from_str(&String::from_utf8_lossy(line).replace("\\ud800", "\u{FFFD}"))
                .ok()?;
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let what = match value["type"].as_str() {
            Some("entity") => What::Entity(
                text("name"),
                text("entityType"),
                value["observations"]
                    .as_array()
                    .map(|list| {
                        list.iter()
                            .map(|item| item.as_str().unwrap().to_owned())
                            .collect()
                    })
                    .unwrap_or_default(),
            ),
            Some("relation") => What::Relation(text("from"), text("to"), text("relationType")),
            _ => What::Other,
        };
        Some(Row {
            raw: Some(line.trim_ascii().to_vec()),
            what,
        })
    }

    fn new(what: What) -> Row {
        Row { raw: None, what }
    }

    fn is_entity(&self, wanted: &str) -> bool {
        matches!(&self.what, What::Entity(name, ..) if name == wanted)
    }
}

#[derive(Debug, Clone)]
enum Operation {
    CreateEntity(String, Vec<String>),
    CreateRelation(String, String),
    Add(String, Vec<String>),
    DeleteEntity(String),
    Remove(String, Vec<String>),
    DeleteRelation(String, String),
    Save,
    Renew,
}

/// The rules of docs/behaviour.md on a list of lines, without any index.
fn apply_naively(rows: &mut Vec<Row>, operation: &Operation) {
    match operation.clone() {
        Operation::CreateEntity(name, observations) => {
            if rows.iter().any(|row| row.is_entity(&name)) {
                return;
            }
            let is_entity = |row: &Row| matches!(row.what, What::Entity(..));
            let is_relation = |row: &Row| matches!(row.what, What::Relation(..));
            let place = match rows.iter().rposition(is_entity) {
                Some(last) => last + 1,
                None => rows.iter().position(is_relation).unwrap_or(rows.len()),
            };
            rows.insert(
                place,
                Row::new(What::Entity(name, "t".into(), observations)),
            );
        }
        Operation::CreateRelation(from, to) => {
            let what = What::Relation(from, to, "r".into());
            if !rows.iter().any(|row| row.what == what) {
                rows.push(Row::new(what));
            }
        }
        Operation::Add(name, contents) => {
            let Some(row) = rows.iter_mut().find(|row| row.is_entity(&name)) else {
                return;
            };
            let What::Entity(_, _, list) = &mut row.what else {
                unreachable!()
            };
            let before = list.clone();
            list.extend(contents.into_iter().filter(|text| !before.contains(text)));
            if *list != before {
                row.raw = None;
            }
        }
        Operation::Remove(name, contents) => {
            let Some(row) = rows.iter_mut().find(|row| row.is_entity(&name)) else {
                return;
            };
            let What::Entity(_, _, list) = &mut row.what else {
                unreachable!()
            };
            let before = list.len();
            list.retain(|text| !contents.contains(text));
            if list.len() != before {
                row.raw = None;
            }
        }
        Operation::DeleteEntity(wanted) => rows.retain(|row| match &row.what {
            What::Entity(name, ..) => *name != wanted,
            What::Relation(from, to, _) => *from != wanted && *to != wanted,
            What::Other => true,
        }),
        Operation::DeleteRelation(from, to) => {
            let what = What::Relation(from, to, "r".into());
            rows.retain(|row| row.what != what);
        }
        Operation::Save | Operation::Renew => {}
    }
}

fn apply(document: &mut Document, operation: &Operation) {
    let graph = document.graph_mut();
    match operation {
        Operation::CreateEntity(name, observations) => {
            graph.create_entity(name, "t", observations);
        }
        Operation::CreateRelation(from, to) => {
            graph.create_relation(from, to, "r");
        }
        Operation::Add(name, contents) => {
            if let Some(id) = graph.find(name) {
                graph.add_observations(&[(id, contents)]);
            }
        }
        Operation::Remove(name, contents) => {
            if let Some(id) = graph.find(name) {
                graph.delete_observations(id, contents);
            }
        }
        Operation::DeleteEntity(name) => {
            graph.delete_entity(name);
        }
        Operation::DeleteRelation(from, to) => {
            graph.delete_relation(from, to, "r");
        }
        Operation::Save => {
            document.apply_changes();
            document.saved();
        }
        Operation::Renew => {
            document.apply_changes();
            *document = document.renewed();
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("A".to_owned()),
        Just("B".to_owned()),
        Just("\u{FFFD}".to_owned()),
        Just("é\"\n".to_owned()),
        Just(String::new()),
    ]
}

fn names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(name(), 0..4)
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        (name(), names()).prop_map(|(name, list)| Operation::CreateEntity(name, list)),
        (name(), name()).prop_map(|(from, to)| Operation::CreateRelation(from, to)),
        (name(), names()).prop_map(|(name, list)| Operation::Add(name, list)),
        name().prop_map(Operation::DeleteEntity),
        (name(), names()).prop_map(|(name, list)| Operation::Remove(name, list)),
        (name(), name()).prop_map(|(from, to)| Operation::DeleteRelation(from, to)),
        Just(Operation::Save),
        Just(Operation::Renew),
    ]
}

/// A string token as a file may hold it.
fn token() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(b"\"A\"".to_vec()),
        Just(b"\"\\u0041\"".to_vec()),
        Just(b"\"B\"".to_vec()),
        Just(b"\"\xFF\"".to_vec()),
        Just(b"\"\\ud800\"".to_vec()),
        Just("\"é\\\"\\n\"".as_bytes().to_vec()),
        Just(b"\"\"".to_vec()),
    ]
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let list = proptest::collection::vec(token(), 0..4).prop_map(|items| items.join(&b" , "[..]));
    let entity = (token(), list, 0..6usize).prop_map(|(name, list, shape)| {
        let (before, observations, after): (&[u8], Vec<u8>, &[u8]) = match shape {
            0 => (b"", [b",\"observations\":[", &list[..], b"]"].concat(), b""),
            1 => (
                b" ",
                [b", \"observations\" : [ ", &list[..], b"\t]"].concat(),
                b"\r",
            ),
            2 => (b"\t", b",\"observations\":null".to_vec(), b" "),
            3 => (b"", Vec::new(), b""),
            4 => (
                b"",
                [
                    b",\"observations\":[\"no\"],\"observations\":[",
                    &list[..],
                    b"]",
                ]
                .concat(),
                b"",
            ),
            _ => (
                b"",
                [b",\"\\u006fbservations\":[", &list[..], b"],\"x\":[{}]"].concat(),
                b"",
            ),
        };
        [
            before,
            b"{\"type\":\"entity\",\"name\":",
            &name,
            b",\"entityType\":\"t\"",
            &observations,
            b" }",
            after,
        ]
        .concat()
    });
    let relation = (token(), token()).prop_map(|(from, to)| {
        [
            b"{\"type\":\"relation\",\"relationType\":\"r\",\"from\":",
            &from[..],
            b",\"to\":",
            &to,
            b"}",
        ]
        .concat()
    });
    prop_oneof![
        4 => entity,
        3 => relation,
        1 => Just(b"{\"type\":\"note\"}".to_vec()),
        1 => Just(b"{}\r".to_vec()),
        1 => Just("\u{A0}\r".as_bytes().to_vec()),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    (
        proptest::collection::vec(line(), 0..8),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, bom, last_lf)| {
            let mut file = lines.join(&b'\n');
            if bom {
                file.splice(0..0, *b"\xEF\xBB\xBF");
            }
            if last_lf {
                file.push(b'\n');
            }
            file
        })
}

/// What the graph says, in the model's words.
fn contents(graph: &Graph) -> Vec<What> {
    let all = graph.all();
    let text = |handle| graph.text(handle).to_owned();
    let entities = all.entities.iter().map(|&id| {
        let entity = graph.entity(id);
        What::Entity(
            text(entity.name),
            text(entity.entity_type),
            graph
                .observations(id)
                .iter()
                .map(|&item| text(item))
                .collect(),
        )
    });
    let relations = all.relations.iter().map(|&id| {
        let relation = graph.relation(id);
        What::Relation(
            text(relation.from),
            text(relation.to),
            text(relation.relation_type),
        )
    });
    entities.chain(relations).collect()
}

fn contents_of_rows(rows: &[Row]) -> Vec<What> {
    let pick = |wanted: fn(&What) -> bool| rows.iter().map(|row| row.what.clone()).filter(wanted);
    pick(|what| matches!(what, What::Entity(..)))
        .chain(pick(|what| matches!(what, What::Relation(..))))
        .collect()
}

proptest! {
    #![proptest_config(crate::support::cases(1000))]

    #[test]
    fn random_operations_do_what_the_naive_model_does(
        file in file(),
        operations in proptest::collection::vec(operation(), 0..20),
    ) {
        let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&file);
        let mut rows: Vec<Row> = text.split(|&byte| byte == b'\n').filter_map(Row::read).collect();
        let mut document = Document::parse(file.clone()).unwrap();
        prop_assert_eq!(contents(document.graph()), contents_of_rows(&rows));
        for operation in &operations {
            apply_naively(&mut rows, operation);
            apply(&mut document, operation);
            prop_assert_eq!(contents(document.graph()), contents_of_rows(&rows), "{:?}", operation);
        }
        document.apply_changes();
        let bytes = document.to_bytes();
        prop_assert!(bytes.is_empty() || bytes.ends_with(b"\n"));

        let reloaded = Document::parse(bytes.clone()).unwrap();
        prop_assert_eq!(contents(reloaded.graph()), contents_of_rows(&rows));
        prop_assert_eq!(reloaded.to_bytes(), bytes.clone(), "a second save changes nothing");

        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        prop_assert_eq!(lines.len(), rows.len());
        for (line, row) in lines.iter().zip(&rows) {
            let line = &line[..line.len() - 1];
            if let Some(raw) = &row.raw {
                prop_assert_eq!(line, &raw[..], "an untouched record keeps its bytes");
            }
            prop_assert_eq!(Row::read(line).map(|row| row.what), Some(row.what.clone()));
        }
    }

    /// The reader on files with something wrong: never a panic, and a file is
    /// refused exactly when it has a bad line.
    #[test]
    fn mutated_files_are_read_or_their_bad_lines_are_named(
        file in file(),
        at: proptest::sample::Index,
        cut in 0..4usize,
        insert in prop_oneof![
            Just(Vec::new()),
            proptest::collection::vec(any::<u8>(), 0..4),
            Just(b"\n".to_vec()),
            Just(b"[".to_vec()),
            Just(b"}".to_vec()),
            Just(b"\"".to_vec()),
            Just(b"{\"entities\":[\n]}".to_vec()),
        ],
    ) {
        let mut file = file;
        let at = at.index(file.len() + 1);
        let end = file.len().min(at + cut);
        file.splice(at..end, insert);
        check_reader(&file)?;
    }

    #[test]
    fn random_bytes_are_read_or_their_bad_lines_are_named(bytes: Vec<u8>) {
        check_reader(&bytes)?;
    }
}

#[test]
fn a_file_of_a_zero_byte_has_a_bad_line() {
    check_reader(&[0]).unwrap();
}

fn check_reader(file: &[u8]) -> Result<(), TestCaseError> {
    let bad = bad_lines(file);
    match Document::parse(file.to_vec()) {
        Ok(document) => {
            prop_assert_eq!(&bad, &Vec::new());
            prop_assert!(document.matches(file));
        }
        Err(lines) => {
            prop_assert_eq!(&lines, &bad);
            prop_assert!(!bad.is_empty());
        }
    }
    // Every line that is bad by itself is named, or is part of a value over
    // several lines, which is named at its first.
    let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let mut covered = 0;
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let number = number + 1;
        if let Some(named) = bad.iter().rfind(|bad| bad.line == number)
            && let Some(range) = named.reason.strip_prefix(&format!("lines {number} to "))
        {
            covered = range.split(':').next().unwrap().parse().unwrap();
        }
        // The second half of a UTF-16 line end is the last line's.
        let line = match line {
            [0, rest @ ..] if covered > 0 && covered + 1 == number => rest,
            line => line,
        };
        let is_bad = !matches!(
            read_line(line, 0, &mut Vec::new()),
            Ok(Line::Blank | Line::Record(_))
        );
        let is_named = bad.iter().any(|bad| bad.line == number);
        prop_assert!(
            is_named || !is_bad || number <= covered,
            "line {} of {:?}",
            number,
            file
        );
        prop_assert!(
            is_bad || !is_named || number <= covered,
            "line {} of {:?}",
            number,
            file
        );
    }
    Ok(())
}
