//! The reading rules, each with the smallest line that shows it.

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
        "NotJson 0: not JSON: expected a value, found the invisible character U+200B",
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
        "NotJson 0: not JSON: expected a value, found the invisible character U+FEFF",
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
