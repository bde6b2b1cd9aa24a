//! Whoever changes the contract says so with the version: it is compared with
//! the one of the last release, and each change is classified and shown with
//! its line in the manifest. `rules.rs` has the rules.
//!
//! `cargo test --test it contract::changes -- --nocapture` shows the changes
//! since the release. A release takes the new baseline with
//! `UPDATE_RELEASED_CONTRACT=1 cargo test --test it contract::changes`, which
//! refuses where that would hide a change from the version.

mod contract;
mod rules;

use std::{env, fs};

use serde_json::Value;

use self::contract::contract;
use self::rules::{Change, changes, demanded_version, reaches, table};
use super::codegen::manifest::Manifest;
use super::manifest::CORRECT;
use super::snapshots;

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn the_version_tells_what_changed_in_the_contract_since_the_last_release() {
    let text = fs::read_to_string(crate::support::repository("tools.yaml")).unwrap();
    let current = contract(VERSION, &Manifest::parse(&text).unwrap());
    let baseline = snapshots().join("released/contract.json");
    let released: Value = serde_json::from_slice(&fs::read(&baseline).unwrap()).unwrap();
    let version = released["version"].as_str().unwrap();
    let changes = changes(&released, &current, &text);
    let table = table(&changes);
    eprintln!("changes of the contract since {version}:\n{table}");
    if let Err(reason) = version_tells(VERSION, version, &changes) {
        panic!("the contract changed since {version}:\n{table}\n{reason}");
    }
    if env::var_os("UPDATE_RELEASED_CONTRACT").is_some() {
        if let Err(reason) = may_become_baseline(VERSION, version, &changes) {
            panic!("the baseline stays the contract of {version}: {reason}");
        }
        let pretty = serde_json::to_string_pretty(&current).unwrap();
        fs::write(&baseline, format!("{pretty}\n")).unwrap();
    }
}

/// Whether a contract with these changes may carry this version.
fn version_tells(version: &str, released: &str, changes: &[Change]) -> Result<(), String> {
    let demanded = demanded_version(released, changes).unwrap_or(released.to_owned());
    if reaches(version, &demanded) {
        return Ok(());
    }
    Err(format!(
        "Cargo.toml says {version}; these changes need {demanded} or later"
    ))
}

/// Whether the contract of this version may take the released one's place: at
/// the same version every change would pass once the baseline has it.
fn may_become_baseline(version: &str, released: &str, changes: &[Change]) -> Result<(), String> {
    if reaches(released, version) {
        return Err(format!(
            "Cargo.toml says {version}, which is not higher than the released {released}\n\
             raise the version in the release's commit, then take the baseline"
        ));
    }
    version_tells(version, released, changes)
}

/// Makes one edit of a correct manifest, `new` where `old` first stands, and
/// expects this table.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let edited = edit(CORRECT, old, new);
    assert_eq!(compared(CORRECT, &edited), expected);
}

/// The same, and the edit taken back.
#[track_caller]
fn check_both_ways(old: &str, new: &str, expected: &str, expected_back: &str) {
    check_both_ways_of(CORRECT, old, new, expected, expected_back);
}

#[track_caller]
fn check_both_ways_of(text: &str, old: &str, new: &str, expected: &str, expected_back: &str) {
    let edited = edit(text, old, new);
    assert_eq!(compared(text, &edited), expected);
    assert_eq!(compared(&edited, text), expected_back);
}

fn edit(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old:?} is not in the manifest");
    text.replacen(old, new, 1)
}

/// The table, with its columns moved together.
fn compared(released: &str, current: &str) -> String {
    let published = |text| contract("1.0.0", &Manifest::parse(text).unwrap());
    let table = table(&changes(&published(released), &published(current), current));
    let rows = table.lines();
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect()
}

#[test]
fn the_same_contract_has_no_changes() {
    check("title: Graph", "title: Graph # the same", "");
    check(
        "example: { things: [] }",
        "example: { things: [{ label: A }] }",
        "",
    );
    // The words of results are for the Rust that is generated.
    check(
        "description: Whether it worked",
        "description: If it worked",
        "",
    );
}

