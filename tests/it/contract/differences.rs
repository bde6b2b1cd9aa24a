//! Our contract is the reference's, tool by tool, but for the differences that
//! are declared here, each with its reason. A tool of ours that the reference
//! does not have comes after its nine and needs no declaration.

use std::fs;

use serde_json::Value;

use super::{name, snapshots, tools};
use crate::support::differences::Difference;

/// Where ours may differ from the reference, and why. A path is a tool's name
/// and the keys from there; `*` stands for one of them, `**` for any number.
/// `+` is only in ours, `-` only in the reference. Each belongs to one of the
/// differences that users are told.
const PATHS: &[(&str, Difference, &str)] = &[
    (
        "- *.inputSchema.$schema",
        Difference::Schemas,
        "Gemini and Vertex refuse the key",
    ),
    (
        "- *.outputSchema.$schema",
        Difference::Schemas,
        "Gemini and Vertex refuse the key",
    ),
    (
        "- *.execution",
        Difference::Schemas,
        "tasks are not offered, and the key says no more than its absence",
    ),
    (
        "+ *.description",
        Difference::Schemas,
        "the recording leaves the texts out, ours are our own",
    ),
    (
        "+ *.inputSchema.**.description",
        Difference::Schemas,
        "the recording leaves the texts out, ours are our own",
    ),
    (
        "+ create_entities.outputSchema.properties.skipped",
        Difference::MoreMembers,
        "a model sees which names were taken",
    ),
    (
        "+ create_relations.outputSchema.properties.skipped",
        Difference::MoreMembers,
        "a model sees what was stored already",
    ),
    (
        "+ create_relations.outputSchema.properties.missingEntities",
        Difference::MoreMembers,
        "a model sees which ends it has to create",
    ),
    (
        "+ delete_entities.outputSchema.properties.deleted",
        Difference::MoreMembers,
        "a model sees whether anything was removed",
    ),
    (
        "+ delete_entities.outputSchema.properties.notFound",
        Difference::MoreMembers,
        "a model sees a misspelt name",
    ),
    (
        "+ delete_observations.outputSchema.properties.deleted",
        Difference::MoreMembers,
        "a model sees whether anything was removed",
    ),
    (
        "+ delete_observations.outputSchema.properties.notFound",
        Difference::MoreMembers,
        "a model sees a misquoted fact",
    ),
    (
        "+ delete_relations.outputSchema.properties.deleted",
        Difference::MoreMembers,
        "a model sees whether anything was removed",
    ),
    (
        "+ delete_relations.outputSchema.properties.notFound",
        Difference::MoreMembers,
        "a model sees a misquoted relation",
    ),
    (
        "+ read_graph.inputSchema.properties.entityTypes",
        Difference::OptionalParameters,
        "a part of a large graph can be read",
    ),
    (
        "+ *.inputSchema.properties.observationLimit",
        Difference::OptionalParameters,
        "a large graph can be read in outline",
    ),
    (
        "+ *.outputSchema.properties.entities.items.properties.observationCount",
        Difference::OptionalParameters,
        "what observationLimit left out is counted",
    ),
    (
        "+ search_nodes.inputSchema.properties.limit",
        Difference::OptionalParameters,
        "a search with many matches can be cut",
    ),
    (
        "+ search_nodes.outputSchema.properties.totalMatches",
        Difference::OptionalParameters,
        "what limit left out is counted",
    ),
    (
        "+ open_nodes.outputSchema.properties.notFound",
        Difference::MoreMembers,
        "a model sees a misspelt name",
    ),
];

#[test]
fn the_reference_s_tools_come_first_and_in_its_order() {
    let ours: Vec<String> = tools().iter().map(name).collect();
    let reference: Vec<String> = reference().iter().map(name).collect();
    assert_eq!(ours[..reference.len()], reference);
}

#[test]
fn every_difference_from_the_reference_is_declared_and_every_declaration_used() {
    let ours = tools();
    let mut found = Vec::new();
    for theirs in reference() {
        let name = name(&theirs);
        let own = ours
            .iter()
            .find(|own| own["name"] == *name)
            .unwrap_or(&Value::Null);
        compare(&name, &theirs, own, &mut found);
    }
    let undeclared: Vec<&String> = found
        .iter()
        .filter(|found| !PATHS.iter().any(|(pattern, ..)| matches(pattern, found)))
        .collect();
    assert!(
        undeclared.is_empty(),
        "undeclared differences: {undeclared:#?}"
    );
    let unused: Vec<&str> = PATHS
        .iter()
        .map(|(pattern, ..)| *pattern)
        .filter(|pattern| !found.iter().any(|found| matches(pattern, found)))
        .collect();
    assert!(
        unused.is_empty(),
        "declared, but no difference: {unused:#?}"
    );
}

