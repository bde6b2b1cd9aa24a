// Generated from tools.yaml by codegen/tools.rs.j2. Not edited by hand: change
// tools.yaml, and `UPDATE_SNAPSHOTS=1 cargo test --test it committed_copy` writes the
// committed copy anew.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of tools that a server can be told to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toolset {
    /// `type`
    Type,
    /// `some`
    Some,
}

impl Toolset {
    /// All sets, in the manifest's order.
    pub const ALL: &'static [Toolset] = &[Toolset::Type, Toolset::Some];

    /// The set that is served when nobody asks for another.
    pub const DEFAULT: Toolset = Toolset::Type;

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Toolset::Type => "type",
            Toolset::Some => "some",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Toolset::Type => "A \"set\"",
            Toolset::Some => "Some",
        }
    }

    /// What the tools are for.
    pub const fn description(self) -> &'static str {
        match self {
            Toolset::Type => "With a \\ in it",
            Toolset::Some => "Named like Rust's",
        }
    }
}

/// A tool of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `move`
    Move,
    /// `forty_characters_are_the_longest_name_it`
    FortyCharactersAreTheLongestNameIt,
}

impl Tool {
    /// All tools, in the manifest's order.
    pub const ALL: &'static [Tool] = &[Tool::Move, Tool::FortyCharactersAreTheLongestNameIt];

    /// The tools that never change the graph, which is what `readOnlyHint` says.
    pub const READ_ONLY: &'static [Tool] = &[Tool::Move];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::Move => "move",
            Tool::FortyCharactersAreTheLongestNameIt => "forty_characters_are_the_longest_name_it",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Tool::Move => "A \"title\" with a \\ backslash",
            Tool::FortyCharactersAreTheLongestNameIt => "Long",
        }
    }

    /// The set that it belongs to.
    pub const fn toolset(self) -> Toolset {
        match self {
            Tool::Move => Toolset::Type,
            Tool::FortyCharactersAreTheLongestNameIt => Toolset::Some,
        }
    }

    /// The JSON Schema of the arguments, as `tools/list` publishes it.
    pub const fn input_schema(self) -> &'static str {
        match self {
            Tool::Move => generated!("move.input.json"),
            Tool::FortyCharactersAreTheLongestNameIt => {
                generated!("forty_characters_are_the_longest_name_it.input.json")
            }
        }
    }

    /// The JSON Schema of the structuredContent, as `tools/list` publishes it.
    pub const fn output_schema(self) -> &'static str {
        match self {
            Tool::Move => generated!("move.output.json"),
            Tool::FortyCharactersAreTheLongestNameIt => {
                generated!("forty_characters_are_the_longest_name_it.output.json")
            }
        }
    }

    /// What `tools/list` says of it, one JSON object in one line.
    pub const fn listed(self) -> &'static str {
        match self {
            Tool::Move => generated!("move.json"),
            Tool::FortyCharactersAreTheLongestNameIt => {
                generated!("forty_characters_are_the_longest_name_it.json")
            }
        }
    }

    /// A minimal correct argument object, as JSON.
    pub const fn example(self) -> &'static str {
        match self {
            Tool::Move => generated!("move.example.json"),
            Tool::FortyCharactersAreTheLongestNameIt => {
                generated!("forty_characters_are_the_longest_name_it.example.json")
            }
        }
    }
}

/// One function a tool, on the graph. Arguments were checked against the tool's
/// schema. What a tool may touch follows from its `readOnlyHint`. A tool that
/// changes the graph may be run again, on another graph; one that fails leaves it
/// as it was.
pub trait Handlers: Send + Sync + 'static {
    /// First \<T> and \[a link\], \*stars\* and \_under\_ and `Vec<T>[0]` in code.
    /// \- a list
    /// 1\. another
    /// \# a heading
    /// \> a quotation
    /// \``` a fence
    /// four spaces in front, and a line so long that it has to be broken right before the
    /// Averylongwordthatfitsonnolinebecauseithasmorethanahundredcharactersanditgoesonandonandonandonandonandon
    /// ü € 漢字
    /// It is wrapped just so that the next word at the start of a line would be a marker, namely
    /// the
    /// word - which is a list item in Markdown.
    fn r#move(&self, snapshot: &Snapshot, request: &MoveRequest) -> Result<Outcome, ToolError>;

    /// Nothing
    fn forty_characters_are_the_longest_name_it(
        &self,
        graph: &mut Graph,
        request: &FortyCharactersAreTheLongestNameItRequest,
    ) -> Result<Outcome, ToolError>;
}