#[test]
fn words_for_models_and_people_are_text() {
    check(
        "instructions: [\"Ask, then store.\"]",
        "instructions: [\"Store, then ask.\"]",
        "text tools.yaml:2 instructions: instructions reworded\n",
    );
    check(
        "title: Add Things",
        "title: Add Some Things",
        "text tools.yaml:17 add_things.title: title reworded\n",
    );
    check(
        "description: Reads things.",
        "description: Reads all things.",
        "text tools.yaml:42 read_things.description: description reworded\n",
    );
    check(
        "description: Things to add",
        "description: The things to add",
        "text tools.yaml:24 add_things.inputSchema.things: description reworded\n",
    );
    check(
        "description: All of it.",
        "description: Everything.",
        "text tools.yaml:7 resource.description: description reworded\n",
    );
}

#[test]
fn words_of_a_shared_type_are_shown_at_the_type_s_line_for_all_who_use_it() {
    check(
        "description: What it is called",
        "description: The name",
        "text tools.yaml:13 add_things.inputSchema.things[].label: description reworded\n",
    );
    let both = edit(
        CORRECT,
        "label: { type: string,",
        "label: { type: integer, minimum: 0,",
    );
    assert_eq!(
        compared(CORRECT, &both),
        "breaking tools.yaml:13 add_things.inputSchema.things[].label, \
         read_things.outputSchema.things[].label: \
         type \"string\" became \"integer\"\n"
    );
}

#[test]
fn another_order_is_text() {
    let label = "label: { type: string, description: What it is called }";
    let two = edit(
        CORRECT,
        label,
        &format!("{label}\n      size: {{ type: string, description: How big }}"),
    );
    let size = "size: { type: string, description: How big }";
    let turned = edit(CORRECT, label, &format!("{size}\n      {label}"));
    assert_eq!(
        compared(&two, &turned),
        "text tools.yaml:12 add_things.inputSchema.things[], \
         read_things.outputSchema.things[]: in another order\n"
    );
}

#[test]
fn a_new_tool_is_additive_and_a_removed_one_breaking() {
    let start = CORRECT.find("  - title: Read Things").unwrap();
    let (one, tool) = CORRECT.split_at(start);
    assert_eq!(
        compared(one, CORRECT),
        "additive tools.yaml:40 read_things: new tool\n"
    );
    assert_eq!(
        compared(CORRECT, one),
        "breaking tools.yaml:15 read_things: tool removed\n"
    );
    let renamed = format!(
        "{one}{}",
        edit(tool, "name: read_things", "name: list_things")
    );
    assert_eq!(
        compared(CORRECT, &renamed),
        "breaking tools.yaml:15 read_things: tool removed\n\
         additive tools.yaml:40 list_things: new tool\n"
    );
}

#[test]
fn a_tool_that_changes_its_set_is_breaking() {
    let two = "[{ name: basic, title: Basic, description: All }, \
               { name: more, title: More, description: More }]";
    let sets = "[{ name: basic, title: Basic, description: All }]";
    let moved = edit(CORRECT, sets, two);
    let moved = edit(
        &moved,
        "    example: {}\n    toolset: basic\n",
        "    example: {}\n    toolset: more\n",
    );
    assert_eq!(
        compared(CORRECT, &moved),
        "breaking tools.yaml:54 read_things.toolset: \"basic\" became \"more\"\n\
         additive tools.yaml:1 more: new toolset\n"
    );
    assert_eq!(
        compared(&moved, CORRECT),
        "breaking tools.yaml:1 more: toolset removed\n\
         breaking tools.yaml:54 read_things.toolset: \"more\" became \"basic\"\n"
    );
    let turned = edit(
        &moved,
        two,
        "[{ name: more, title: More, description: More }, \
          { name: basic, title: Basic, description: All }]",
    );
    assert_eq!(
        compared(&moved, &turned),
        "breaking tools.yaml:1 toolsets: the default \"basic\" became \"more\"\n\
         text tools.yaml:1 toolsets: in another order\n"
    );
}

