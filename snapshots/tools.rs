// Generated from tools.yaml by codegen/tools.rs.j2. Not edited by hand: change
// tools.yaml, and `UPDATE_SNAPSHOTS=1 cargo test --test it committed_copy` writes the
// committed copy anew.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A group of tools that a server can be told to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Toolset {
    /// `memory`
    Memory,
}

impl Toolset {
    /// All sets, in the manifest's order.
    pub const ALL: &'static [Toolset] = &[Toolset::Memory];

    /// The set that is served when nobody asks for another.
    pub const DEFAULT: Toolset = Toolset::Memory;

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Toolset::Memory => "memory",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Toolset::Memory => "Memory",
        }
    }

    /// What the tools are for.
    pub const fn description(self) -> &'static str {
        match self {
            Toolset::Memory => "Remember, correct, find and forget; what everyone gets.",
        }
    }
}

/// A tool of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `create_entities`
    CreateEntities,
    /// `create_relations`
    CreateRelations,
    /// `add_observations`
    AddObservations,
    /// `delete_entities`
    DeleteEntities,
    /// `delete_observations`
    DeleteObservations,
    /// `delete_relations`
    DeleteRelations,
    /// `read_graph`
    ReadGraph,
    /// `search_nodes`
    SearchNodes,
    /// `open_nodes`
    OpenNodes,
}

impl Tool {
    /// All tools, in the manifest's order.
    pub const ALL: &'static [Tool] = &[
        Tool::CreateEntities,
        Tool::CreateRelations,
        Tool::AddObservations,
        Tool::DeleteEntities,
        Tool::DeleteObservations,
        Tool::DeleteRelations,
        Tool::ReadGraph,
        Tool::SearchNodes,
        Tool::OpenNodes,
    ];

    /// The tools that never change the graph, which is what `readOnlyHint` says.
    pub const READ_ONLY: &'static [Tool] = &[Tool::ReadGraph, Tool::SearchNodes, Tool::OpenNodes];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::CreateEntities => "create_entities",
            Tool::CreateRelations => "create_relations",
            Tool::AddObservations => "add_observations",
            Tool::DeleteEntities => "delete_entities",
            Tool::DeleteObservations => "delete_observations",
            Tool::DeleteRelations => "delete_relations",
            Tool::ReadGraph => "read_graph",
            Tool::SearchNodes => "search_nodes",
            Tool::OpenNodes => "open_nodes",
        }
    }

    /// The name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Tool::CreateEntities => "Create Entities",
            Tool::CreateRelations => "Create Relations",
            Tool::AddObservations => "Add Observations",
            Tool::DeleteEntities => "Delete Entities",
            Tool::DeleteObservations => "Delete Observations",
            Tool::DeleteRelations => "Delete Relations",
            Tool::ReadGraph => "Read Graph",
            Tool::SearchNodes => "Search Nodes",
            Tool::OpenNodes => "Open Nodes",
        }
    }

    /// The set that it belongs to.
    pub const fn toolset(self) -> Toolset {
        match self {
            Tool::CreateEntities => Toolset::Memory,
            Tool::CreateRelations => Toolset::Memory,
            Tool::AddObservations => Toolset::Memory,
            Tool::DeleteEntities => Toolset::Memory,
            Tool::DeleteObservations => Toolset::Memory,
            Tool::DeleteRelations => Toolset::Memory,
            Tool::ReadGraph => Toolset::Memory,
            Tool::SearchNodes => Toolset::Memory,
            Tool::OpenNodes => Toolset::Memory,
        }
    }

    /// The JSON Schema of the arguments, as `tools/list` publishes it.
    pub const fn input_schema(self) -> &'static str {
        match self {
            Tool::CreateEntities => generated!("create_entities.input.json"),
            Tool::CreateRelations => generated!("create_relations.input.json"),
            Tool::AddObservations => generated!("add_observations.input.json"),
            Tool::DeleteEntities => generated!("delete_entities.input.json"),
            Tool::DeleteObservations => generated!("delete_observations.input.json"),
            Tool::DeleteRelations => generated!("delete_relations.input.json"),
            Tool::ReadGraph => generated!("read_graph.input.json"),
            Tool::SearchNodes => generated!("search_nodes.input.json"),
            Tool::OpenNodes => generated!("open_nodes.input.json"),
        }
    }

    /// The JSON Schema of the structuredContent, as `tools/list` publishes it.
    pub const fn output_schema(self) -> &'static str {
        match self {
            Tool::CreateEntities => generated!("create_entities.output.json"),
            Tool::CreateRelations => generated!("create_relations.output.json"),
            Tool::AddObservations => generated!("add_observations.output.json"),
            Tool::DeleteEntities => generated!("delete_entities.output.json"),
            Tool::DeleteObservations => generated!("delete_observations.output.json"),
            Tool::DeleteRelations => generated!("delete_relations.output.json"),
            Tool::ReadGraph => generated!("read_graph.output.json"),
            Tool::SearchNodes => generated!("search_nodes.output.json"),
            Tool::OpenNodes => generated!("open_nodes.output.json"),
        }
    }

    /// What `tools/list` says of it, one JSON object in one line.
    pub const fn listed(self) -> &'static str {
        match self {
            Tool::CreateEntities => generated!("create_entities.json"),
            Tool::CreateRelations => generated!("create_relations.json"),
            Tool::AddObservations => generated!("add_observations.json"),
            Tool::DeleteEntities => generated!("delete_entities.json"),
            Tool::DeleteObservations => generated!("delete_observations.json"),
            Tool::DeleteRelations => generated!("delete_relations.json"),
            Tool::ReadGraph => generated!("read_graph.json"),
            Tool::SearchNodes => generated!("search_nodes.json"),
            Tool::OpenNodes => generated!("open_nodes.json"),
        }
    }

    /// A minimal correct argument object, as JSON.
    pub const fn example(self) -> &'static str {
        match self {
            Tool::CreateEntities => generated!("create_entities.example.json"),
            Tool::CreateRelations => generated!("create_relations.example.json"),
            Tool::AddObservations => generated!("add_observations.example.json"),
            Tool::DeleteEntities => generated!("delete_entities.example.json"),
            Tool::DeleteObservations => generated!("delete_observations.example.json"),
            Tool::DeleteRelations => generated!("delete_relations.example.json"),
            Tool::ReadGraph => generated!("read_graph.example.json"),
            Tool::SearchNodes => generated!("search_nodes.example.json"),
            Tool::OpenNodes => generated!("open_nodes.example.json"),
        }
    }
}

