//! The memory file's format, through `Document`: what a save leaves alone and
//! what it writes (docs/behaviour.md, "The memory file"). How single lines are
//! read is tested beside the reader; how the file is replaced, elsewhere.

use mcp_memory::graph::Graph;
use mcp_memory::store::Document;
use mcp_memory::store::line::{Line, read_line};
use mcp_memory::store::walk::bad_lines;
use proptest::prelude::*;

/// The file after `change` was applied to `file` and saved.
#[track_caller]
fn saved(file: impl AsRef<[u8]>, change: impl FnOnce(&mut Graph)) -> Vec<u8> {
    let mut document = Document::parse(file.as_ref().to_vec()).unwrap();
    change(document.graph_mut());
    assert!(document.apply_changes(), "the change changed nothing");
    document.to_bytes()
}

#[track_caller]
fn check(file: impl AsRef<[u8]>, change: impl FnOnce(&mut Graph), expected: impl AsRef<[u8]>) {
    let bytes = saved(file, change);
    assert_eq!(
        String::from_utf8_lossy(&bytes),
        String::from_utf8_lossy(expected.as_ref())
    );
    assert_eq!(bytes, expected.as_ref());
}

fn create(graph: &mut Graph, name: &str) {
    assert!(graph.create_entity(name, "t", &[]));
}

fn add(graph: &mut Graph, name: &str, contents: &[&str]) {
    let id = graph.find(name).unwrap();
    graph.add_observations(id, &strings(contents));
}

