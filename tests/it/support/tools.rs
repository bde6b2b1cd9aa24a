//! A few tools/call exchanges in few words, for tests of the file rather than
//! of the tools.

use serde_json::{Value, json};

use super::session::Session;

/// A line of the memory file.
pub const ADA: &str = "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes tea\"]}\n";

/// An entity without observations, as it stands in arguments and results.
pub fn entity(name: &str) -> Value {
    json!({"name": name, "entityType": "t", "observations": []})
}

/// The arguments that create an entity.
pub fn creating(name: &str) -> Value {
    json!({"entities": [entity(name)]})
}

/// A legacy tools/call as it stands on the wire.
pub fn call_request(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params})
}

/// Creates an entity.
#[track_caller]
pub fn create(session: &mut Session, name: &str) {
    let result = session.call("create_entities", creating(name));
    assert_ne!(result["isError"], true, "{result}");
}

/// Fails to create an entity; the error's text.
#[track_caller]
pub fn fail_to_create(session: &mut Session, name: &str) -> String {
    refusal(&session.call("create_entities", creating(name)))
}

/// The text of a tool's error.
#[track_caller]
pub fn refusal(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The names of all entities, in stored order.
#[track_caller]
pub fn names(session: &mut Session) -> Vec<String> {
    let result = session.call("read_graph", json!({}));
    let entities = result["structuredContent"]["entities"].as_array();
    let entities = entities.unwrap_or_else(|| panic!("{result}")).iter();
    let names = entities.map(|entity| entity["name"].as_str().unwrap().to_owned());
    names.collect()
}