/// One function a tool, on the graph. Arguments were checked against the tool's
/// schema. What a tool may touch follows from its `readOnlyHint`. A tool that
/// changes the graph may be run again, on another graph; one that fails leaves it
/// as it was.
pub trait Handlers: Send + Sync + 'static {
    /// Remember new things: adds entities, each with a name, a type and observations. A name that
    /// exists already is left alone and its observations are not added; it comes back in skipped.
    /// To add facts to an existing entity use add_observations, to connect entities
    /// create_relations. Look with search_nodes first, so that one thing does not get two names.
    fn create_entities(
        &self,
        graph: &mut Graph,
        request: &CreateEntitiesRequest,
    ) -> Result<Outcome, ToolError>;

    /// Connect entities: adds directed relations, read as "from relationType to" (Ada works_at
    /// Acme), so word them in active voice. A relation that exists already (all three equal) is
    /// skipped. An end that is no entity is allowed but listed in missingEntities; create it with
    /// create_entities. There is no update: to change a relation, delete_relations and create the
    /// new one.
    fn create_relations(
        &self,
        graph: &mut Graph,
        request: &CreateRelationsRequest,
    ) -> Result<Outcome, ToolError>;

    /// Add facts to entities that exist. Facts that the entity has already are not added again; the
    /// result says which were new. If any entity is unknown, the whole call fails and nothing is
    /// stored: create it with create_entities. It never replaces a fact: to correct one, also
    /// remove the old text with delete_observations.
    fn add_observations(
        &self,
        graph: &mut Graph,
        request: &AddObservationsRequest,
    ) -> Result<Outcome, ToolError>;

    /// Forget whole entities: removes them, all their observations and every relation from or to
    /// them. It cannot be undone. To remove one fact use delete_observations, to cut one link
    /// delete_relations. Unknown names are no error, they come back in notFound.
    fn delete_entities(
        &self,
        graph: &mut Graph,
        request: &DeleteEntitiesRequest,
    ) -> Result<Outcome, ToolError>;

    /// Remove facts from entities; the entities stay. Each text must equal the stored one in every
    /// character, so read it with open_nodes first. What is not there is no error, it comes back in
    /// notFound. To replace a fact, also add the new text with add_observations; to remove the
    /// whole entity use delete_entities.
    fn delete_observations(
        &self,
        graph: &mut Graph,
        request: &DeleteObservationsRequest,
    ) -> Result<Outcome, ToolError>;

    /// Cut links between entities; the entities and their observations stay. from, to and
    /// relationType must all equal the stored ones, so read the stored relationType with open_nodes
    /// first. What is not there is no error, it comes back in notFound. A relation has one
    /// direction: the opposite one is another relation. delete_entities removes an entity's
    /// relations by itself.
    fn delete_relations(
        &self,
        graph: &mut Graph,
        request: &DeleteRelationsRequest,
    ) -> Result<Outcome, ToolError>;

    /// Read the whole memory: every entity with its observations, and every relation. A big memory
    /// makes a big reply: use search_nodes to find something by a word, open_nodes for entities
    /// whose names you know, and here entityTypes and observationLimit for an overview.
    fn read_graph(
        &self,
        snapshot: &Snapshot,
        request: &ReadGraphRequest,
    ) -> Result<Outcome, ToolError>;

    /// Find entities by a piece of text in their name, type or observations, upper and lower case
    /// alike, with the relations that touch them. The match is literal: no wildcards, no synonyms,
    /// and several words only match where they stand together like that, so search for one telling
    /// word. The entity at a relation's other end is not included: fetch it with open_nodes. When
    /// you know the exact names use open_nodes; an empty query matches everything.
    fn search_nodes(
        &self,
        snapshot: &Snapshot,
        request: &SearchNodesRequest,
    ) -> Result<Outcome, ToolError>;

    /// Read entities by their exact names, with all their observations and the relations that touch
    /// them. Use it before a deletion or a correction, to see the stored texts. Unknown names are
    /// no error, they come back in notFound: find the right spelling with search_nodes. The entity
    /// at a relation's other end is not included: open it too.
    fn open_nodes(
        &self,
        snapshot: &Snapshot,
        request: &OpenNodesRequest,
    ) -> Result<Outcome, ToolError>;
}

