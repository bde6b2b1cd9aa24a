//! Reads `tools.yaml` and refuses a wrong one. What is generated from it is
//! left to `schema.rs` (JSON) and `rust.rs` (Rust), the wording of serde_yaml's
//! errors to `error.rs`.
//!
//! An error says `tools.yaml:LINE:COLUMN:`, the tool, what is wrong and what
//! is allowed. What one value can say about itself (an unknown key, an unknown
//! type, a name that is no identifier) is checked while serde_yaml reads it,
//! because only then is its position known. A rule that needs two places names
//! the tool's first line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::error::{Error, Outline};

/// The whole contract, in the order of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping of `instructions`, `resource`, `types` and `tools`")]
pub struct Manifest {
    /// What a model is told about the server.
    #[serde(deserialize_with = "text")]
    pub instructions: String,
    /// The one resource.
    pub resource: Resource,
    /// Objects that several tools share, by name.
    pub types: Ordered<Object>,
    /// The tools.
    pub tools: Vec<Tool>,
}

/// One tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping that describes a tool")]
pub struct Tool {
    /// The name on the wire, snake case.
    #[serde(deserialize_with = "tool_name")]
    pub name: String,
    /// The name for people.
    #[serde(deserialize_with = "title")]
    pub title: String,
    /// What a model reads when it chooses.
    #[serde(deserialize_with = "text")]
    pub description: String,
    /// The arguments.
    pub input_schema: Object,
    /// The structuredContent.
    pub output_schema: Object,
    /// MCP's hints, all four.
    pub annotations: Annotations,
    /// A minimal correct argument object.
    pub example: serde_json::Value,
}

/// MCP's hints; a tool says all of them, so that a default is never guessed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping of the four hints")]
pub struct Annotations {
    /// The tool never changes the graph.
    pub read_only_hint: bool,
    /// The tool removes something.
    pub destructive_hint: bool,
    /// The same call again changes nothing more.
    pub idempotent_hint: bool,
    /// The tool reaches outside the memory file.
    pub open_world_hint: bool,
}

/// The resource that stands for the whole graph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping that describes the resource")]
pub struct Resource {
    #[serde(deserialize_with = "text")]
    pub uri: String,
    #[serde(deserialize_with = "text")]
    pub name: String,
    #[serde(deserialize_with = "text")]
    pub title: String,
    #[serde(deserialize_with = "text")]
    pub description: String,
    #[serde(deserialize_with = "text")]
    pub mime_type: String,
}

/// An object: a tool's arguments, its result, or a shared type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping of `properties` and `required`")]
pub struct Object {
    /// What a shared type is; a tool's own objects need none.
    #[serde(default, deserialize_with = "some_text")]
    pub description: Option<String>,
    /// The properties, in the order they are published.
    pub properties: Ordered<Property>,
    /// The names of those that have to be there.
    #[serde(default)]
    pub required: Vec<String>,
}

/// One property of an object.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping of `type`, `description` and what the type needs")]
pub struct Property {
    /// `string`, `boolean`, `integer`, `array` or a shared type.
    #[serde(rename = "type", deserialize_with = "type_name")]
    pub kind: String,
    /// What it means; published for arguments, a doc comment for all.
    #[serde(deserialize_with = "text")]
    pub description: String,
    /// What an array holds.
    pub items: Option<Items>,
    /// The smallest value of an integer.
    pub minimum: Option<u64>,
    /// The smallest length of an array.
    pub min_items: Option<u64>,
}

/// What an array holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping such as `{ type: string }`")]
pub struct Items {
    /// As for a property.
    #[serde(rename = "type", deserialize_with = "type_name")]
    pub kind: String,
    /// What an array in an array holds.
    pub items: Option<Box<Items>>,
}

