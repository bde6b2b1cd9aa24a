//! Where the tools are listed by hand, none is forgotten. The README's table is
//! printed by the program, which program/readme.rs compares.

use mcp_memory::tools::Served;
use serde_json::Value;

use super::{listed, name, tools};
use crate::support::repository;

#[test]
fn every_tool_has_its_row_in_the_behaviour_s_table_and_a_section() {
    let text = std::fs::read_to_string(repository("docs/behaviour.md")).unwrap();
    // A table a toolset.
    let tables = text.split("\n| tool | arguments |").skip(1);
    let row = |line: &str| {
        let name = line.strip_prefix("| `")?.split('`').next()?;
        Some(name.to_owned())
    };
    let rows: Vec<String> = tables
        .flat_map(|table| table.lines().skip(2).map_while(row))
        .collect();
    let listed: Vec<String> = tools().iter().map(name).collect();
    assert_eq!(
        rows, listed,
        "docs/behaviour.md: a row a tool, in the order of tools.yaml"
    );
    for tool in listed {
        assert!(
            text.lines()
                .any(|line| line.starts_with("### ") && line.contains(tool.as_str())),
            "docs/behaviour.md: say under a heading \"### {tool}\" what it does"
        );
    }
}

#[test]
fn the_real_clients_expect_and_call_every_tool_that_is_served_by_itself() {
    let file = "tests/clients/script.json";
    let text = std::fs::read_to_string(repository(file)).unwrap();
    let script: Value = serde_json::from_str(&text).unwrap();
    let served = listed(&Served::default());
    let listed: Vec<Value> = served.iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(
        script["tools"],
        Value::from(listed.clone()),
        "{file}: \"tools\" is what tools/list lists"
    );
    let steps = script["steps"].as_array().unwrap();
    for tool in listed {
        assert!(
            steps.iter().any(|step| step["tool"] == tool),
            "{file}: no step calls {tool}"
        );
    }
}