/// The work of a call: the tool's function, with arguments that were checked
/// against its schema.
pub fn work<H: Handlers>(handlers: &Arc<H>, tool: Tool, arguments: Value) -> Work {
    match tool {
        Tool::CreateEntities => Work::change(handlers, arguments, H::create_entities),
        Tool::CreateRelations => Work::change(handlers, arguments, H::create_relations),
        Tool::AddObservations => Work::change(handlers, arguments, H::add_observations),
        Tool::DeleteEntities => Work::change(handlers, arguments, H::delete_entities),
        Tool::DeleteObservations => Work::change(handlers, arguments, H::delete_observations),
        Tool::DeleteRelations => Work::change(handlers, arguments, H::delete_relations),
        Tool::ReadGraph => Work::read(handlers, arguments, H::read_graph),
        Tool::SearchNodes => Work::read(handlers, arguments, H::search_nodes),
        Tool::OpenNodes => Work::read(handlers, arguments, H::open_nodes),
    }
}

/// A thing in the memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    /// Unique name; case and spaces count
    pub name: String,
    /// Kind of thing, such as person, project, place; the same word for the same kind
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// Facts, one short sentence each; may be empty
    pub observations: Vec<String>,
}

/// An entity as it is read back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct StoredEntity {
    /// The unique name
    pub name: String,
    /// The kind of thing
    #[serde(rename = "entityType")]
    pub entity_type: String,
    /// The facts, oldest first; cut when the call had an observationLimit
    pub observations: Vec<String>,
    /// How many observations are stored; only with an observationLimit
    #[serde(rename = "observationCount")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation_count: Option<u64>,
}

/// A directed link between two entities.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Relation {
    /// Entity name, the subject
    pub from: String,
    /// Entity name, the object
    pub to: String,
    /// Verb in active voice, such as works_at, owns
    #[serde(rename = "relationType")]
    pub relation_type: String,
}

/// Facts to add to one entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct NewObservations {
    /// Exact name of an existing entity
    #[serde(rename = "entityName")]
    pub entity_name: String,
    /// Facts to add, one short sentence each
    pub contents: Vec<String>,
}

/// The facts that were really added to one entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AddedObservations {
    /// The entity
    #[serde(rename = "entityName")]
    pub entity_name: String,
    /// What was added; what was stored already is left out
    #[serde(rename = "addedObservations")]
    pub added_observations: Vec<String>,
}

/// Facts of one entity, named by their exact text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct NamedObservations {
    /// Exact name of the entity
    #[serde(rename = "entityName")]
    pub entity_name: String,
    /// Exact texts of the observations
    pub observations: Vec<String>,
}

/// The arguments of `create_entities`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CreateEntitiesRequest {
    /// Entities to add
    pub entities: Vec<Entity>,
}