impl Manifest {
    /// Reads and checks the text of `tools.yaml`.
    pub fn parse(text: &str) -> Result<Manifest, Error> {
        let outline = Outline::of(text);
        let names: TypeNames =
            serde_yaml::from_str(text).map_err(|error| outline.explain(&error))?;
        KNOWN_TYPES.set(names.types.into_keys().collect());
        let manifest: Manifest =
            serde_yaml::from_str(text).map_err(|error| outline.explain(&error))?;
        manifest
            .check()
            .map_err(|(owner, message)| outline.error(&owner, &message))?;
        Ok(manifest)
    }

    /// The shared type of this name; every `type` was checked to be known.
    pub fn shared(&self, name: &str) -> &Object {
        self.types.get(name).expect("types were checked when read")
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
            let pascal = super::rust::pascal(&tool.name);
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
        let field = super::rust::snake(name);
        if let Some(other) = names[..at]
            .iter()
            .find(|other| super::rust::snake(other) == field)
        {
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

/// A mapping whose order counts.
#[derive(Debug)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Ordered<T> {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(Ordered<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of names")
            }
            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Ordered<T>, A::Error> {
                while let Some(name) = map.next_key_seed(Checked(property_name))? {
                    if self.0.get(&name).is_some() {
                        let message = format!("duplicate name `{name}`, every name is used once");
                        return Err(de::Error::custom(message));
                    }
                    self.0.0.push((name, map.next_value()?));
                }
                Ok(self.0)
            }
        }
        deserializer.deserialize_map(Entries(Ordered(Vec::new())))
    }
}

/// Reads a string and checks it while its position is known.
struct Checked(fn(&str) -> Result<(), String>);

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Checked {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        (self.0)(text).map_err(E::custom)?;
        Ok(text.to_owned())
    }
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|text| {
        if text.trim().is_empty() {
            return Err("an empty text, say something".to_owned());
        }
        Ok(())
    })
    .deserialize(deserializer)
}

fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

fn title<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|title| {
        if title.trim().is_empty() || title.chars().count() > 50 {
            return Err("a title has 1 to 50 characters".to_owned());
        }
        Ok(())
    })
    .deserialize(deserializer)
}

fn tool_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|name| {
        // Each part starts with a letter, so that two names never become one
        // Rust type.
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        if name.len() > 40 || !name.split('_').all(part) {
            return Err(format!(
                "{name:?} is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `read_graph`, at most 40 characters"
            ));
        }
        if super::rust::NEVER_RAW.contains(&name) {
            return Err(format!("{name:?} is no identifier, Rust reserves it"));
        }
        Ok(())
    })
    .deserialize(deserializer)
}

fn property_name(name: &str) -> Result<(), String> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.len() > 40 || !letters || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(format!(
            "name {name:?} is no identifier, allowed are a-z, A-Z, 0-9 and `_` after a letter, at most 40 characters"
        ));
    }
    Ok(())
}

fn type_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|kind| {
        KNOWN_TYPES.with_borrow(|shared| {
            if PRIMITIVES.contains(&kind) || shared.iter().any(|name| name == kind) {
                return Ok(());
            }
            let mut allowed = PRIMITIVES.to_vec();
            allowed.extend(shared.iter().map(String::as_str));
            Err(format!(
                "unknown type `{kind}`, expected one of {}",
                quoted(&allowed)
            ))
        })
    })
    .deserialize(deserializer)
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

const PRIMITIVES: [&str; 4] = ["string", "boolean", "integer", "array"];

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
    "Resource",
    "Result",
    "Self",
    "Send",
    "Serialize",
    "Some",
    "Stream",
    "String",
    "Sync",
    "Tool",
    "ToolError",
    "Tools",
    "Value",
    "Vec",
];

thread_local! {
    /// The names of the shared types, read ahead of everything else: serde
    /// offers no other way to let a scalar's check know them.
    static KNOWN_TYPES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// The first pass.
#[derive(Deserialize)]
#[serde(expecting = "a mapping of `instructions`, `resource`, `types` and `tools`")]
struct TypeNames {
    #[serde(default)]
    types: BTreeMap<String, IgnoredAny>,
}
