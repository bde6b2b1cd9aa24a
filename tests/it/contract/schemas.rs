//! Our input schemas through what stands between a client and a model: the
//! strict form that OpenAI's function calling asks for, and the subset of
//! OpenAPI that Gemini's accepts. Both rule sets are written down here from
//! their public documentation; that our own rules hold is published.rs's.

use std::collections::BTreeSet;

use mcp_memory::tools::{Served, validate};
use serde_json::{Map, Value, json};

use super::{name, tools};
use crate::support::random::Random;

#[test]
fn every_input_schema_has_an_openai_strict_form() {
    for tool in tools() {
        let strict = openai_strict(&tool["inputSchema"]);
        let mut complaints = Vec::new();
        openai_complaints(&name(&tool), &strict, &mut complaints);
        assert!(complaints.is_empty(), "{complaints:#?}\n{strict:#}");
    }
}

#[test]
fn what_the_strict_form_admits_passes_ours_once_nulls_are_dropped() {
    let mut random = Random::new(1);
    for tool in tools() {
        let ours = Served::all().find(&name(&tool)).unwrap();
        let strict = openai_strict(&tool["inputSchema"]);
        let admits = jsonschema::validator_for(&strict).unwrap();
        for _ in 0..300 {
            let mut value = admitted(&strict, &mut random);
            assert!(admits.is_valid(&value), "the generator is wrong: {value}");
            drop_nulls(&mut value);
            let arguments = value.as_object().unwrap().clone();
            match validate::arguments(ours, Some(arguments)) {
                Ok(taken) => assert_eq!(taken, value, "{}", name(&tool)),
                Err(error) => panic!("{}: {value}\n{error}", name(&tool)),
            }
        }
    }
}

/// Some clients do not drop them: an optional property that is null counts as
/// absent.
#[test]
fn what_the_strict_form_admits_passes_ours_with_its_nulls() {
    let mut random = Random::new(2);
    for tool in tools() {
        let ours = Served::all().find(&name(&tool)).unwrap();
        let strict = openai_strict(&tool["inputSchema"]);
        for _ in 0..100 {
            let value = admitted(&strict, &mut random);
            let arguments = value.as_object().unwrap().clone();
            if let Err(error) = validate::arguments(ours, Some(arguments)) {
                panic!("{}: {value}\n{error}", name(&tool));
            }
        }
    }
}

#[test]
fn every_tool_is_a_gemini_function_declaration() {
    for tool in tools() {
        let mut complaints = Vec::new();
        gemini_complaints(&tool, &mut complaints);
        assert!(complaints.is_empty(), "{complaints:#?}");
    }
}