/// The structuredContent of `create_entities`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CreateEntitiesResult {
    /// The entities that were added, in call order
    pub entities: Vec<Entity>,
    /// Names that were taken already; nothing was changed for them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Vec<String>>,
}

/// The arguments of `create_relations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CreateRelationsRequest {
    /// Relations to add
    pub relations: Vec<Relation>,
}

/// The structuredContent of `create_relations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CreateRelationsResult {
    /// The relations that were added, in call order
    pub relations: Vec<Relation>,
    /// Relations that were stored already
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Vec<Relation>>,
    /// Ends of the relations that are no entities yet
    #[serde(rename = "missingEntities")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_entities: Option<Vec<String>>,
}

/// The arguments of `add_observations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AddObservationsRequest {
    /// Facts to add, by entity
    pub observations: Vec<NewObservations>,
}

/// The structuredContent of `add_observations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AddObservationsResult {
    /// What was added, one result for each item of the call
    pub results: Vec<AddedObservations>,
}

/// The arguments of `delete_entities`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteEntitiesRequest {
    /// Exact names of the entities to remove
    #[serde(rename = "entityNames")]
    pub entity_names: Vec<String>,
}

/// The structuredContent of `delete_entities`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteEntitiesResult {
    /// Always true; a failure is an error
    pub success: bool,
    /// The first text item again
    pub message: String,
    /// How many entities were removed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u64>,
    /// Names of no entity
    #[serde(rename = "notFound")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Vec<String>>,
}

/// The arguments of `delete_observations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteObservationsRequest {
    /// Facts to remove, by entity
    pub deletions: Vec<NamedObservations>,
}

/// The structuredContent of `delete_observations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteObservationsResult {
    /// Always true; a failure is an error
    pub success: bool,
    /// The first text item again
    pub message: String,
    /// How many observations were removed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u64>,
    /// What was not there, by entity
    #[serde(rename = "notFound")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Vec<NamedObservations>>,
}

/// The arguments of `delete_relations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteRelationsRequest {
    /// Relations to remove
    pub relations: Vec<Relation>,
}

/// The structuredContent of `delete_relations`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct DeleteRelationsResult {
    /// Always true; a failure is an error
    pub success: bool,
    /// The first text item again
    pub message: String,
    /// How many relations were removed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<u64>,
    /// Relations that were not stored
    #[serde(rename = "notFound")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Vec<Relation>>,
}

/// The arguments of `read_graph`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ReadGraphRequest {
    /// Only entities of these exact types, and the relations that touch them
    #[serde(rename = "entityTypes")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub entity_types: Option<Vec<String>>,
    /// At most this many observations per entity, the first (oldest) ones; observationCount gives
    /// the total. 0 for an overview
    #[serde(rename = "observationLimit")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation_limit: Option<u64>,
}

/// The structuredContent of `read_graph`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ReadGraphResult {
    /// The entities, in stored order
    pub entities: Vec<StoredEntity>,
    /// The relations, in stored order
    pub relations: Vec<Relation>,
}

/// The arguments of `search_nodes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SearchNodesRequest {
    /// One telling word or a piece of a name, at most 2048 UTF-16 code units
    pub query: String,
    /// At most this many entities, the first in stored order; totalMatches tells when there are
    /// more
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// At most this many observations per entity, the first (oldest) ones; observationCount gives
    /// the total. 0 for an overview
    #[serde(rename = "observationLimit")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation_limit: Option<u64>,
}

/// The structuredContent of `search_nodes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SearchNodesResult {
    /// The entities, in stored order
    pub entities: Vec<StoredEntity>,
    /// The relations, in stored order
    pub relations: Vec<Relation>,
    /// How many entities match; only when limit cut some off
    #[serde(rename = "totalMatches")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_matches: Option<u64>,
}

/// The arguments of `open_nodes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct OpenNodesRequest {
    /// Exact entity names
    pub names: Vec<String>,
    /// At most this many observations per entity, the first (oldest) ones; observationCount gives
    /// the total. 0 for an overview
    #[serde(rename = "observationLimit")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation_limit: Option<u64>,
}

/// The structuredContent of `open_nodes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct OpenNodesResult {
    /// The entities, in stored order
    pub entities: Vec<StoredEntity>,
    /// The relations, in stored order
    pub relations: Vec<Relation>,
    /// Names of no entity
    #[serde(rename = "notFound")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found: Option<Vec<String>>,
}

