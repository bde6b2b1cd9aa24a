//! The memory file's format, through `Document`: what a save leaves alone and
//! what it writes (docs/behaviour.md, "The memory file"). How single lines are
//! read is tested beside the reader; random files and changes are
//! properties.rs's; how the file is replaced, elsewhere.

use mcp_memory::graph::Graph;
use mcp_memory::store::Document;

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
    graph.add_observations(&[(id, &strings(contents))]);
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
