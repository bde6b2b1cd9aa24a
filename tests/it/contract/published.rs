//! The contract holds together: the generated files are the committed ones,
//! the Rust types say what the published schemas say, and the whole table keeps
//! the rules that clients need. How ours differs from the reference is in
//! `differences.rs`; that the running server sends these very bytes is
//! tested where the wire is.

use mcp_memory::tools::*;
use schemars::schema_for;
use serde_json::{Map, Value, json};

use super::{committed, difference, formatted, listed, name, tools};

// --- The committed copies -------------------------------------------------

#[test]
fn the_generated_rust_is_the_committed_copy() {
    let generated = include_str!(concat!(env!("OUT_DIR"), "/tools.rs"));
    committed("tools.rs", &formatted(generated));
}

#[test]
fn the_published_tools_list_is_the_committed_copy() {
    let served = listed(&Served::default());
    let pretty = serde_json::to_string_pretty(&json!({"tools": served})).unwrap();
    committed("tools_list.json", &format!("{pretty}\n"));
}

#[test]
fn the_published_tools_list_of_every_other_toolset_is_the_committed_copy() {
    for set in Toolset::ALL.iter().filter(|set| **set != Toolset::DEFAULT) {
        let served = listed(&Served::of(&[*set], false));
        let pretty = serde_json::to_string_pretty(&json!({"tools": served})).unwrap();
        committed(
            &format!("tools_list.{}.json", set.name()),
            &format!("{pretty}\n"),
        );
    }
}

#[test]
fn the_published_tools_list_is_one_line_under_14_kib() {
    let list = Served::default().list();
    assert!(!list.contains('\n'));
    let size = list.len();
    assert!(
        size < 14 * 1024,
        "tools/list has {size} bytes, shorten descriptions in tools.yaml"
    );
}

#[test]
fn a_difference_shows_the_lines_that_changed_and_few_others() {
    let old: String = (0..30).map(|number| format!("{number}\n")).collect();
    let new = old.replace("3\n4\n", "3\nfour\n").replace("25\n", "");
    assert_eq!(
        difference(&old, &new),
        "@@ -3,5 +3,5 @@\n 2\n 3\n-4\n+four\n 5\n 6\n\
         @@ -24,5 +24,4 @@\n 23\n 24\n-25\n 26\n 27\n"
    );
}

// --- The types ------------------------------------------------------------

#[test]
fn the_types_say_what_the_published_schemas_say() {
    let schemas = include!(concat!(env!("OUT_DIR"), "/type_schemas.rs"));
    assert_eq!(schemas.len(), Tool::ALL.len());
    for (tool, request, result) in schemas {
        for (what, published, derived) in [
            ("Request", tool.input_schema(), request.to_value()),
            ("Result", tool.output_schema(), result.to_value()),
        ] {
            let published: Value = serde_json::from_str(published).unwrap();
            assert_eq!(
                structure(&derived, &derived["$defs"]),
                structure(&published, &Value::Null),
                "{}'s {what} (left) and its published schema (right)",
                tool.name()
            );
        }
    }
}

/// What a schema says about the shape: references inlined, the null that
/// schemars adds to an `Option` taken away (we publish optional properties,
/// and validate takes null for absent), texts and formats left out.
fn structure(schema: &Value, definitions: &Value) -> Value {
    let Value::Object(schema) = schema else {
        panic!("no schema: {schema}");
    };
    if let Some(Value::String(reference)) = schema.get("$ref") {
        let name = reference
            .strip_prefix("#/$defs/")
            .expect("schemars refers to $defs");
        return structure(&definitions[name], definitions);
    }
    if let Some(Value::Array(either)) = schema.get("anyOf") {
        let [some, null] = &either[..] else {
            panic!("more than an Option: {either:?}");
        };
        assert_eq!(null["type"], "null");
        return structure(some, definitions);
    }
    let mut kept = Map::new();
    for (word, value) in schema {
        let value = match word.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" | "additionalProperties" => {
                continue;
            }
            "type" => match value.as_array().map(Vec::as_slice) {
                Some([some, null]) if null == "null" => some.clone(),
                _ => value.clone(),
            },
            "properties" => {
                let properties = value.as_object().unwrap().iter();
                let inlined =
                    properties.map(|(name, own)| (name.clone(), structure(own, definitions)));
                Value::Object(inlined.collect())
            }
            "items" => structure(value, definitions),
            "required" => {
                let mut names = value.as_array().unwrap().clone();
                names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                Value::Array(names)
            }
            _ => value.clone(),
        };
        kept.insert(word.clone(), value);
    }
    // schemars leaves the word out where a struct has no fields.
    if kept.get("type").is_some_and(|kind| kind == "object") {
        kept.entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    Value::Object(kept)
}