/// The work of a call: the tool's function, with arguments that were checked
/// against its schema.
pub fn work<H: Handlers>(handlers: &Arc<H>, tool: Tool, arguments: Value) -> Work {
    match tool {
        Tool::Move => Work::read(handlers, arguments, H::r#move),
        Tool::FortyCharactersAreTheLongestNameIt => Work::change(
            handlers,
            arguments,
            H::forty_characters_are_the_longest_name_it,
        ),
    }
}

/// A name that std has too.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Box {
    /// A keyword
    pub r#type: String,
    /// A keyword that cannot be raw
    #[serde(rename = "self")]
    pub self_: String,
    /// An acronym
    #[serde(rename = "HTTPServer")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_server: Option<String>,
    /// A digit in the middle
    #[serde(rename = "url2Path")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url2_path: Option<bool>,
    /// Values that are Rust's
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#match: Option<BoxMatch>,
    /// An underscore at the end
    #[serde(rename = "snake_case_")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 3))]
    pub snake_case: Option<u64>,
    /// Long
    #[serde(rename = "fortyCharactersAreTheLongestNameThereIs1")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2))]
    pub forty_characters_are_the_longest_name_there_is1: Option<Vec<Vec<String>>>,
}

/// What `match` can be in [`Box`].
#[allow(missing_docs, reason = "the values are said where the property is")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum BoxMatch {
    #[serde(rename = "type")]
    Type,
    #[serde(rename = "none")]
    None,
    #[serde(rename = "h2_o")]
    H2O,
    #[serde(rename = "string")]
    String,
}

/// The arguments of `move`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct MoveRequest {
    /// A keyword
    pub r#async: Box,
    /// A list
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#box: Option<Vec<Box>>,
}

/// The structuredContent of `move`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct MoveResult {}

/// The arguments of `forty_characters_are_the_longest_name_it`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FortyCharactersAreTheLongestNameItRequest {}

/// The structuredContent of `forty_characters_are_the_longest_name_it`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FortyCharactersAreTheLongestNameItResult {
    /// A keyword
    pub r#fn: u64,
    /// One value
    #[serde(rename = "matchIt")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_it: Option<FortyCharactersAreTheLongestNameItResultMatchIt>,
}

/// What `matchIt` can be in [`FortyCharactersAreTheLongestNameItResult`].
#[allow(missing_docs, reason = "the values are said where the property is")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum FortyCharactersAreTheLongestNameItResultMatchIt {
    #[serde(rename = "box")]
    Box,
}

/// What a model is told about the server, in paragraphs of a line each.
pub const INSTRUCTIONS: &[Paragraph] = &[
    Paragraph {
        toolset: None,
        text: "Line one.\n\n  Line \"two\" is indented, has a \\ and a tab\t, and goes on until it is long enough to be broken somewhere in the middle.",
        tools: &[],
    },
    Paragraph {
        toolset: Some(Toolset::Type),
        text: "Say `move` and nothing else: \"{x}\".",
        tools: &[Tool::Move],
    },
];

/// What a person can start a conversation with.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "fn",
        title: "A \"prompt\" with a \\ backslash",
        description: "Says\t\"things\".",
        arguments: &[
            Argument {
                name: "self",
                description: "A \"keyword\"",
            },
            Argument {
                name: "type",
                description: "Another",
            },
        ],
        text: "{type}\"{self}\" \\ {self} and move,\nnot moved.",
        tools: &[Tool::Move],
    },
    Prompt {
        name: "other",
        title: "Other",
        description: "Says nothing",
        arguments: &[],
        text: "Nothing",
        tools: &[],
    },
];

/// The resource that stands for the whole graph.
pub const RESOURCE: Resource = Resource {
    uri: "memory://a\"b",
    name: "name",
    title: "Title",
    description: "Short",
    mime_type: "application/json",
};
