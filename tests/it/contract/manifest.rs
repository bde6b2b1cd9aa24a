//! A wrong `tools.yaml` stops the build and says where, which tool, what is
//! wrong and what is allowed. Each rule has the smallest edit of a correct
//! manifest that breaks it.

use super::codegen::manifest::Manifest;

pub const CORRECT: &str = r#"toolsets: [{ name: basic, title: Basic, description: All }]
instructions: ["Ask, then store."]
resource:
  uri: memory://graph
  name: graph
  title: Graph
  description: All of it.
  mimeType: application/json
types:
  Thing:
    description: A thing.
    properties:
      label: { type: string, description: What it is called }
    required: [label]
tools:
  - name: add_things
    title: Add Things
    description: Adds things.
    inputSchema:
      properties:
        things:
          type: array
          items: { type: Thing }
          description: Things to add
        limit:
          type: integer
          minimum: 1
          description: At most so many
      required: [things]
    outputSchema:
      properties:
        added: { type: boolean, description: Whether it worked }
    annotations:
      readOnlyHint: false
      destructiveHint: false
      idempotentHint: false
      openWorldHint: false
    example: { things: [] }
    toolset: basic
  - title: Read Things
    name: read_things
    description: Reads things.
    inputSchema:
      properties: {}
    outputSchema:
      properties:
        things: { type: array, items: { type: Thing }, description: All }
    annotations:
      readOnlyHint: true
      destructiveHint: false
      idempotentHint: true
      openWorldHint: false
    example: {}
    toolset: basic
"#;

