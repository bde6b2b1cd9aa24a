//! The published JSON: a tool in `tools/list`, with every shared type inlined. Which
//! words a schema may contain is the manifest's business.

use serde_json::{Map, Value, json};

use super::manifest::{Items, Manifest, Object, Property, Tool};

/// Where a schema stands. Arguments are described for the model that fills
/// them in and are open; results say their structure only, closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

/// What `tools/list` says of a tool.
pub fn listed(manifest: &Manifest, tool: &Tool) -> Value {
    let annotations = &tool.annotations;
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description.trim(),
        "inputSchema": input_schema(manifest, tool),
        "annotations": {
            "readOnlyHint": annotations.read_only_hint,
            "destructiveHint": annotations.destructive_hint,
            "idempotentHint": annotations.idempotent_hint,
            "openWorldHint": annotations.open_world_hint,
        },
        "outputSchema": output_schema(manifest, tool),
    })
}

/// The schema of a tool's arguments.
pub fn input_schema(manifest: &Manifest, tool: &Tool) -> Value {
    object(manifest, &tool.input_schema, Side::Input, None)
}

/// The schema of a tool's structuredContent.
pub fn output_schema(manifest: &Manifest, tool: &Tool) -> Value {
    object(manifest, &tool.output_schema, Side::Output, None)
}

fn object(manifest: &Manifest, object: &Object, side: Side, description: Option<&str>) -> Value {
    let mut properties = Map::new();
    for (name, own) in &object.properties.0 {
        properties.insert(name.clone(), property(manifest, own, side));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    if let Some(description) = description {
        schema.insert("description".to_owned(), json!(description));
    }
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !object.required.is_empty() {
        schema.insert("required".to_owned(), json!(object.required));
    }
    if side == Side::Output {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(schema)
}

fn property(manifest: &Manifest, property: &Property, side: Side) -> Value {
    let description = (side == Side::Input).then(|| property.description.trim());
    let mut schema = typed(
        manifest,
        &property.kind,
        property.items.as_ref(),
        side,
        description,
    );
    if let Value::Object(schema) = &mut schema {
        let limits = [
            ("minItems", property.min_items),
            ("minimum", property.minimum),
        ];
        if !property.values.is_empty() {
            schema.insert("enum".to_owned(), json!(property.values));
        }
        for (word, limit) in limits {
            if let Some(limit) = limit {
                schema.insert(word.to_owned(), json!(limit));
            }
        }
    }
    schema
}

fn typed(
    manifest: &Manifest,
    kind: &str,
    items: Option<&Items>,
    side: Side,
    description: Option<&str>,
) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!(kind));
    if let Some(description) = description {
        schema.insert("description".to_owned(), json!(description));
    }
    match (kind, items) {
        ("string" | "boolean" | "integer", _) => {}
        ("array", Some(Items { kind, items })) => {
            let items = typed(manifest, kind, items.as_deref(), side, None);
            schema.insert("items".to_owned(), items);
        }
        ("array", None) => unreachable!("the manifest's arrays were checked to have items"),
        (shared, _) => return object(manifest, manifest.shared(shared), side, description),
    }
    Value::Object(schema)
}
