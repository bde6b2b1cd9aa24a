//! Reads `tools.yaml` and refuses a wrong one. An error says
//! `tools.yaml:LINE:COLUMN:`, the tool, what is wrong and what is allowed; how
//! serde_yaml's errors become that is left to `error.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::{Error, Outline};
use super::manifest::{Items, Manifest, Object, Tool};
use super::names::{pascal, snake};
use super::values::{quoted, set_known_types};

impl Manifest {
    /// Reads and checks the text of `tools.yaml`.
    pub fn parse(text: &str) -> Result<Manifest, Error> {
        let outline = Outline::of(text);
        let names: TypeNames =
            serde_yaml::from_str(text).map_err(|error| outline.explain(&error))?;
        set_known_types(names.types.into_keys().collect());
        let manifest: Manifest =
            serde_yaml::from_str(text).map_err(|error| outline.explain(&error))?;
        manifest
            .check()
            .map_err(|(owner, message)| outline.error(&owner, &message))?;
        Ok(manifest)
    }

    /// The rules that need two places. An error names its owner, as the
    /// outline labels it.
    fn check(&self) -> Result<(), (String, String)> {
        if self.tools.is_empty() {
            let message = "no tool, a contract has at least one".to_owned();
            return Err(("tools".to_owned(), message));
        }
        for (name, object) in &self.types.0 {
            let owner = format!("type {name}");
            self.check_type(name, object)
                .and_then(|()| check_object(object))
                .map_err(|message| (owner, message))?;
        }
        for (at, tool) in self.tools.iter().enumerate() {
            let owner = format!("tool {}", tool.name);
            if self.tools[..at]
                .iter()
                .any(|earlier| earlier.name == tool.name)
            {
                let message = "duplicate tool, every name is used once";
                return Err((owner, message.to_owned()));
            }
            check_tool(tool).map_err(|message| (owner, message))?;
        }
        Ok(())
    }

    fn check_type(&self, name: &str, object: &Object) -> Result<(), String> {
        let of_a_tool = |tool: &Tool| {
            let pascal = pascal(&tool.name);
            name.strip_prefix(pascal.as_str())
                .is_some_and(|rest| rest == "Request" || rest == "Result")
        };
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('_') {
            Err("a type's name is in pascal case, such as `Entity`".to_owned())
        } else if TAKEN.contains(&name) || self.tools.iter().any(of_a_tool) {
            Err("the generated code already has something of this name, choose another".to_owned())
        } else if object.description.is_none() {
            Err("missing field `description`, every shared type is described".to_owned())
        } else if self.reaches(object, name) {
            Err("the type contains itself, published schemas are inlined and cannot".to_owned())
        } else if !self.is_used(name) {
            Err("no tool uses the type, delete it".to_owned())
        } else {
            Ok(())
        }
    }

    /// Whether an object holds the shared type, at any depth.
    fn reaches(&self, object: &Object, name: &str) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut todo: Vec<&str> = kinds(object).collect();
        while let Some(kind) = todo.pop() {
            if kind == name {
                return true;
            }
            if !seen.contains(&kind) {
                seen.push(kind);
                todo.extend(self.types.get(kind).into_iter().flat_map(kinds));
            }
        }
        false
    }

    fn is_used(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| {
            self.reaches(&tool.input_schema, name) || self.reaches(&tool.output_schema, name)
        })
    }
}

fn check_tool(tool: &Tool) -> Result<(), String> {
    check_object(&tool.input_schema).map_err(|message| format!("inputSchema.{message}"))?;
    check_object(&tool.output_schema).map_err(|message| format!("outputSchema.{message}"))?;
    if tool.annotations.read_only_hint && tool.annotations.destructive_hint {
        return Err(
            "annotations: readOnlyHint and destructiveHint are both true, at most one can be"
                .to_owned(),
        );
    }
    if !tool.example.is_object() {
        return Err(
            "example: not an object, a minimal correct argument object is wanted".to_owned(),
        );
    }
    Ok(())
}

fn check_object(object: &Object) -> Result<(), String> {
    let names: Vec<&str> = object
        .properties
        .0
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    for (at, required) in object.required.iter().enumerate() {
        if !names.contains(&required.as_str()) {
            return Err(format!(
                "required: no property `{required}`, expected one of {}",
                quoted(&names)
            ));
        }
        if object.required[..at].contains(required) {
            return Err(format!(
                "required: `{required}` stands there twice, once is enough"
            ));
        }
    }
    for (at, name) in names.iter().enumerate() {
        let field = snake(name);
        if let Some(other) = names[..at].iter().find(|other| snake(other) == field) {
            return Err(format!(
                "properties: `{other}` and `{name}` would both be the Rust field `{field}`, rename one"
            ));
        }
    }
    for (name, property) in &object.properties.0 {
        let array = property.kind == "array";
        let integer = property.kind == "integer";
        let wrong = if !array && property.items.is_some() {
            Some("`items` is for type array")
        } else if !array && property.min_items.is_some() {
            Some("`minItems` is for type array")
        } else if !integer && property.minimum.is_some() {
            Some("`minimum` is for type integer")
        } else if integer && property.minimum.is_none() {
            Some("an integer has a `minimum`, 0 or more, because its Rust type is u64")
        } else if array {
            check_items(property.items.as_ref())
        } else {
            None
        };
        if let Some(wrong) = wrong {
            return Err(format!("properties.{name}: {wrong}"));
        }
    }
    Ok(())
}

fn check_items(items: Option<&Items>) -> Option<&'static str> {
    let Some(Items { kind, items }) = items else {
        return Some("an array has `items`, such as `items: { type: string }`");
    };
    match (kind.as_str(), items) {
        ("array", inner) => check_items(inner.as_deref()),
        (_, Some(_)) => Some("`items` is for type array"),
        (_, None) => None,
    }
}

/// The types that an object's properties name.
fn kinds(object: &Object) -> impl Iterator<Item = &str> {
    object.properties.0.iter().map(|(_, property)| {
        let mut kind = property.kind.as_str();
        let mut items = property.items.as_ref();
        while let Some(inner) = items {
            kind = &inner.kind;
            items = inner.items.as_deref();
        }
        kind
    })
}

/// What the generated code and its surroundings call by name.
const TAKEN: [&str; 25] = [
    "Body",
    "Deserialize",
    "DeserializeOwned",
    "Err",
    "Future",
    "JsonSchema",
    "Map",
    "None",
    "Ok",
    "Option",
    "Outcome",
    "Render",
    "Resource",
    "Result",
    "Self",
    "Send",
    "Serialize",
    "Some",
    "String",
    "Sync",
    "Tool",
    "ToolError",
    "Tools",
    "Value",
    "Vec",
];

/// The first pass.
#[derive(Deserialize)]
#[serde(expecting = "a mapping of `instructions`, `resource`, `types` and `tools`")]
struct TypeNames {
    #[serde(default)]
    types: BTreeMap<String, IgnoredAny>,
}