/// Collects the differences under `path`. Keys that both have come in the same
/// order; what ours has more of in `properties` comes after the reference's.
fn compare(path: &str, theirs: &Value, ours: &Value, found: &mut Vec<String>) {
    let (Value::Object(theirs), Value::Object(ours)) = (theirs, ours) else {
        if theirs != ours {
            found.push(format!(
                "! {path}: {theirs} in the reference, {ours} in ours"
            ));
        }
        return;
    };
    for (key, value) in theirs {
        match ours.get(key) {
            Some(own) => compare(&format!("{path}.{key}"), value, own, found),
            None => found.push(format!("- {path}.{key}")),
        }
    }
    let more = ours.keys().filter(|key| !theirs.contains_key(*key));
    found.extend(more.map(|key| format!("+ {path}.{key}")));

    let common: Vec<&String> = theirs
        .keys()
        .filter(|key| ours.contains_key(*key))
        .collect();
    let mut order: Vec<&String> = ours.keys().collect();
    if path.ends_with(".properties") {
        order.truncate(common.len());
    } else {
        order.retain(|key| theirs.contains_key(*key));
    }
    if order != common {
        found.push(format!(
            "! {path}: the order is {common:?} in the reference, {order:?} in ours"
        ));
    }
}

fn matches(pattern: &str, found: &str) -> bool {
    fn keys(pattern: &[&str], found: &[&str]) -> bool {
        match (pattern, found) {
            ([], []) => true,
            (["**", rest @ ..], _) => (0..=found.len()).any(|skip| keys(rest, &found[skip..])),
            ([key, rest @ ..], [first, others @ ..]) => {
                (*key == "*" || key == first) && keys(rest, others)
            }
            _ => false,
        }
    }
    let split =
        |text: &'_ str| -> Vec<String> { text.split(['.', ' ']).map(str::to_owned).collect() };
    let (pattern, found) = (split(pattern), split(found));
    let (pattern, found): (Vec<&str>, Vec<&str>) = (
        pattern.iter().map(String::as_str).collect(),
        found.iter().map(String::as_str).collect(),
    );
    keys(&pattern, &found)
}

#[test]
fn a_changed_a_missing_a_further_and_a_moved_key_are_differences() {
    #[track_caller]
    fn check(theirs: Value, ours: Value, expected: &[&str]) {
        let mut found = Vec::new();
        compare("t.properties", &theirs, &ours, &mut found);
        assert_eq!(found, expected);
    }
    use serde_json::json;
    check(json!({"a": 1}), json!({"a": 1}), &[]);
    check(
        json!({"a": 1}),
        json!({"a": 2}),
        &["! t.properties.a: 1 in the reference, 2 in ours"],
    );
    check(
        json!({"a": 1, "b": 1}),
        json!({"a": 1}),
        &["- t.properties.b"],
    );
    check(
        json!({"a": 1}),
        json!({"a": 1, "b": 1}),
        &["+ t.properties.b"],
    );
    let moved = r#"! t.properties: the order is ["a"] in the reference, ["b"] in ours"#;
    check(
        json!({"a": 1}),
        json!({"b": 1, "a": 1}),
        &["+ t.properties.b", moved],
    );
}

#[test]
fn a_star_stands_for_one_key_and_two_for_any_number() {
    assert!(matches("+ *.b", "+ a.b"));
    assert!(!matches("+ *.b", "+ a.a.b"));
    assert!(!matches("- *.b", "+ a.b"));
    assert!(matches("+ a.**.b", "+ a.b"));
    assert!(matches("+ a.**.b", "+ a.x.y.b"));
    assert!(!matches("+ a.**.b", "+ a.x.y"));
}

/// The tools of the reference, as recorded.
fn reference() -> Vec<Value> {
    let text = fs::read_to_string(snapshots().join("reference/tools_list.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    list["tools"].as_array().unwrap().clone()
}