#[test]
fn a_tool_s_own_schemas_are_those_in_the_list() {
    for (tool, listed) in Tool::ALL.iter().zip(tools()) {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(tool.name(), listed["name"]);
        assert_eq!(tool.title(), listed["title"]);
        assert_eq!(json(tool.input_schema()), listed["inputSchema"]);
        assert_eq!(json(tool.output_schema()), listed["outputSchema"]);
    }
}

// --- The rules that clients need ------------------------------------------

/// Visits every schema in a schema, each with its path.
fn each_schema(path: &str, schema: &Value, visit: &mut dyn FnMut(&str, &Map<String, Value>)) {
    let object = schema
        .as_object()
        .unwrap_or_else(|| panic!("{path}: no schema: {schema}"));
    visit(path, object);
    for (name, own) in object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        each_schema(&format!("{path}.{name}"), own, visit);
    }
    if let Some(items) = object.get("items") {
        each_schema(&format!("{path}[]"), items, visit);
    }
}

fn each_schema_of_every_tool(side: &str, visit: &mut dyn FnMut(&str, &Map<String, Value>)) {
    for tool in tools() {
        each_schema(&format!("{}.{side}", name(&tool)), &tool[side], visit);
    }
}

#[test]
fn schemas_use_only_words_that_every_client_takes() {
    let allowed = [
        "type",
        "description",
        "properties",
        "required",
        "items",
        "minItems",
        "minimum",
        "enum",
        "additionalProperties",
    ];
    let kinds = ["object", "array", "string", "integer", "boolean"];
    for side in ["inputSchema", "outputSchema"] {
        each_schema_of_every_tool(side, &mut |path, schema| {
            for word in schema.keys() {
                assert!(allowed.contains(&word.as_str()), "{path} says {word}");
            }
            let kind = schema["type"]
                .as_str()
                .unwrap_or_else(|| panic!("{path}: no single type"));
            assert!(kinds.contains(&kind), "{path} is a {kind}");
        });
    }
}

#[test]
fn an_object_s_properties_are_an_object_and_contain_the_required() {
    for side in ["inputSchema", "outputSchema"] {
        each_schema_of_every_tool(side, &mut |path, schema| {
            if schema["type"] == "object" {
                let properties = schema["properties"].as_object().expect(path);
                for name in schema
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    assert!(
                        properties.contains_key(name.as_str().unwrap()),
                        "{path}: {name}"
                    );
                }
            }
        });
    }
}

#[test]
fn every_array_has_typed_items() {
    for side in ["inputSchema", "outputSchema"] {
        each_schema_of_every_tool(side, &mut |path, schema| {
            if schema["type"] == "array" {
                assert!(schema["items"]["type"].is_string(), "{path}");
            }
        });
    }
}

#[test]
fn arguments_are_open_and_results_are_closed() {
    each_schema_of_every_tool("inputSchema", &mut |path, schema| {
        assert!(!schema.contains_key("additionalProperties"), "{path}");
    });
    each_schema_of_every_tool("outputSchema", &mut |path, schema| {
        if schema["type"] == "object" {
            assert_eq!(
                schema.get("additionalProperties"),
                Some(&Value::Bool(false)),
                "{path}"
            );
        }
    });
}

#[test]
fn every_argument_is_described_at_every_depth() {
    each_schema_of_every_tool("inputSchema", &mut |path, schema| {
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let description = property["description"].as_str().unwrap_or("");
            assert!(!description.trim().is_empty(), "{path}.{name}");
        }
    });
}

