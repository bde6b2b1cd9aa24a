//! Reads `tools.yaml` and refuses a wrong one. An error says
//! `tools.yaml:LINE:COLUMN:`, the tool, what is wrong and what is allowed; how
//! serde_yaml's errors become that is left to `error.rs`, where a word stands to
//! `lines.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::{Error, Outline};
use super::example::misfit;
use super::lines::Lines;
use super::manifest::{Items, Manifest, Object, Tool};
use super::names::{pascal, snake};
use super::schema;
use super::values::{quoted, set_known_types};

/// Whose rule is broken.
#[derive(Clone, Copy)]
enum Owner<'a> {
    /// The list of tools.
    Tools,
    Type(&'a str),
    Tool(&'a str),
}

/// What is wrong with a tool or a type, and where in it.
struct Fault {
    /// The keys that lead there, the innermost first.
    path: Vec<String>,
    /// A word of the list that stands there.
    word: Option<String>,
    text: String,
}

impl Fault {
    fn of(text: impl Into<String>) -> Fault {
        Fault {
            path: Vec::new(),
            word: None,
            text: text.into(),
        }
    }

    fn at_word(word: &str, text: String) -> Fault {
        Fault {
            word: Some(word.to_owned()),
            ..Fault::of(text)
        }
    }

    fn inside(mut self, key: &str) -> Fault {
        self.path.push(key.to_owned());
        self
    }

    fn error(self, outline: &Outline, lines: &Lines<'_>, owner: Owner<'_>) -> Error {
        let (section, name, label) = match owner {
            Owner::Tools => return outline.error("tools", &self.text),
            Owner::Type(name) => ("types", name, format!("type {name}")),
            Owner::Tool(name) => ("tools", name, format!("tool {name}")),
        };
        if self.path.is_empty() {
            return outline.error(&label, &self.text);
        }
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        let keys: Vec<String> = [section, name]
            .iter()
            .chain(&path)
            .map(|&key| key.to_owned())
            .collect();
        let place = match &self.word {
            Some(word) => lines.word(&keys, word),
            None => lines.place(&keys),
        };
        let path = path.join(".").replace(".[", "[");
        Error::at(place, format!("{label}: {path}: {}", self.text))
    }
}

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
            .map_err(|(owner, fault)| fault.error(&outline, &Lines::of(text), owner))?;
        Ok(manifest)
    }

    /// The rules that need two places.
    fn check(&self) -> Result<(), (Owner<'_>, Fault)> {
        if self.tools.is_empty() {
            let fault = Fault::of("no tool, a contract has at least one");
            return Err((Owner::Tools, fault));
        }
        for (name, object) in &self.types.0 {
            self.check_type(name, object)
                .and_then(|()| check_object(object))
                .map_err(|fault| (Owner::Type(name), fault))?;
        }
        for (at, tool) in self.tools.iter().enumerate() {
            let mut earlier = self.tools[..at].iter();
            if earlier.any(|earlier| earlier.name == tool.name) {
                let fault = Fault::of("duplicate tool, every name is used once");
                return Err((Owner::Tool(&tool.name), fault));
            }
            self.check_tool(tool)
                .map_err(|fault| (Owner::Tool(&tool.name), fault))?;
        }
        Ok(())
    }

    fn check_tool(&self, tool: &Tool) -> Result<(), Fault> {
        check_object(&tool.input_schema).map_err(|fault| fault.inside("inputSchema"))?;
        check_object(&tool.output_schema).map_err(|fault| fault.inside("outputSchema"))?;
        if tool.annotations.read_only_hint && tool.annotations.destructive_hint {
            let text = "readOnlyHint and destructiveHint are both true, at most one can be";
            return Err(Fault::of(text).inside("annotations"));
        }
        if !tool.example.is_object() {
            let text = "not an object, a minimal correct argument object is wanted";
            return Err(Fault::of(text).inside("example"));
        }
        match misfit(&schema::input_schema(self, tool), &tool.example) {
            None => Ok(()),
            Some((path, text)) => {
                let fault = path
                    .iter()
                    .rev()
                    .fold(Fault::of(text), |fault, step| fault.inside(step));
                Err(fault.inside("example"))
            }
        }
    }

    fn check_type(&self, name: &str, object: &Object) -> Result<(), Fault> {
        let of_a_tool = |tool: &Tool| {
            let pascal = pascal(&tool.name);
            name.strip_prefix(pascal.as_str())
                .is_some_and(|rest| rest == "Request" || rest == "Result")
        };
        if !name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('_') {
            Err(Fault::of(
                "a type's name is in pascal case, such as `Entity`",
            ))
        } else if TAKEN.contains(&name) || self.tools.iter().any(of_a_tool) {
            Err(Fault::of(
                "the generated code already has something of this name, choose another",
            ))
        } else if object.description.is_none() {
            Err(Fault::of(
                "missing field `description`, every shared type is described",
            ))
        } else if self.reaches(object, name) {
            Err(Fault::of(
                "the type contains itself, published schemas are inlined and cannot",
            ))
        } else if !self.is_used(name) {
            Err(Fault::of("no tool uses the type, delete it"))
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

fn check_object(object: &Object) -> Result<(), Fault> {
    let names: Vec<&str> = object
        .properties
        .0
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    for (at, required) in object.required.iter().enumerate() {
        if !names.contains(&required.as_str()) {
            let known = quoted(&names);
            let text = format!("no property `{required}`, expected one of {known}");
            return Err(Fault::at_word(required, text).inside("required"));
        }
        if object.required[..at].contains(required) {
            let text = format!("`{required}` stands there twice, once is enough");
            return Err(Fault::at_word(required, text).inside("required"));
        }
    }
    for (at, name) in names.iter().enumerate() {
        let field = snake(name);
        if let Some(other) = names[..at].iter().find(|other| snake(other) == field) {
            let text = format!("would be the Rust field `{field}`, as `{other}` is, rename one");
            return Err(Fault::of(text).inside(name).inside("properties"));
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
            return Err(Fault::of(wrong).inside(name).inside("properties"));
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
