//! `tools.schema.json`, with which an editor helps to write `tools.yaml`: made
//! from the types that the build reads it with.

use schemars::schema_for;
use serde_json::Value;

use super::codegen::manifest::Manifest;
use super::committed;
use super::manifest::CORRECT;
use crate::support::repository;

const FIRST_LINE: &str = "# yaml-language-server: $schema=tools.schema.json";

fn schema() -> Value {
    let mut schema = schema_for!(Manifest).to_value();
    schema["title"] = "tools.yaml of mcp-memory".into();
    schema
}

#[test]
fn the_schema_for_editors_is_the_committed_copy() {
    let pretty = serde_json::to_string_pretty(&schema()).unwrap();
    committed("../tools.schema.json", &format!("{pretty}\n"));
}

#[test]
fn the_manifest_names_its_schema_in_the_first_line() {
    let text = std::fs::read_to_string(repository("tools.yaml")).unwrap();
    assert_eq!(text.lines().next(), Some(FIRST_LINE));
}

fn fits(text: &str) -> bool {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let value: Value = serde_yaml::from_str(text).unwrap();
    validator.is_valid(&value)
}

#[test]
fn what_the_build_reads_fits_the_schema() {
    let ours = std::fs::read_to_string(repository("tools.yaml")).unwrap();
    let nasty = std::fs::read_to_string(repository("snapshots/nasty/tools.yaml")).unwrap();
    for text in [ours.as_str(), &nasty, CORRECT] {
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let value: Value = serde_yaml::from_str(text).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

#[test]
fn slips_that_the_build_would_refuse_are_seen_while_writing() {
    for (right, wrong) in [
        ("    title: Add Things\n", "    titel: Add Things\n"),
        ("    title: Add Things\n", ""),
        ("    title: Add Things\n", "    title: ''\n"),
        ("name: add_things", "name: add-things"),
        ("      openWorldHint: false\n", ""),
        ("readOnlyHint: true", "readOnlyHint: yes"),
        ("minimum: 1", "minimum: -1"),
        ("minimum: 1", "maximum: 1"),
        ("type: boolean", "type: bool"),
        ("type: string", "type: string, enum: []"),
        ("type: string", "type: string, enum: [A b]"),
        ("label: {", "the-label: {"),
        (
            "label: { type: string, description: What it is called }",
            "label: string",
        ),
        ("example: { things: [] }", "example: []"),
        ("resource:", "resources:"),
    ] {
        assert!(CORRECT.contains(right), "{right:?}");
        let text = CORRECT.replacen(right, wrong, 1);
        assert!(Manifest::parse(&text).is_err(), "the build takes {wrong:?}");
        assert!(!fits(&text), "the schema takes {wrong:?}");
    }
}
