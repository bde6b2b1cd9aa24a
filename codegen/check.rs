//! Reads `tools.yaml` and refuses a wrong one. An error says
//! `tools.yaml:LINE:COLUMN:`, the tool, what is wrong and what is allowed; how
//! serde_yaml's errors become that is left to `error.rs`, where a word stands to
//! `lines.rs`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::{Error, Outline};
use super::example::misfit;
use super::fault::{Fault, Owner};
use super::lines::Lines;
use super::manifest::{Items, Manifest, Object, Prompt, Tool};
use super::names::{enum_name, pascal, snake};
use super::schema;
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
            .map_err(|(owner, fault)| fault.error(&outline, &Lines::of(text), owner))?;
        Ok(manifest)
    }

    /// The rules that need two places.
    fn check(&self) -> Result<(), (Owner<'_>, Fault)> {
        if self.tools.is_empty() {
            let fault = Fault::of("no tool, a contract has at least one");
            return Err((Owner::Section("tools"), fault));
        }
        if self.toolsets.is_empty() {
            let fault = Fault::of("no toolset, every tool is in one");
            return Err((Owner::Section("toolsets"), fault));
        }
        for (name, object) in &self.types.0 {
            self.check_type(name, object)
                .and_then(|()| check_object(object))
                .map_err(|fault| (Owner::Type(name), fault))?;
        }
        for (at, set) in self.toolsets.iter().enumerate() {
            let mut earlier = self.toolsets[..at].iter();
            let fault = if earlier.any(|earlier| earlier.name == set.name) {
                "duplicate toolset, every name is used once"
            } else if self.tools.iter().all(|tool| tool.toolset != set.name) {
                "no tool is in the set, delete it"
            } else {
                continue;
            };
            return Err((Owner::Toolset(&set.name), Fault::of(fault)));
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
        self.check_enum_names()?;
        for (at, prompt) in self.prompts.iter().enumerate() {
            let mut earlier = self.prompts[..at].iter();
            let checked = if earlier.any(|earlier| earlier.name == prompt.name) {
                Err(Fault::of("duplicate prompt, every name is used once"))
            } else {
                check_prompt(prompt)
            };
            checked.map_err(|fault| (Owner::Prompt(&prompt.name), fault))?;
        }
        Ok(())
    }

    /// Each `enum` becomes a Rust enum, which needs a name of its own.
    fn check_enum_names(&self) -> Result<(), (Owner<'_>, Fault)> {
        let shared = self.types.0.iter();
        let shared = shared.map(|(name, object)| (Owner::Type(name), None, name.clone(), object));
        let of_tools = self.tools.iter().flat_map(|tool| {
            let pascal = pascal(&tool.name);
            [
                ("inputSchema", "Request", &tool.input_schema),
                ("outputSchema", "Result", &tool.output_schema),
            ]
            .map(|(key, suffix, object)| {
                let name = format!("{pascal}{suffix}");
                (Owner::Tool(&tool.name), Some(key), name, object)
            })
        });
        let objects: Vec<_> = shared.chain(of_tools).collect();
        let mut taken: Vec<String> = TAKEN.map(str::to_owned).into();
        taken.extend(objects.iter().map(|(_, _, name, _)| name.clone()));
        for (owner, key, name, object) in objects {
            for (property, own) in &object.properties.0 {
                if own.values.is_empty() {
                    continue;
                }
                let name = enum_name(&name, property);
                if taken.contains(&name) {
                    let text = format!(
                        "would be the Rust enum `{name}`, and there is something of this name, rename one"
                    );
                    let fault = Fault::of(text).inside(property).inside("properties");
                    let fault = key.into_iter().fold(fault, Fault::inside);
                    return Err((owner, fault));
                }
                taken.push(name);
            }
        }
        Ok(())
    }

    fn check_tool(&self, tool: &Tool) -> Result<(), Fault> {
        if self.toolsets.iter().all(|set| set.name != tool.toolset) {
            let known: Vec<&str> = self.toolsets.iter().map(|set| set.name.as_str()).collect();
            let (name, known) = (&tool.toolset, quoted(&known));
            let text = format!("unknown toolset `{name}`, expected one of {known}");
            return Err(Fault::of(text).inside("toolset"));
        }
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
        for (at, value) in property.values.iter().enumerate() {
            if property.values[..at].contains(value) {
                let text = format!("`{value}` stands there twice, once is enough");
                let fault = Fault::at_word(value, text).inside("enum");
                return Err(fault.inside(name).inside("properties"));
            }
        }
        let wrong = if property.kind != "string" && !property.values.is_empty() {
            Some("`enum` is for type string")
        } else if !array && property.items.is_some() {
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

/// Every `{argument}` of the text is one, and every argument stands in it.
fn check_prompt(prompt: &Prompt) -> Result<(), Fault> {
    let names: Vec<&str> = prompt
        .arguments
        .0
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let mut used = Vec::new();
    for piece in prompt.text.split('{').skip(1) {
        let Some((name, _)) = piece.split_once('}') else {
            let text = "a `{` without its `}`, braces stand around an argument's name only";
            return Err(Fault::of(text).inside("text"));
        };
        if !names.contains(&name) {
            let text = match names.is_empty() {
                true => format!("`{{{name}}}` is no argument, the prompt has none"),
                false => format!(
                    "`{{{name}}}` is no argument, expected one of {}",
                    quoted(&names)
                ),
            };
            return Err(Fault::of(text).inside("text"));
        }
        used.push(name);
    }
    match names.iter().find(|name| !used.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let text = format!("the text has no `{{{name}}}`, use the argument or delete it");
            Err(Fault::of(text).inside(name).inside("arguments"))
        }
    }
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
const TAKEN: [&str; 29] = [
    "Argument",
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
    "Paragraph",
    "Prompt",
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
    "Toolset",
    "Value",
    "Vec",
];

/// The first pass.
#[derive(Deserialize)]
#[serde(expecting = "a mapping such as tools.yaml is")]
struct TypeNames {
    #[serde(default)]
    types: BTreeMap<String, IgnoredAny>,
}