#[test]
fn a_tool_has_its_six_members_in_the_protocol_s_order() {
    for tool in tools() {
        let members: Vec<&String> = tool.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "name",
                "title",
                "description",
                "inputSchema",
                "annotations",
                "outputSchema"
            ]
        );
        assert!(!tool["description"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_tool_s_name_fits_64_characters_behind_a_client_s_prefix() {
    // The longest usual one, for a server configured under the longest name
    // that we suggest or that people had for the reference.
    let prefix = "mcp__knowledge-graph-memory__";
    for tool in Tool::ALL {
        let prefixed = format!("{prefix}{}", tool.name());
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!(prefixed.chars().all(allowed), "{prefixed}");
        assert!(prefixed.len() <= 64, "{prefixed}");
    }
}

#[test]
fn every_text_keeps_to_what_clients_show_and_models_read() {
    // Clients cut instructions at 2 KiB and refuse descriptions of tools over
    // 1,024 characters; every session pays for each byte.
    let longest = |what: &str, text: &str, limit: usize| {
        let length = text.chars().count();
        assert!(
            length <= limit,
            "{what} has {length} characters, at most {limit}"
        );
    };
    longest("instructions", &Served::default().instructions(), 1024);
    longest("the resource's description", RESOURCE.description, 256);
    for tool in tools() {
        longest(&name(&tool), tool["description"].as_str().unwrap(), 512);
        longest(
            &format!("{} as a whole", name(&tool)),
            &tool.to_string(),
            2048,
        );
    }
    each_schema_of_every_tool("inputSchema", &mut |path, schema| {
        if let Some(text) = schema.get("description") {
            longest(path, text.as_str().unwrap(), 160);
        }
    });
}

#[test]
fn a_tool_changes_the_graph_exactly_when_it_is_not_read_only() {
    for (tool, listed) in Tool::ALL.iter().zip(tools()) {
        assert_eq!(listed["annotations"]["readOnlyHint"], !tool.changes_graph());
    }
    let changing = |name| Served::all().find(name).map(Tool::changes_graph);
    assert_eq!(changing("create_entities"), Some(true));
    assert_eq!(changing("delete_relations"), Some(true));
    assert_eq!(changing("read_graph"), Some(false));
}

#[test]
fn a_destructive_tool_is_never_read_only_and_none_leaves_the_file() {
    for tool in tools() {
        let annotations = &tool["annotations"];
        let both = annotations["readOnlyHint"] == true && annotations["destructiveHint"] == true;
        assert!(!both, "{tool}");
        assert_eq!(annotations["openWorldHint"], false, "{tool}");
    }
}

#[test]
fn a_tool_is_found_by_its_exact_name_only() {
    for tool in Tool::ALL {
        assert_eq!(Served::all().find(tool.name()), Some(*tool));
    }
    for name in ["", "Read_graph", "read_graph ", "readGraph"] {
        assert_eq!(Served::all().find(name), None, "{name:?}");
    }
}

#[test]
fn an_example_is_a_minimal_correct_argument_object() {
    for tool in Tool::ALL {
        let schema: Value = serde_json::from_str(tool.input_schema()).unwrap();
        let example: Value = serde_json::from_str(tool.example()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&example)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{}: {errors:?}", tool.name());
        let required = schema.get("required").and_then(Value::as_array);
        for argument in example.as_object().unwrap().keys() {
            let needed = required.is_some_and(|names| names.iter().any(|name| name == argument));
            assert!(needed, "{}: {argument} could be left out", tool.name());
        }
    }
}

#[test]
fn texts_for_a_model_name_only_tools_that_exist() {
    let served = Served::all();
    let description = RESOURCE.description.to_owned();
    let mut texts = vec![served.instructions(), description, served.list()];
    texts.extend(PROMPTS.iter().map(|prompt| prompt.text.to_owned()));
    let nouns = ["entities", "relations", "observations", "graph", "nodes"];
    for text in texts {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if let Some((_, noun)) = word.split_once('_')
                && nouns.contains(&noun)
            {
                assert!(served.find(word).is_some(), "{word} is no tool");
            }
        }
    }
}

#[test]
fn the_resource_is_the_reference_s() {
    assert_eq!(RESOURCE.uri, "memory://knowledge-graph");
    assert_eq!(RESOURCE.name, "knowledge-graph");
    assert_eq!(RESOURCE.mime_type, "application/json");
}
