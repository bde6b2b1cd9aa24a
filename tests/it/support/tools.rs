//! A few tools/call exchanges in few words, for tests of the file rather than
//! of the tools.

use serde_json::{Value, json};

use super::session::Session;

/// A line of the memory file.
pub const ADA: &str = "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes tea\"]}\n";

/// A tools/call and its result, which may be an error.
#[track_caller]
pub fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    let mut answer = session.modern("tools/call", json!({"name": tool, "arguments": arguments}));
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].take()
}

/// The arguments that create an entity.
pub fn entity(name: &str) -> Value {
    json!({"entities": [{"name": name, "entityType": "person", "observations": []}]})
}

/// Creates an entity.
#[track_caller]
pub fn create(session: &mut Session, name: &str) {
    let result = call(session, "create_entities", entity(name));
    assert_ne!(result["isError"], true, "{result}");
}

/// Fails to create an entity; the error's text.
#[track_caller]
pub fn fail_to_create(session: &mut Session, name: &str) -> String {
    refusal(&call(session, "create_entities", entity(name)))
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
    let result = call(session, "read_graph", json!({}));
    let entities = result["structuredContent"]["entities"].as_array();
    let entities = entities.unwrap_or_else(|| panic!("{result}")).iter();
    let names = entities.map(|entity| entity["name"].as_str().unwrap().to_owned());
    names.collect()
}
