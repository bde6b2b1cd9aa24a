//! What `tools.yaml` says of toolsets, enums and prompts, and the errors where it
//! says it wrong, each with the smallest edit of a correct manifest.

use super::codegen::manifest::Manifest;
use super::manifest::{CORRECT, refused};

#[test]
fn a_toolset_that_does_not_exist_or_that_nobody_is_in_is_refused() {
    refused(
        "    example: {}\n    toolset: basic\n",
        "    example: {}\n    toolset: basics\n",
        "tools.yaml:54:5: tool read_things: toolset: unknown toolset `basics`, expected one of `basic`",
    );
    refused(
        "    example: {}\n    toolset: basic\n",
        "    example: {}\n",
        "tools.yaml:40:5: tool read_things: missing field `toolset`, a tool has all of `name`, `title`, `toolset`, `description`, `inputSchema`, `outputSchema`, `annotations`, `example`",
    );
    let list = |second: &str| {
        format!("toolsets:\n  - {{ name: basic, title: Basic, description: All }}\n  - {second}\n")
    };
    let line = "toolsets: [{ name: basic, title: Basic, description: All }]\n";
    refused(
        line,
        &list("name: more\n    title: More\n    description: Nothing"),
        "tools.yaml:3:3: toolset more: no tool is in the set, delete it",
    );
    refused(
        line,
        &list("name: basic\n    title: Basic\n    description: Again"),
        "tools.yaml:3:3: toolset basic: duplicate toolset, every name is used once",
    );
    refused(
        line,
        &list("name: all\n    title: All\n    description: All"),
        "tools.yaml:3:11: toolset all: name: \"all\" stands for every toolset, choose another",
    );
    refused(
        line,
        &list("name: More\n    title: More\n    description: More"),
        "tools.yaml:3:11: toolset More: name: \"More\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `memory`, at most 40 characters",
    );
    refused(
        line,
        &list("name: more\n    title: More"),
        "tools.yaml:3:5: toolset more: missing field `description`, everything is described",
    );
    refused(
        line,
        &list("name: more\n    description: More"),
        "tools.yaml:3:5: toolset more: missing field `title`, a toolset has all of `name`, `title`, `description`",
    );
    refused(
        line,
        "toolsets: []\n",
        "tools.yaml:1:1: toolsets: no toolset, every tool is in one",
    );
}

#[test]
fn an_enum_is_a_list_of_different_words_and_its_property_a_string() {
    let label = "label: { type: string, description: What it is called }";
    #[track_caller]
    fn check(label: &str, property: &str, expected: &str) {
        refused(
            label,
            &format!("label: {{ {property}, description: A }}"),
            expected,
        );
    }
    check(
        label,
        "type: string, enum: [a, b, a]",
        "tools.yaml:13:43: type Thing: properties.label.enum: `a` stands there twice, once is enough",
    );
    check(
        label,
        "type: boolean, enum: [a]",
        "tools.yaml:13:7: type Thing: properties.label: `enum` is for type string",
    );
    check(
        label,
        "type: string, enum: []",
        "tools.yaml:13:36: type Thing: properties.label.enum: no value, an `enum` has at least one",
    );
    check(
        label,
        "type: string, enum: a",
        "tools.yaml:13:36: type Thing: properties.label.enum: invalid type: string \"a\", expected a list such as `[text, words]`",
    );
    check(
        label,
        "type: string, enum: [a, 3]",
        "tools.yaml:13:40: type Thing: properties.label.enum[1]: \"3\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `words`, at most 40 characters",
    );
    check(
        label,
        "type: string, enum: [A word]",
        "tools.yaml:13:37: type Thing: properties.label.enum[0]: \"A word\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `words`, at most 40 characters",
    );
    check(
        label,
        "type: array, items: { type: string, enum: [a] }",
        "tools.yaml:13:52: type Thing: properties.label.items: unknown field `enum`, expected `type` or `items`",
    );
    let least = CORRECT.replacen(
        label,
        "label: { type: string, enum: [a, b], description: A }",
        1,
    );
    let least = least.replacen("{ things: [] }", "{ things: [{ label: c }] }", 1);
    let error = Manifest::parse(&least).unwrap_err().to_string();
    let expected = "tools.yaml:38:5: tool add_things: example.things[0].label: unknown value `c`, expected one of `a`, `b`";
    assert_eq!(error, expected);
}

