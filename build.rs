//! Placeholder until the generator lands.
fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(format!("{out}/tools.rs"), r#"
/// A tool of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// `create_entities`
    CreateEntities,
    /// `open_nodes`
    OpenNodes,
    /// `read_graph`
    ReadGraph,
}
impl Tool {
    /// All tools, in the manifest's order.
    pub const ALL: &'static [Tool] = &[Tool::CreateEntities, Tool::ReadGraph, Tool::OpenNodes];
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self { Tool::CreateEntities => "create_entities", Tool::OpenNodes => "open_nodes", Tool::ReadGraph => "read_graph" }
    }
    /// The tool of this name, exactly.
    pub fn from_name(name: &str) -> Option<Tool> {
        Tool::ALL.iter().copied().find(|tool| tool.name() == name)
    }
}
/// Arguments of `create_entities`.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct CreateEntitiesRequest {}
/// Arguments of `read_graph`.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct ReadGraphRequest {}
/// Arguments of `open_nodes`.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct OpenNodesRequest { /// Names.
 pub names: Vec<String> }
/// One method a tool.
pub trait Tools: Send + Sync + 'static {
    /// `create_entities`
    fn create_entities(&self, request: CreateEntitiesRequest) -> impl Future<Output = Result<Outcome, ToolError>> + Send;
    /// `read_graph`
    fn read_graph(&self, request: ReadGraphRequest) -> impl Future<Output = Result<Outcome, ToolError>> + Send;
    /// `open_nodes`
    fn open_nodes(&self, request: OpenNodesRequest) -> impl Future<Output = Result<Outcome, ToolError>> + Send;
}
/// Hands validated arguments to the tool's method.
pub async fn dispatch<T: Tools>(tools: &T, tool: Tool, arguments: serde_json::Value) -> Result<Outcome, ToolError> {
    const VALIDATED: &str = "arguments were validated against the tool's schema";
    match tool {
        Tool::CreateEntities => tools.create_entities(serde_json::from_value(arguments).expect(VALIDATED)).await,
        Tool::ReadGraph => tools.read_graph(serde_json::from_value(arguments).expect(VALIDATED)).await,
        Tool::OpenNodes => tools.open_nodes(serde_json::from_value(arguments).expect(VALIDATED)).await,
    }
}
/// What a model is told about the server.
pub const INSTRUCTIONS: &str = "placeholder";
/// The one resource.
pub const RESOURCE: Resource = Resource { uri: "memory://knowledge-graph", name: "knowledge-graph", title: "Knowledge graph", description: "placeholder", mime_type: "application/json" };
"#).expect("OUT_DIR is writable");
    std::fs::write(format!("{out}/tools_list.json"), r#"{"tools":[{"name":"open_nodes","inputSchema":{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},"required":["names"]}}]}"#).expect("OUT_DIR is writable");
}