/// The baseline of such a release has no word of sets and prompts.
#[test]
fn the_tools_of_a_release_without_sets_were_all_in_the_default_one() {
    let mut released = contract("1.0.0", &Manifest::parse(CORRECT).unwrap());
    let current = released.clone();
    let members = released.as_object_mut().unwrap();
    members.shift_remove("toolsets");
    members.shift_remove("prompts");
    for tool in members["tools"].as_array_mut().unwrap() {
        tool.as_object_mut().unwrap().shift_remove("toolset");
    }
    assert_eq!(table(&changes(&released, &current, CORRECT)), "");
}

#[test]
fn a_new_prompt_is_additive_and_a_removed_one_or_another_argument_breaking() {
    let prompt = "prompts:\n  - name: look\n    title: Look\n    description: Looks.\n    \
                  arguments:\n      what: { description: What }\n    text: Look for {what}.\n";
    let with = format!("{CORRECT}{prompt}");
    assert_eq!(
        compared(CORRECT, &with),
        "additive tools.yaml:56 look: new prompt\n"
    );
    assert_eq!(
        compared(&with, CORRECT),
        "breaking tools.yaml:1 look: prompt removed\n"
    );
    let reworded = edit(&with, "text: Look for", "text: Search for");
    assert_eq!(
        compared(&with, &reworded),
        "text tools.yaml:61 look.text: text reworded\n"
    );
    let renamed = edit(&with, "what: {", "thing: {").replace("{what}", "{thing}");
    assert_eq!(
        compared(&with, &renamed),
        "breaking tools.yaml:59 look.what: argument removed\n\
         breaking tools.yaml:60 look.thing: new argument\n\
         text tools.yaml:61 look.text: text reworded\n"
    );
}

#[test]
fn a_parameter_may_take_more_values_and_a_result_may_have_fewer() {
    let label = "label: { type: string, description: What it is called }";
    let of = |values: &str| {
        let text = format!("label: {{ type: string, enum: [{values}], description: N }}");
        edit(CORRECT, label, &text)
    };
    let any = edit(CORRECT, label, "label: { type: string, description: N }");
    // The type is an argument and a result.
    let input = "tools.yaml:13 add_things.inputSchema.things[].label";
    let output = "tools.yaml:13 read_things.outputSchema.things[].label";
    assert_eq!(
        compared(&of("a"), &of("a, b")),
        format!("breaking {output}: new value \"b\"\nadditive {input}: new value \"b\"\n")
    );
    assert_eq!(
        compared(&of("a, b"), &of("a")),
        format!("breaking {input}: value \"b\" removed\nadditive {output}: value \"b\" removed\n")
    );
    assert_eq!(
        compared(&any, &of("a")),
        format!(
            "breaking {input}: any string became an enum\nadditive {output}: any string became an enum\n"
        )
    );
    assert_eq!(
        compared(&of("a"), &any),
        format!(
            "breaking {output}: an enum became any string\nadditive {input}: an enum became any string\n"
        )
    );
    assert_eq!(
        compared(&of("a, b"), &of("b, a")),
        format!("text {input}, read_things.outputSchema.things[].label: in another order\n")
    );
}

#[test]
fn a_new_optional_parameter_is_additive_a_removed_or_renamed_one_breaking() {
    let limit = "        limit:\n          type: integer\n          minimum: 1\n          \
                 description: At most so many\n";
    check_both_ways(
        limit,
        "",
        "breaking tools.yaml:20 add_things.inputSchema.limit: parameter removed\n",
        "additive tools.yaml:25 add_things.inputSchema.limit: new optional parameter\n",
    );
    check(
        "        limit:\n",
        "        maximum:\n",
        "breaking tools.yaml:20 add_things.inputSchema.limit: parameter removed\n\
         additive tools.yaml:25 add_things.inputSchema.maximum: new optional parameter\n",
    );
}

#[test]
fn a_new_required_parameter_is_breaking() {
    let limit = "        limit:\n          type: integer\n          minimum: 1\n          \
                 description: At most so many\n      required: [things]\n";
    let without = edit(CORRECT, limit, "      required: [things]\n");
    let required = edit(CORRECT, "required: [things]", "required: [things, limit]");
    let required = edit(&required, "{ things: [] }", "{ things: [], limit: 1 }");
    assert_eq!(
        compared(&without, &required),
        "breaking tools.yaml:25 add_things.inputSchema.limit: new required parameter\n"
    );
}

