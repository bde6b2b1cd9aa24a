//! Every example of the manifest works on the real server, one after the
//! other, and the hints of each tool are what its example does to the file.

use mcp_memory::tools::Tool;
use serde_json::Value;

use crate::support::session::Session;

/// The tools in an order in which every example finds what it needs: those
/// that add, those that read, and those that take away, the last added first.
fn in_order() -> Vec<Listed> {
    let mut tools: Vec<Listed> = super::tools()
        .into_iter()
        .map(|tool| {
            let hint = |name: &str| tool["annotations"][name].as_bool().unwrap();
            let name = tool["name"].as_str().unwrap();
            let tool = Tool::from_name(name).unwrap();
            Listed {
                tool,
                reads: hint("readOnlyHint"),
                destroys: hint("destructiveHint"),
                is_idempotent: hint("idempotentHint"),
                example: serde_json::from_str(tool.example()).unwrap(),
            }
        })
        .collect();
    let deleting = tools.iter().filter(|tool| tool.destroys).count();
    tools.sort_by_key(|tool| (tool.destroys, tool.reads));
    let first_deleting = tools.len() - deleting;
    tools[first_deleting..].reverse();
    tools
}

struct Listed {
    tool: Tool,
    reads: bool,
    destroys: bool,
    is_idempotent: bool,
    example: Value,
}

fn file(session: &Session) -> Vec<u8> {
    std::fs::read(session.file()).unwrap_or_default()
}

#[track_caller]
fn run(session: &mut Session, tool: &Listed) -> Value {
    let result = session.call(tool.tool.name(), tool.example.clone());
    assert!(
        result.get("isError").is_none(),
        "{}: {result}",
        tool.tool.name()
    );
    result
}

/// Whether a result has any content: a number or a truth value is some, an
/// empty text or list is none.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => members.values().any(says_something),
    }
}

#[test]
fn a_count_is_a_result_and_empty_lists_are_none() {
    assert!(says_something(&serde_json::json!({"entities": 0})));
    assert!(!says_something(
        &serde_json::json!({"entities": [], "relations": []})
    ));
}

#[test]
fn every_example_in_the_manifest_runs_and_does_what_its_tool_s_hints_say() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    for tool in in_order() {
        let name = tool.tool.name();
        let before = file(&session);
        let result = run(&mut session, &tool);
        let after = file(&session);
        assert_eq!(
            before == after,
            tool.reads,
            "{name} is read-only, or it changes the file"
        );
        if !tool.reads {
            let has_less = after.len() < before.len();
            assert_eq!(
                has_less, tool.destroys,
                "{name} is destructive, or it adds to the file"
            );
        }
        if tool.reads {
            assert!(
                says_something(&result["structuredContent"]),
                "{name}: the example finds nothing"
            );
        }
        if tool.is_idempotent {
            run(&mut session, &tool);
            assert_eq!(file(&session), after, "{name} is idempotent");
        }
    }
}