fn remove(graph: &mut Graph, name: &str, contents: &[&str]) {
    let id = graph.find(name).unwrap();
    graph.delete_observations(id, &strings(contents));
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

const A: &str = r#"{"type":"entity","name":"A","entityType":"t","observations":[]}"#;
const B: &str = r#"{"type":"entity","name":"B","entityType":"t","observations":[]}"#;
const N: &str = r#"{"type":"entity","name":"N","entityType":"t","observations":[]}"#;
const R: &str = r#"{"type":"relation","from":"A","to":"B","relationType":"r"}"#;
const U: &str = r#"{"type":"note","text":"unknown"}"#;

fn lines(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn new_records_are_written_as_json_stringify_does() {
    check(
        "",
        |graph| {
            graph.create_entity(
                "l1\nl2\u{7f}/\u{2028}é",
                "\u{b}",
                &strings(&["t\t", "\0", "a\\\"b"]),
            );
            graph.create_relation("x", "y", "z");
        },
        "{\"type\":\"entity\",\"name\":\"l1\\nl2\u{7f}/\u{2028}é\",\"entityType\":\"\\u000b\",\"observations\":[\"t\\t\",\"\\u0000\",\"a\\\\\\\"b\"]}\n\
         {\"type\":\"relation\",\"from\":\"x\",\"to\":\"y\",\"relationType\":\"z\"}\n",
    );
}

#[test]
fn a_new_entity_goes_behind_the_last_entity() {
    check(
        lines(&[A, R, B, U, R]),
        |graph| create(graph, "N"),
        lines(&[A, R, B, N, U, R]),
    );
}

#[test]
fn with_no_entity_a_new_one_goes_before_the_first_relation() {
    check(
        lines(&[U, R, U, R]),
        |graph| create(graph, "N"),
        lines(&[U, N, R, U, R]),
    );
}

#[test]
fn with_neither_entity_nor_relation_a_new_entity_goes_to_the_end() {
    check(
        lines(&[U, U]),
        |graph| create(graph, "N"),
        lines(&[U, U, N]),
    );
}

#[test]
fn the_place_of_a_new_entity_follows_earlier_changes_of_the_same_burst() {
    check(
        lines(&[A, U, B, R]),
        |graph| {
            graph.delete_entity("B");
            create(graph, "N");
            graph.delete_entity("A");
            graph.create_relation("A", "B", "r");
            create(graph, "B");
        },
        lines(&[N, B, U, R]),
    );
}

#[test]
fn a_new_relation_goes_to_the_end() {
    check(
        lines(&[R, A, U]),
        |graph| {
            graph.create_relation("B", "A", "r");
        },
        lines(&[
            R,
            A,
            U,
            r#"{"type":"relation","from":"B","to":"A","relationType":"r"}"#,
        ]),
    );
}

#[test]
fn untouched_records_keep_their_bytes() {
    let odd = "{ \"observations\":[\"\\u0041\\/\"] ,\"x\":1e400, \"name\" : \"\\ud800\",\"type\":\"entity\"}";
    let raw = b"{\"type\":\"relation\",\"from\":\"\xFF\",\"to\":\"\",\"relationType\":\"\"}";
    let file = [odd.as_bytes(), b"\n", raw, b"\n"].concat();
    let expected = [odd.as_bytes(), b"\n", N.as_bytes(), b"\n", raw, b"\n"].concat();
    check(file, |graph| create(graph, "N"), expected);
}

#[test]
fn a_write_drops_bom_blank_lines_blanks_around_records_and_cr() {
    check(
        format!("\u{FEFF}\r\n  {A}\t \r\n\u{A0}\n\n{R}\r\n {U}"),
        |graph| create(graph, "N"),
        lines(&[A, N, R, U]),
    );
}

#[test]
fn a_file_with_many_gaps_is_written_in_few_slices() {
    let file = format!("{A}\r\n").repeat(5000);
    let mut document = Document::parse(file.into_bytes()).unwrap();
    create(document.graph_mut(), "N");
    document.apply_changes();
    assert_eq!(document.slices().len(), 2);
    assert_eq!(
        document.to_bytes(),
        format!("{}{N}\n", format!("{A}\n").repeat(5000)).into_bytes()
    );
}

#[test]
fn a_touched_entity_changes_only_in_its_observations() {
    check(
        r#"{"id":7, "observations" : [ "\u0041" , "b" ], "name":"A","type":"entity","entityType":"t" }"#,
        |graph| add(graph, "A", &["c\n"]),
        "{\"id\":7, \"observations\" : [ \"\\u0041\" , \"b\",\"c\\n\" ], \"name\":\"A\",\"type\":\"entity\",\"entityType\":\"t\" }\n",
    );
}

#[test]
fn kept_observations_keep_their_bytes() {
    check(
        b"{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"\\u0041\",\"x\",\"\xFF\", \"\\ud800\"]}".as_slice(),
        |graph| remove(graph, "A", &["x"]),
        b"{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"\\u0041\",\"\xFF\", \"\\ud800\"]}\n",
    );
}

#[test]
fn the_last_observation_leaves_an_empty_list() {
    check(
        r#"{"type":"entity","name":"A","observations":[ "x", "x" ]}"#,
        |graph| remove(graph, "A", &["x"]),
        "{\"type\":\"entity\",\"name\":\"A\",\"observations\":[]}\n",
    );
}

#[test]
fn a_burst_of_changes_to_one_entity_is_applied_in_order() {
    check(
        r#"{"type":"entity","name":"A","observations":["a","b","c"]}"#,
        |graph| {
            add(graph, "A", &["d", "e"]);
            remove(graph, "A", &["b", "d"]);
            add(graph, "A", &["b"]);
            remove(graph, "A", &["a"]);
        },
        "{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"c\",\"e\",\"b\"]}\n",
    );
}

#[test]
fn of_a_repeated_key_the_last_is_changed() {
    check(
        r#"{"observations":["x"],"type":"entity","name":"A","observations":["y"]}"#,
        |graph| add(graph, "A", &["x"]),
        "{\"observations\":[\"x\"],\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"y\",\"x\"]}\n",
    );
}

#[test]
fn null_becomes_a_list() {
    check(
        r#"{"type":"entity","observations": null,"name":"A"}"#,
        |graph| add(graph, "A", &["x"]),
        "{\"type\":\"entity\",\"observations\": [\"x\"],\"name\":\"A\"}\n",
    );
}

#[test]
fn a_missing_key_is_added_last() {
    check(
        r#"{"type":"entity","name":"A","x":{} }"#,
        |graph| add(graph, "A", &["x", "y"]),
        "{\"type\":\"entity\",\"name\":\"A\",\"x\":{},\"observations\":[\"x\",\"y\"] }\n",
    );
}

#[test]
fn of_two_entities_of_one_name_the_first_is_touched_and_both_are_deleted() {
    let first = r#"{"type":"entity","name":"A","observations":["1"]}"#;
    let second = r#"{"type":"entity","name":"A","observations":["2"]}"#;
    check(
        lines(&[first, second]),
        |graph| add(graph, "A", &["2"]),
        lines(&[
            r#"{"type":"entity","name":"A","observations":["1","2"]}"#,
            second,
        ]),
    );
    check(
        lines(&[first, U, second]),
        |graph| {
            graph.delete_entity("A");
        },
        lines(&[U]),
    );
}

#[test]
fn what_was_added_and_removed_in_one_burst_is_not_written() {
    check(
        lines(&[U]),
        |graph| {
            create(graph, "A");
            graph.create_relation("A", "B", "r");
            add(graph, "A", &["x"]);
            graph.delete_entity("A");
        },
        lines(&[U]),
    );
}

#[test]
fn a_document_knows_the_bytes_it_was_read_from_and_saved_as() {
    let file = format!("{A}\r\n").into_bytes();
    let mut document = Document::parse(file.clone()).unwrap();
    assert!(document.matches(&file));
    assert!(!document.matches(&file[..file.len() - 1]));
    create(document.graph_mut(), "N");
    document.apply_changes();
    assert!(!document.matches(&document.to_bytes()), "not saved yet");
    document.saved();
    let bytes = document.to_bytes();
    assert!(document.matches(&bytes));
    assert!(!document.matches(&file));
    assert!(!document.matches(&[&bytes[..], b"\n"].concat()));
    assert!(document.renewed().matches(&bytes));
}

#[test]
fn a_document_is_worn_by_many_gaps_and_renewed_by_its_own_bytes() {
    let mut document = Document::default();
    for n in 0..3000 {
        create(document.graph_mut(), &n.to_string());
        document.apply_changes();
    }
    assert_eq!(document.slices().len(), 1);
    assert!(!document.is_worn(), "what was added is in one place");
    for n in (0..3000).step_by(2) {
        document.graph_mut().delete_entity(&n.to_string());
        document.apply_changes();
    }
    assert!(document.is_worn());
    document.saved();
    let renewed = document.renewed();
    assert!(!renewed.is_worn());
    assert_eq!(renewed.slices().len(), 1);
    assert!(renewed.matches(&document.to_bytes()));
    assert_eq!(renewed.graph().entity_count(), 1500);
}

#[test]
fn a_document_is_worn_when_much_of_its_memory_is_dead() {
    let mut document = Document::default();
    let observation = strings(&[&"x".repeat(100_000)]);
    for n in 0..11 {
        assert!(!document.is_worn(), "after {n} changes");
        document.graph_mut().create_entity("A", "t", &observation);
        document.apply_changes();
        document.graph_mut().delete_entity("A");
        document.apply_changes();
        if document.is_worn() {
            break;
        }
    }
    assert!(document.is_worn());
    assert_eq!(document.to_bytes(), b"");
}

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
                graph.add_observations(id, contents);
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
    #![proptest_config(ProptestConfig::with_cases(1000))]

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
