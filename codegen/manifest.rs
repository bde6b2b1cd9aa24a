//! What may stand in `tools.yaml`. What one value can say about itself is
//! checked by `values.rs` while it is read, what takes two places by `check.rs`;
//! what is generated is left to `schema.rs` (JSON) and `rust.rs` (Rust).

use serde::Deserialize;

use super::values::{
    Ordered, enum_values, some_text, text, title, tool_name, toolset_name, type_name,
};

/// The whole contract, in the order of the file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping such as tools.yaml is")]
pub struct Manifest {
    /// What a model is told about the server, a line each. A paragraph that
    /// names a tool is said where that tool is served.
    pub instructions: Vec<Paragraph>,
    /// The groups of tools that a server can be told to serve. The first is the
    /// one that is served when nobody asks for another.
    pub toolsets: Vec<Toolset>,
    /// The one resource.
    pub resource: Resource,
    /// Objects that several tools share, by name.
    pub types: Ordered<Object>,
    /// The tools.
    pub tools: Vec<Tool>,
    /// What a person can start a conversation with.
    #[serde(default)]
    pub prompts: Vec<Prompt>,
}

/// A part of the instructions.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Paragraph(
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub String,
);

/// A group of tools.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping that describes a toolset")]
pub struct Toolset {
    /// The name on the command line.
    #[serde(deserialize_with = "toolset_name")]
    #[cfg_attr(test, schemars(regex(pattern = super::values::NAME_PATTERN)))]
    pub name: String,
    /// The name for people.
    #[serde(deserialize_with = "title")]
    #[cfg_attr(test, schemars(length(min = 1, max = 50)))]
    pub title: String,
    /// What the tools are for, to a person who chooses.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
    /// What a model is told besides, where the set is served.
    #[serde(default)]
    pub instructions: Vec<Paragraph>,
}

/// One tool.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping that describes a tool")]
pub struct Tool {
    /// The name on the wire, snake case.
    #[serde(deserialize_with = "tool_name")]
    #[cfg_attr(test, schemars(regex(pattern = super::values::NAME_PATTERN)))]
    pub name: String,
    /// The name for people.
    #[serde(deserialize_with = "title")]
    #[cfg_attr(test, schemars(length(min = 1, max = 50)))]
    pub title: String,
    /// The name of the set that the tool belongs to.
    pub toolset: String,
    /// What a model reads when it chooses.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
    /// The arguments.
    pub input_schema: Object,
    /// The structuredContent.
    pub output_schema: Object,
    /// MCP's hints, all four.
    pub annotations: Annotations,
    /// A minimal correct argument object.
    #[cfg_attr(test, schemars(with = "serde_json::Map<String, serde_json::Value>"))]
    pub example: serde_json::Value,
}

/// MCP's hints; a tool says all of them, so that a default is never guessed.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping that describes the resource")]
pub struct Resource {
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub uri: String,
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub name: String,
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub title: String,
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub mime_type: String,
}

/// An object: a tool's arguments, its result, or a shared type.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping of `properties` and `required`")]
pub struct Object {
    /// What a shared type is; a tool's own objects need none.
    #[serde(default, deserialize_with = "some_text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: Option<String>,
    /// The properties, in the order they are published.
    pub properties: Ordered<Property>,
    /// The names of those that have to be there.
    #[serde(default)]
    pub required: Vec<String>,
}

/// One property of an object.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[serde(expecting = "a mapping of `type`, `description` and what the type needs")]
pub struct Property {
    /// `string`, `boolean`, `integer`, `array` or a shared type.
    #[serde(rename = "type", deserialize_with = "type_name")]
    #[cfg_attr(test, schemars(regex(pattern = super::values::TYPE_PATTERN)))]
    pub kind: String,
    /// What it means; published for arguments, a doc comment for all.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
    /// The only values that a string can have.
    #[serde(rename = "enum", default, deserialize_with = "enum_values")]
    #[cfg_attr(test, schemars(length(min = 1), inner(regex(pattern = super::values::NAME_PATTERN))))]
    pub values: Vec<String>,
    /// What an array holds.
    pub items: Option<Items>,
    /// The smallest value of an integer.
    pub minimum: Option<u64>,
    /// The smallest length of an array.
    pub min_items: Option<u64>,
}

/// What an array holds.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping such as `{ type: string }`")]
pub struct Items {
    /// As for a property.
    #[serde(rename = "type", deserialize_with = "type_name")]
    #[cfg_attr(test, schemars(regex(pattern = super::values::TYPE_PATTERN)))]
    pub kind: String,
    /// What an array in an array holds.
    pub items: Option<Box<Items>>,
}

/// A text that a person has the client put into a conversation.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping that describes a prompt")]
pub struct Prompt {
    /// The name on the wire, snake case; clients make a command of it.
    #[serde(deserialize_with = "tool_name")]
    #[cfg_attr(test, schemars(regex(pattern = super::values::NAME_PATTERN)))]
    pub name: String,
    /// The name for people.
    #[serde(deserialize_with = "title")]
    #[cfg_attr(test, schemars(length(min = 1, max = 50)))]
    pub title: String,
    /// What a person reads when they choose.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
    /// What the person fills in, all of it.
    #[serde(default)]
    pub arguments: Ordered<Argument>,
    /// What the model is told. `{topic}` is the argument `topic`. A prompt is
    /// served where the tools that it names are.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub text: String,
}

/// What a person fills into a prompt.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a mapping such as `{ description: What to look for }`")]
pub struct Argument {
    /// What it means.
    #[serde(deserialize_with = "text")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub description: String,
}

impl Manifest {
    /// The shared type of this name; every `type` was checked to be known.
    pub fn shared(&self, name: &str) -> &Object {
        self.types.get(name).expect("types were checked when read")
    }

    /// The tools that a text names, each as a whole word.
    pub fn named(&self, text: &str) -> Vec<&Tool> {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .collect();
        let tools = self.tools.iter();
        tools
            .filter(|tool| words.contains(&tool.name.as_str()))
            .collect()
    }
}