#[test]
fn what_a_parameter_needs_may_become_less_and_not_more() {
    // The example fits whatever is asked for.
    let example = "{ things: [{ label: A }], limit: 9 }";
    let whole = edit(CORRECT, "{ things: [] }", example);
    check_both_ways_of(
        &whole,
        "required: [things]",
        "required: [things, limit]",
        "breaking tools.yaml:29 add_things.inputSchema.limit: now required\n",
        "additive tools.yaml:29 add_things.inputSchema.limit: now optional\n",
    );
    check_both_ways_of(
        &whole,
        "minimum: 1",
        "minimum: 2",
        "breaking tools.yaml:27 add_things.inputSchema.limit: minimum 1 became 2\n",
        "additive tools.yaml:27 add_things.inputSchema.limit: minimum 2 became 1\n",
    );
    check_both_ways_of(
        &whole,
        "items: { type: Thing }\n          description: Things to add",
        "items: { type: Thing }\n          minItems: 1\n          description: Things to add",
        "breaking tools.yaml:24 add_things.inputSchema.things: minItems none became 1\n",
        "additive tools.yaml:21 add_things.inputSchema.things: minItems 1 became none\n",
    );
}

#[test]
fn another_type_is_breaking() {
    check(
        "type: boolean, description: Whether it worked",
        "type: string, description: Whether it worked",
        "breaking tools.yaml:32 add_things.outputSchema.added: type \"boolean\" became \
         \"string\"\n",
    );
    check(
        "          items: { type: Thing }",
        "          items: { type: string }",
        "breaking tools.yaml:23 add_things.inputSchema.things[]: type \"object\" became \
         \"string\"\n",
    );
}

#[test]
fn a_new_result_field_is_additive_a_removed_or_renamed_one_breaking() {
    let added = "        added: { type: boolean, description: Whether it worked }\n";
    let count = "        count: { type: integer, minimum: 0, description: How many }\n";
    check_both_ways(
        added,
        &format!("{added}{count}"),
        "additive tools.yaml:33 add_things.outputSchema.count: new optional result field\n",
        "breaking tools.yaml:31 add_things.outputSchema.count: result field removed\n",
    );
    check(
        "        added: {",
        "        done: {",
        "breaking tools.yaml:31 add_things.outputSchema.added: result field removed\n\
         additive tools.yaml:32 add_things.outputSchema.done: new optional result field\n",
    );
}

#[test]
fn what_a_result_promises_may_become_more_and_not_less() {
    let added = "        added: { type: boolean, description: Whether it worked }\n";
    check_both_ways(
        added,
        &format!("{added}      required: [added]\n"),
        "additive tools.yaml:33 add_things.outputSchema.added: now required\n",
        "breaking tools.yaml:30 add_things.outputSchema.added: now optional\n",
    );
    let count = |minimum: u64| {
        let count =
            format!("        count: {{ type: integer, minimum: {minimum}, description: N }}\n");
        edit(CORRECT, added, &count)
    };
    assert_eq!(
        compared(&count(0), &count(1)),
        "additive tools.yaml:32 add_things.outputSchema.count: minimum 0 became 1\n"
    );
    assert_eq!(
        compared(&count(1), &count(0)),
        "breaking tools.yaml:32 add_things.outputSchema.count: minimum 1 became 0\n"
    );
}

#[test]
fn a_changed_annotation_is_breaking() {
    check(
        "      readOnlyHint: false",
        "      readOnlyHint: true",
        "breaking tools.yaml:34 add_things.annotations.readOnlyHint: false became true\n",
    );
    check(
        "idempotentHint: true",
        "idempotentHint: false",
        "breaking tools.yaml:51 read_things.annotations.idempotentHint: true became false\n",
    );
}

#[test]
fn the_resource_s_uri_name_and_type_are_contract() {
    check(
        "uri: memory://graph",
        "uri: memory://all",
        "breaking tools.yaml:4 resource.uri: \"memory://graph\" became \"memory://all\"\n",
    );
}