/// What a model is told about the server, in paragraphs of a line each.
pub const INSTRUCTIONS: &[Paragraph] = &[
    Paragraph {
        toolset: None,
        text: "This server is a long-term memory: a knowledge graph that outlives the conversation. It holds entities (a unique name, a type, and observations, each one short fact) and directed relations between them.",
        tools: &[],
    },
    Paragraph {
        toolset: Some(Toolset::Memory),
        text: "Before you answer something that may depend on earlier conversations, look it up: search_nodes for a word, open_nodes for names you know, read_graph only for a small memory or with observationLimit. Matching is literal, so try one word or a synonym when a phrase finds nothing.",
        tools: &[Tool::ReadGraph, Tool::SearchNodes, Tool::OpenNodes],
    },
    Paragraph {
        toolset: Some(Toolset::Memory),
        text: "When you learn something worth keeping, store it: search first, then add_observations for an entity that exists, create_entities for one that does not, create_relations to connect them. Write one fact per observation, understandable on its own, with a date where time matters. Correct what is outdated: delete_observations for a fact, delete_relations for a link, delete_entities only for a whole entity. A deletion cannot be undone. Do not store passwords or other secrets.",
        tools: &[
            Tool::CreateEntities,
            Tool::CreateRelations,
            Tool::AddObservations,
            Tool::DeleteEntities,
            Tool::DeleteObservations,
            Tool::DeleteRelations,
        ],
    },
];

/// What a person can start a conversation with.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "recall",
        title: "Recall",
        description: "Look up what the memory knows about something",
        arguments: &[Argument {
            name: "topic",
            description: "What to look up: a person, a project, a question",
        }],
        text: "Look up in the long-term memory what it knows about this: {topic}\n\n1. search_nodes for the name or for one telling word. Matching is literal: when nothing is found, try a part of the word, another spelling or a synonym, a few times.\n2. Read the entities that fit. Where a relation leads to something that matters here, open_nodes it too.\n3. Answer from what is stored: the facts that matter, with their dates and how things are connected. Say where facts contradict each other or look outdated. Where nothing is stored say so, and keep what you know from elsewhere apart.\n\nChange nothing in the memory.",
        tools: &[Tool::SearchNodes, Tool::OpenNodes],
    },
    Prompt {
        name: "remember",
        title: "Remember",
        description: "Store something in the memory, under the right names",
        arguments: &[Argument {
            name: "what",
            description: "What to store, in your own words",
        }],
        text: "Store this in the long-term memory: {what}\n\n1. Take it apart into facts: one short sentence each, understandable on its own, with a date where time matters. Leave out passwords and other secrets, and say that you did.\n2. search_nodes for everybody and everything that the facts are about, so that one thing does not get two names.\n3. add_observations to what exists, create_entities for what does not, create_relations, worded in active voice, to connect them.\n4. Where a stored fact is no longer true, add the new one first, and then remove the old with delete_observations.\n5. Say in a few sentences what you stored and under which names, what you replaced, and what was known already.",
        tools: &[
            Tool::CreateEntities,
            Tool::CreateRelations,
            Tool::AddObservations,
            Tool::DeleteObservations,
            Tool::SearchNodes,
        ],
    },
    Prompt {
        name: "tidy_up",
        title: "Tidy Up",
        description: "Go through the memory and mend it, asking before each change",
        arguments: &[],
        text: "Go through the long-term memory with me and put it in order.\n\n1. Get an overview: read_graph with observationLimit 0, or, where that is much, with one of entityTypes at a time. Read what looks odd with open_nodes.\n2. Look for one thing under two names, two types that mean the same, facts that contradict each other, are outdated or say the same twice, relations that end at no entity, and entities that say nothing.\n3. Change nothing yet. Show me a numbered list of what you would change and why, with the stored words. A deletion cannot be undone.\n4. Then do what I agree to, and nothing else. A corrected fact is added with add_observations before the old one goes with delete_observations. Of two entities that are one, the facts and relations are first added to the one that stays, with add_observations and create_relations; only then does the other go, with delete_entities.\n5. Say what was changed, and what is left.",
        tools: &[
            Tool::CreateRelations,
            Tool::AddObservations,
            Tool::DeleteEntities,
            Tool::DeleteObservations,
            Tool::ReadGraph,
            Tool::OpenNodes,
        ],
    },
];

/// The resource that stands for the whole graph.
pub const RESOURCE: Resource = Resource {
    uri: "memory://knowledge-graph",
    name: "knowledge-graph",
    title: "Knowledge graph",
    description: "The whole memory, every entity with its observations and every relation, as read_graph returns it. Subscribe to hear of each change.",
    mime_type: "application/json",
};