/// Puts `new` where `old` first stands, and expects exactly this error.
#[track_caller]
pub fn refused(old: &str, new: &str, expected: &str) {
    assert!(CORRECT.contains(old), "{old:?} is not in the manifest");
    let text = CORRECT.replacen(old, new, 1);
    match Manifest::parse(&text) {
        Ok(_) => panic!("accepted, expected: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[test]
fn a_correct_manifest_is_read_in_order() {
    let manifest = Manifest::parse(CORRECT).unwrap();
    let tools: Vec<&str> = manifest
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(tools, ["add_things", "read_things"]);
    let things = &manifest.tools[0].input_schema.properties.0;
    let properties: Vec<&str> = things.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(properties, ["things", "limit"]);
}

#[test]
fn an_unknown_key_is_refused() {
    refused(
        "    title: Add Things\n",
        "    titel: Add Things\n",
        "tools.yaml:17:5: tool add_things: unknown field `titel`, expected one of `name`, `title`, `toolset`, `description`, `inputSchema`, `outputSchema`, `annotations`, `example`",
    );
    refused(
        "          type: integer\n",
        "          maximum: 3\n          type: integer\n",
        "tools.yaml:26:11: tool add_things: inputSchema.properties.limit: unknown field `maximum`, expected one of `type`, `description`, `enum`, `items`, `minimum`, `minItems`",
    );
    refused(
        "  mimeType: application/json\n",
        "  mime: application/json\n",
        "tools.yaml:8:3: resource: unknown field `mime`, expected one of `uri`, `name`, `title`, `description`, `mimeType`",
    );
}

#[test]
fn an_unknown_type_is_refused() {
    refused(
        "type: boolean",
        "type: bool",
        "tools.yaml:32:24: tool add_things: outputSchema.properties.added.type: unknown type `bool`, expected one of `string`, `boolean`, `integer`, `array`, `Thing`",
    );
    refused(
        "          items: { type: Thing }",
        "          items: { type: Thign }",
        "tools.yaml:23:26: tool add_things: inputSchema.properties.things.items.type: unknown type `Thign`, expected one of `string`, `boolean`, `integer`, `array`, `Thing`",
    );
    refused(
        "type: string",
        "type: object",
        "tools.yaml:13:22: type Thing: properties.label.type: unknown type `object`, expected one of `string`, `boolean`, `integer`, `array`, `Thing`",
    );
}

#[test]
fn a_contract_without_tools_is_refused() {
    let (head, _) = CORRECT.split_once("  - name: add_things").unwrap();
    for none in ["tools: []", "tools:"] {
        let text = head.replace("tools:", none);
        assert_eq!(
            Manifest::parse(&text).unwrap_err().to_string(),
            "tools.yaml:15:1: tools: no tool, a contract has at least one"
        );
    }
}

#[test]
fn a_duplicate_tool_is_refused() {
    refused(
        "name: read_things",
        "name: add_things",
        "tools.yaml:40:3: tool add_things: duplicate tool, every name is used once",
    );
}

#[test]
fn a_tool_name_that_is_no_identifier_is_refused() {
    refused(
        "name: add_things",
        "name: add-things",
        "tools.yaml:16:11: tool add-things: name: \"add-things\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `read_graph`, at most 40 characters",
    );
    refused(
        "name: add_things",
        "name: Add",
        "tools.yaml:16:11: tool Add: name: \"Add\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `read_graph`, at most 40 characters",
    );
    refused(
        "name: add_things",
        "name: add__things",
        "tools.yaml:16:11: tool add__things: name: \"add__things\" is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `read_graph`, at most 40 characters",
    );
    refused(
        "name: add_things",
        "name: self",
        "tools.yaml:16:11: tool self: name: \"self\" is no identifier, Rust reserves it",
    );
}

#[test]
fn a_missing_annotation_is_refused() {
    refused(
        "      idempotentHint: true\n",
        "",
        "tools.yaml:49:7: tool read_things: annotations: missing field `idempotentHint`, a tool says all of `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`",
    );
    refused(
        "      openWorldHint: false\n",
        "",
        "tools.yaml:34:7: tool add_things: annotations: missing field `openWorldHint`, a tool says all of `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`",
    );
}

#[test]
fn an_annotation_that_is_no_boolean_is_refused() {
    refused(
        "readOnlyHint: true",
        "readOnlyHint: yes",
        "tools.yaml:49:21: tool read_things: annotations.readOnlyHint: invalid type: string \"yes\", expected a boolean",
    );
}

#[test]
fn a_required_property_that_does_not_exist_is_refused() {
    refused(
        "required: [things]",
        "required: [thing]",
        "tools.yaml:29:18: tool add_things: inputSchema.required: no property `thing`, expected one of `things`, `limit`",
    );
    refused(
        "required: [label]",
        "required: [label, label]",
        "tools.yaml:14:23: type Thing: required: `label` stands there twice, once is enough",
    );
}

#[test]
fn a_word_of_a_list_is_found_where_it_stands() {
    refused(
        "      required: [things]",
        "      required:\n        - things\n        - limits # not things",
        "tools.yaml:31:11: tool add_things: inputSchema.required: no property `limits`, expected one of `things`, `limit`",
    );
    refused(
        "      required: [things]",
        "      required:\n      - things\n      - things",
        "tools.yaml:31:9: tool add_things: inputSchema.required: `things` stands there twice, once is enough",
    );
}

#[test]
fn an_example_that_does_not_fit_its_schema_is_refused() {
    #[track_caller]
    fn check(example: &str, expected: &str) {
        let expected = format!("tools.yaml:{expected}");
        refused(
            "    example: { things: [] }",
            &format!("    example: {example}"),
            &expected,
        );
    }
    let at = "38:5: tool add_things: example";
    check(
        "{ things: no }",
        &format!("{at}.things: expected an array, got `\"no\"`"),
    );
    check(
        "{ thing: [] }",
        &format!("{at}: missing `things`, which is required"),
    );
    check(
        "{ things: [], limits: 1 }",
        &format!("{at}.limits: no property `limits`, expected one of `things`, `limit`"),
    );
    check(
        "{ things: [], limit: 0 }",
        &format!("{at}.limit: 0, at least 1 is wanted"),
    );
    check(
        "{ things: [], limit: -1 }",
        &format!("{at}.limit: expected an integer, got `-1`"),
    );
    check(
        "{ things: [{}] }",
        &format!("{at}.things[0]: missing `label`, which is required"),
    );
    let block = "\n      things:\n        - label: A\n        - label: true";
    check(
        block,
        "41:11: tool add_things: example.things[1].label: expected a string, got `true`",
    );
    let least = CORRECT.replacen(
        "          items: { type: Thing }\n",
        "          items: { type: Thing }\n          minItems: 1\n",
        1,
    );
    let error = Manifest::parse(&least).unwrap_err().to_string();
    let expected =
        "tools.yaml:39:5: tool add_things: example.things: 0 items, at least 1 are wanted";
    assert_eq!(error, expected);
}

/// Of a text with a colon YAML makes a mapping, or nothing.
#[test]
fn a_text_with_a_colon_that_is_not_quoted_is_refused_with_the_remedy() {
    let remedy = "a text with a colon and a blank in it: quote it or use >-";
    refused(
        "description: Adds things.",
        "description: Adds: things.",
        &format!(
            "tools.yaml:18:22: tool add_things: mapping values are not allowed in this context, {remedy}"
        ),
    );
    refused(
        "description: What it is called }",
        "description: What: it is called }",
        &format!("tools.yaml:13:47: type Thing: did not find expected ',' or '}}', {remedy}"),
    );
    refused(
        "[\"Ask, then store.\"]",
        "\n  - Ask: then store.",
        &format!("tools.yaml:3:5: instructions: invalid type: map, expected a text, {remedy}"),
    );
}

#[test]
fn a_tool_that_is_read_only_and_destructive_is_refused() {
    refused(
        "readOnlyHint: true\n      destructiveHint: false",
        "readOnlyHint: true\n      destructiveHint: true",
        "tools.yaml:48:5: tool read_things: annotations: readOnlyHint and destructiveHint are both true, at most one can be",
    );
}

#[test]
fn a_parameter_without_description_is_refused() {
    refused(
        "          description: Things to add\n",
        "",
        "tools.yaml:22:11: tool add_things: inputSchema.properties.things: missing field `description`, everything is described",
    );
    refused(
        "description: Things to add",
        "description: ' '",
        "tools.yaml:24:24: tool add_things: inputSchema.properties.things.description: an empty text, say something",
    );
    refused(
        ", description: What it is called",
        "",
        "tools.yaml:13:14: type Thing: properties.label: missing field `description`, everything is described",
    );
}

#[test]
fn a_missing_part_of_a_tool_is_refused() {
    refused(
        "    description: Reads things.\n",
        "",
        "tools.yaml:40:5: tool read_things: missing field `description`, everything is described",
    );
    refused(
        "    example: {}\n",
        "",
        "tools.yaml:40:5: tool read_things: missing field `example`, a tool has all of `name`, `title`, `toolset`, `description`, `inputSchema`, `outputSchema`, `annotations`, `example`",
    );
    refused(
        "    name: read_things\n",
        "",
        "tools.yaml:40:5: tool without a name: missing field `name`, a tool has all of `name`, `title`, `toolset`, `description`, `inputSchema`, `outputSchema`, `annotations`, `example`",
    );
    refused(
        "    example: { things: [] }",
        "    example: []",
        "tools.yaml:38:5: tool add_things: example: not an object, a minimal correct argument object is wanted",
    );
}

#[test]
fn a_word_that_does_not_fit_the_type_is_refused() {
    refused(
        "          items: { type: Thing }\n",
        "",
        "tools.yaml:21:9: tool add_things: inputSchema.properties.things: an array has `items`, such as `items: { type: string }`",
    );
    refused(
        "minimum: 1",
        "minimum: 1\n          minItems: 1",
        "tools.yaml:25:9: tool add_things: inputSchema.properties.limit: `minItems` is for type array",
    );
    refused(
        "type: integer",
        "type: string",
        "tools.yaml:25:9: tool add_things: inputSchema.properties.limit: `minimum` is for type integer",
    );
    refused(
        "minimum: 1",
        "minimum: 1\n          items: { type: string }",
        "tools.yaml:25:9: tool add_things: inputSchema.properties.limit: `items` is for type array",
    );
    refused(
        "items: { type: Thing }",
        "items: { type: array }",
        "tools.yaml:21:9: tool add_things: inputSchema.properties.things: an array has `items`, such as `items: { type: string }`",
    );
    refused(
        "minimum: 1",
        "minimum: -1",
        "tools.yaml:27:20: tool add_things: inputSchema.properties.limit.minimum: invalid type: integer `-1`, expected u64",
    );
}

#[test]
fn a_property_that_is_no_mapping_is_refused() {
    refused(
        "label: { type: string, description: What it is called }",
        "label: string",
        "tools.yaml:13:14: type Thing: properties.label: invalid type: string \"string\", expected a mapping of `type`, `description` and what the type needs",
    );
}

#[test]
fn an_integer_without_minimum_is_refused() {
    refused(
        "          minimum: 1\n",
        "",
        "tools.yaml:25:9: tool add_things: inputSchema.properties.limit: an integer has a `minimum`, 0 or more, because its Rust type is u64",
    );
}

#[test]
fn a_property_name_that_is_no_identifier_is_refused() {
    refused(
        "label: {",
        "the-label: {",
        "tools.yaml:13:7: type Thing: properties: name \"the-label\" is no identifier, allowed are a-z, A-Z, 0-9 and `_` after a letter, at most 40 characters",
    );
    refused(
        "        limit:\n",
        "        things:\n",
        "tools.yaml:21:9: tool add_things: inputSchema.properties: duplicate name `things`, every name is used once",
    );
    refused(
        "        limit:\n",
        "        Things:\n",
        "tools.yaml:25:9: tool add_things: inputSchema.properties.Things: would be the Rust field `things`, as `things` is, rename one",
    );
}

#[test]
fn a_shared_type_that_cannot_be_generated_is_refused() {
    refused(
        "  Thing:\n",
        "  Other_thing: { description: x, properties: {} }\n  Thing:\n",
        "tools.yaml:10:3: type Other_thing: a type's name is in pascal case, such as `Entity`",
    );
    refused(
        "  Thing:\n",
        "  Tools: { description: x, properties: {} }\n  Thing:\n",
        "tools.yaml:10:3: type Tools: the generated code already has something of this name, choose another",
    );
    refused(
        "  Thing:\n",
        "  AddThingsResult: { description: x, properties: {} }\n  Thing:\n",
        "tools.yaml:10:3: type AddThingsResult: the generated code already has something of this name, choose another",
    );
    refused(
        "    description: A thing.\n",
        "",
        "tools.yaml:10:3: type Thing: missing field `description`, every shared type is described",
    );
    refused(
        "type: string",
        "type: Thing",
        "tools.yaml:10:3: type Thing: the type contains itself, published schemas are inlined and cannot",
    );
    refused(
        "types:\n",
        "types:\n  Other: { description: Unused, properties: {} }\n",
        "tools.yaml:10:3: type Other: no tool uses the type, delete it",
    );
}

#[test]
fn a_text_that_is_no_yaml_is_refused() {
    refused(
        "title: Graph",
        "title: Graph: all",
        "tools.yaml:6:15: resource: mapping values are not allowed in this context, a text with a colon and a blank in it: quote it or use >-",
    );
    refused(
        "tools:\n",
        "tool:\n",
        "tools.yaml:15:1: tool: unknown field `tool`, expected one of `instructions`, `toolsets`, `resource`, `types`, `tools`, `prompts`",
    );
}

#[test]
fn a_file_that_is_no_mapping_is_refused_at_its_start() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(Manifest::parse(text).unwrap_err().to_string(), expected);
    }
    check("", "tools.yaml:1:1: the file: missing field `instructions`");
    check(
        "- a\n",
        "tools.yaml:1:1: the file: invalid type: sequence, expected a mapping such as tools.yaml is",
    );
    check(
        "tools:\n  a: b\n",
        "tools.yaml:2:3: tools: invalid type: map, expected a sequence",
    );
}

#[test]
fn a_tool_is_named_however_its_name_is_written() {
    for name in [
        "\"read_things\"",
        "'read_things'",
        "read_things # a comment",
    ] {
        let text = CORRECT.replace("name: read_things", &format!("name: {name}"));
        let text = text.replace("description: Reads things.", "descriptoin: Reads things.");
        let error = Manifest::parse(&text).unwrap_err().to_string();
        let start = "tools.yaml:42:5: tool read_things: unknown field `descriptoin`";
        assert!(error.starts_with(start), "{error}");
    }
}