#[test]
fn the_worst_change_comes_first() {
    let edited = edit(CORRECT, "title: Add Things", "title: Add");
    let edited = edit(&edited, "minimum: 1", "minimum: 0");
    let edited = edit(&edited, "idempotentHint: true", "idempotentHint: false");
    let table = compared(CORRECT, &edited);
    let classes: Vec<&str> = table
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(classes, ["breaking", "additive", "text"]);
}

#[test]
fn an_alias_leads_to_the_line_that_says_it() {
    let manifest = edit(CORRECT, "annotations:\n", "annotations: &hints\n");
    let start = manifest.rfind("    annotations:").unwrap();
    let manifest = format!(
        "{}    annotations: *hints\n    example: {{}}\n    toolset: basic\n",
        &manifest[..start]
    );
    let edited = edit(&manifest, "idempotentHint: false", "idempotentHint: true");
    assert_eq!(
        compared(&manifest, &edited),
        "breaking tools.yaml:36 add_things.annotations.idempotentHint, \
         read_things.annotations.idempotentHint: false became \
         true\n"
    );
}

#[test]
fn the_version_that_a_change_needs_depends_on_its_class_and_on_the_first_number() {
    let text = (
        CORRECT.to_owned(),
        edit(CORRECT, "title: Add Things", "title: Add"),
    );
    let additive = (
        CORRECT.to_owned(),
        edit(CORRECT, "minimum: 1", "minimum: 0"),
    );
    let breaking = (
        CORRECT.to_owned(),
        edit(CORRECT, "minimum: 1", "minimum: 2"),
    );
    for (edited, released, expected) in [
        (&text, "0.1.0", None),
        (&additive, "0.1.0", Some("0.1.1")),
        (&breaking, "0.1.4", Some("0.2.0")),
        (&text, "1.2.3", None),
        (&additive, "1.2.3", Some("1.3.0")),
        (&breaking, "1.2.3", Some("2.0.0")),
    ] {
        let published = |text: &str| contract(released, &Manifest::parse(text).unwrap());
        let changes = changes(&published(&edited.0), &published(&edited.1), &edited.1);
        assert_eq!(demanded_version(released, &changes).as_deref(), expected);
    }
    assert_eq!(demanded_version("0.1.0", &[]), None);
    assert!(reaches("0.2.0", "0.2.0") && reaches("0.10.0", "0.2.0") && reaches("1.0.0", "0.2.0"));
    assert!(!reaches("0.1.9", "0.2.0") && !reaches("0.1.0-rc.1", "0.1.1"));
}

#[test]
fn only_a_higher_version_that_tells_the_changes_becomes_the_baseline() {
    let published = |text: &str| contract("0.1.4", &Manifest::parse(text).unwrap());
    let breaking = edit(CORRECT, "minimum: 1", "minimum: 2");
    let additive = edit(CORRECT, "minimum: 1", "minimum: 0");
    let text = edit(CORRECT, "title: Add Things", "title: Add");
    let not_higher = |version| {
        format!(
            "Cargo.toml says {version}, which is not higher than the released 0.1.4\n\
             raise the version in the release's commit, then take the baseline"
        )
    };
    let too_low = "Cargo.toml says 0.1.5; these changes need 0.2.0 or later".to_owned();
    for (edited, version, expected) in [
        (&breaking, "0.1.4", Err(not_higher("0.1.4"))),
        (&breaking, "0.1.5", Err(too_low)),
        (&breaking, "0.2.0", Ok(())),
        (&additive, "0.1.4", Err(not_higher("0.1.4"))),
        (&additive, "0.1.5", Ok(())),
        (&text, "0.1.4", Err(not_higher("0.1.4"))),
        (&text, "0.1.5", Ok(())),
        (&CORRECT.to_owned(), "0.1.3", Err(not_higher("0.1.3"))),
        (&CORRECT.to_owned(), "0.1.5", Ok(())),
    ] {
        let changes = changes(&published(CORRECT), &published(edited), edited);
        assert_eq!(may_become_baseline(version, "0.1.4", &changes), expected);
    }
}