#[test]
fn the_rule_sets_see_what_they_are_for() {
    let object = |property: Value| json!({"type": "object", "properties": {"p": property}});
    for bad in [
        object(json!({"type": ["string", "null"]})),
        object(json!({"type": "array"})),
        object(json!({"type": "object", "properties": {}})),
        object(json!({"type": "object"})),
        object(json!({"$ref": "#/$defs/x"})),
        object(json!({"type": "string", "const": "x"})),
        object(json!({"type": "integer", "enum": [1]})),
        object(json!({"type": "string", "format": "uri"})),
        object(json!({"type": "string", "anyOf": [{"type": "string"}]})),
        object(json!({"type": "integer", "exclusiveMinimum": 0})),
        json!({"type": "object", "properties": {"p": {"type": "string"}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"p": {"type": "string"}}, "$schema": "x"}),
        json!({"type": "object", "properties": {"p": {"type": "string"}}, "required": ["q"]}),
        json!({"type": "object", "properties": {"a b": {"type": "string"}}}),
        json!({"type": "string"}),
    ] {
        let mut complaints = Vec::new();
        gemini_complaints(
            &json!({"name": "f", "description": "d", "inputSchema": bad}),
            &mut complaints,
        );
        assert!(!complaints.is_empty(), "Gemini's rules take {bad}");
    }
    for bad in [
        object(json!({"type": "string"})),
        json!({"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]}),
        json!({"type": "object", "properties": {"p": {"type": "string", "default": "x"}}, "required": ["p"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"p": {"type": "array"}}, "required": ["p"], "additionalProperties": false}),
        json!({"type": "string"}),
    ] {
        let mut complaints = Vec::new();
        openai_complaints("f", &bad, &mut complaints);
        assert!(!complaints.is_empty(), "OpenAI's rules take {bad}");
    }
}

/// The strict form of a schema, as client libraries make it: every property
/// required, optional ones nullable, no further properties.
fn openai_strict(schema: &Value) -> Value {
    let mut strict = schema.clone();
    if let Some(properties) = strict.get_mut("properties").and_then(Value::as_object_mut) {
        let required: BTreeSet<String> =
            serde_json::from_value(schema["required"].clone()).unwrap_or_default();
        for (name, property) in properties.iter_mut() {
            *property = openai_strict(property);
            if !required.contains(name) {
                property["type"] = json!([property["type"], "null"]);
                if let Some(Value::Array(values)) = property.get_mut("enum") {
                    values.push(Value::Null);
                }
            }
        }
        let all: Vec<String> = properties.keys().cloned().collect();
        strict["required"] = json!(all);
        strict["additionalProperties"] = json!(false);
    }
    if strict["items"].is_object() {
        strict["items"] = openai_strict(&schema["items"]);
    }
    strict
}

/// What OpenAI's strict mode refuses in a schema.
fn openai_complaints(path: &str, schema: &Value, complaints: &mut Vec<String>) {
    const WORDS: [&str; 11] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
    ];
    let schema = schema.as_object().expect("a schema is an object");
    let mut complain = |what: String| complaints.push(format!("{path}: {what}"));
    for word in schema.keys().filter(|word| !WORDS.contains(&word.as_str())) {
        complain(format!("{word} is not supported"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    // One type, or one and null; the root is an object.
    let types: Vec<&str> = types.into_iter().filter(|name| *name != "null").collect();
    if types.len() != 1 {
        complain(format!("types {types:?}"));
    }
    if !path.contains('.') && types != ["object"] {
        complain("the root is no object".to_owned());
    }
    if types == ["object"] {
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let names: Vec<Value> = properties.keys().map(|name| json!(name)).collect();
        if schema.get("required") != Some(&json!(names)) {
            complain("not every property is required".to_owned());
        }
        if schema.get("additionalProperties") != Some(&json!(false)) {
            complain("additionalProperties is not false".to_owned());
        }
        for (name, property) in &properties {
            openai_complaints(&format!("{path}.{name}"), property, complaints);
        }
    } else if types == ["array"] {
        match schema.get("items") {
            Some(items) => openai_complaints(&format!("{path}.[]"), items, complaints),
            None => complain("an array without items".to_owned()),
        }
    }
}

/// What Gemini refuses in a function declaration.
fn gemini_complaints(tool: &Value, complaints: &mut Vec<String>) {
    let name = name(tool);
    if !is_gemini_name(&name) {
        complaints.push(format!("{name}: the name"));
    }
    if tool["description"].as_str().is_none_or(str::is_empty) {
        complaints.push(format!("{name}: no description"));
    }
    if tool["inputSchema"]["type"] != "object" {
        complaints.push(format!("{name}: the parameters are no object"));
    }
    // Parameters may be left out, and of a tool that has none they are: an object
    // without properties is refused.
    let has_none = |properties: &Map<String, Value>| properties.is_empty();
    if !tool["inputSchema"]["properties"]
        .as_object()
        .is_some_and(has_none)
    {
        gemini_schema_complaints(&name, &tool["inputSchema"], complaints);
    }
}

fn gemini_schema_complaints(path: &str, schema: &Value, complaints: &mut Vec<String>) {
    const WORDS: [&str; 13] = [
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "minimum",
        "maximum",
    ];
    let schema = schema.as_object().expect("a schema is an object");
    let mut complain = |what: String| complaints.push(format!("{path}: {what}"));
    for word in schema.keys().filter(|word| !WORDS.contains(&word.as_str())) {
        complain(format!("{word} is not known"));
    }
    if let Some(values) = schema.get("enum")
        && (schema["type"] != "string"
            || !values
                .as_array()
                .is_some_and(|values| values.iter().all(Value::is_string)))
    {
        complain("an enum of other things than strings".to_owned());
    }
    let format = schema.get("format").and_then(Value::as_str);
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let properties = schema
                .get("properties")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            if properties.is_empty() {
                complain("an object without properties".to_owned());
            }
            for required in schema
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                if !properties.contains_key(required.as_str().unwrap_or_default()) {
                    complain(format!("{required} is required and no property"));
                }
            }
            for (name, property) in &properties {
                if !is_gemini_name(name) {
                    complaints.push(format!("{path}: the name {name:?}"));
                }
                gemini_schema_complaints(&format!("{path}.{name}"), property, complaints);
            }
        }
        Some("array") => match schema.get("items") {
            Some(items) => gemini_schema_complaints(&format!("{path}[]"), items, complaints),
            None => complain("an array without items".to_owned()),
        },
        Some("string") if matches!(format, None | Some("enum" | "date-time")) => {}
        Some("integer") if matches!(format, None | Some("int32" | "int64")) => {}
        Some("number") if matches!(format, None | Some("float" | "double")) => {}
        Some("boolean") if format.is_none() => {}
        other => complain(format!("type {other:?}, format {format:?}")),
    }
}

/// A letter or underscore, then letters, digits, underscores, dots, dashes; 64
/// at most.
fn is_gemini_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}

/// A value that the strict form admits.
fn admitted(schema: &Value, random: &mut Random) -> Value {
    let kind = match &schema["type"] {
        Value::Array(_) if random.percent(40) => return Value::Null,
        Value::Array(types) => types[0].as_str(),
        one => one.as_str(),
    };
    match kind.unwrap() {
        "object" => {
            let properties = schema["properties"].as_object().unwrap();
            let fill =
                |(name, property): (&String, &Value)| (name.clone(), admitted(property, random));
            Value::Object(properties.iter().map(fill).collect::<Map<String, Value>>())
        }
        "array" => {
            let length = schema["minItems"].as_u64().unwrap_or(0) as usize + random.below(4);
            json!(random.list(length, |random| admitted(&schema["items"], random)))
        }
        "integer" => json!(schema["minimum"].as_i64().unwrap_or(-5) + random.below(1000) as i64),
        "string" if schema["enum"].is_array() => {
            let values = schema["enum"].as_array().unwrap().iter();
            let values: Vec<&Value> = values.filter(|value| value.is_string()).collect();
            (*random.pick(&values)).clone()
        }
        "string" => json!(random.pick(&[
            "",
            "Ada",
            "[1]",
            "{}",
            "null",
            "12",
            "two\nlines",
            "\u{1f98a}"
        ])),
        other => panic!("a generator for {other} is missing"),
    }
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}