#[test]
fn an_enum_whose_rust_name_is_taken_is_refused() {
    let label = "label: { type: string, description: What it is called }";
    refused(
        label,
        "label: { type: ThingLabel, description: A }\n      \
         other: { type: string, enum: [a], description: A }\n    required: [label]\n  \
         ThingOther:\n    description: B\n    properties:\n      \
         x: { type: string, description: A }\n  \
         ThingLabel:\n    description: B\n    properties:\n      \
         x: { type: ThingOther, description: A }\n      label: { type: string, description: A }",
        "tools.yaml:14:7: type Thing: properties.other: would be the Rust enum `ThingOther`, and there is something of this name, rename one",
    );
}

const PROMPT: &str = "prompts:
  - name: look
    title: Look
    description: Looks.
    arguments:
      what: { description: What to look for }
    text: Look for {what}.
";

#[track_caller]
fn refused_prompt(old: &str, new: &str, expected: &str) {
    assert!(PROMPT.contains(old), "{old:?} is not in the prompt");
    let text = format!("{CORRECT}{}", PROMPT.replacen(old, new, 1));
    match Manifest::parse(&text) {
        Ok(_) => panic!("accepted, expected: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[test]
fn a_prompt_is_read_with_its_arguments() {
    let manifest = Manifest::parse(&format!("{CORRECT}{PROMPT}")).unwrap();
    let prompt = &manifest.prompts[0];
    assert_eq!((&*prompt.name, &*prompt.text), ("look", "Look for {what}."));
    assert_eq!(prompt.arguments.0[0].0, "what");
}

#[test]
fn a_wrong_prompt_is_refused() {
    refused_prompt(
        "{what}",
        "{that}",
        "tools.yaml:61:5: prompt look: text: `{that}` is no argument, expected one of `what`",
    );
    refused_prompt(
        "{what}.",
        "{what",
        "tools.yaml:61:5: prompt look: text: a `{` without its `}`, braces stand around an argument's name only",
    );
    refused_prompt(
        "{what}",
        "it",
        "tools.yaml:60:7: prompt look: arguments.what: the text has no `{what}`, use the argument or delete it",
    );
    refused_prompt(
        "    arguments:\n      what: { description: What to look for }\n",
        "",
        "tools.yaml:59:5: prompt look: text: `{what}` is no argument, the prompt has none",
    );
    refused_prompt(
        "{ description: What to look for }",
        "{}",
        "tools.yaml:60:13: prompt look: arguments.what: missing field `description`, everything is described",
    );
    refused_prompt(
        "      what: {",
        "      the-what: {",
        "tools.yaml:60:7: prompt look: arguments: name \"the-what\" is no identifier, allowed are a-z, A-Z, 0-9 and `_` after a letter, at most 40 characters",
    );
    refused_prompt(
        "    text: Look for {what}.\n",
        "",
        "tools.yaml:56:5: prompt look: missing field `text`, a prompt has all of `name`, `title`, `description`, `text`",
    );
    refused_prompt(
        "name: look",
        "name: Look",
        "tools.yaml:56:11: prompt Look: name: \"Look\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `read_graph`, at most 40 characters",
    );
    refused_prompt(
        "    title: Look\n",
        "    titel: Look\n",
        "tools.yaml:57:5: prompt look: unknown field `titel`, expected one of `name`, `title`, `description`, `arguments`, `text`",
    );
    let again = format!("{CORRECT}{PROMPT}{}", PROMPT.replace("prompts:\n", ""));
    assert_eq!(
        Manifest::parse(&again).unwrap_err().to_string(),
        "tools.yaml:62:3: prompt look: duplicate prompt, every name is used once"
    );
}
