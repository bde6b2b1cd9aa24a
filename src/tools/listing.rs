//! The contract in print, for `mcp-memory tools`: what a client sees, read
//! from what a client is sent.

use std::fmt::Write as _;

use serde_json::Value;

use super::contract::TOOLS_LIST;

/// The payload of `tools/list`, byte for byte.
pub fn json() -> String {
    str::from_utf8(TOOLS_LIST)
        .expect("the payload is generated as JSON")
        .to_owned()
}

/// A Markdown table, as it stands in the README.
pub fn markdown() -> String {
    let mut table = "| tool | arguments | kind | what it does |\n|---|---|---|---|\n".to_owned();
    for row in rows() {
        let arguments: Vec<String> = row.arguments.iter().map(|it| format!("`{it}`")).collect();
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} |",
            row.name,
            arguments.join(", "),
            row.kind,
            row.summary.replace('|', "\\|")
        );
    }
    table
}

/// For a terminal: a line of columns for each tool, and below it what the tool
/// does. A `?` marks an argument that may be left out.
pub fn plain() -> String {
    let rows = rows();
    let width = |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).len()).max().unwrap_or(0);
    let (names, kinds) = (width(|row| &row.name), width(|row| row.kind));
    let mut table = String::new();
    for row in &rows {
        let (name, kind, arguments) = (&row.name, row.kind, row.arguments.join(", "));
        let line = format!("{name:names$}  {kind:kinds$}  {arguments}");
        let _ = writeln!(table, "{}\n    {}", line.trim_end(), row.summary);
    }
    table
}

struct Row {
    name: String,
    arguments: Vec<String>,
    kind: &'static str,
    summary: String,
}

fn rows() -> Vec<Row> {
    let payload: Value =
        serde_json::from_slice(TOOLS_LIST).expect("the payload is generated as JSON");
    let tools = payload["tools"].as_array().into_iter().flatten();
    tools.map(row).collect()
}

fn row(tool: &Value) -> Row {
    let text = |key: &str| tool[key].as_str().unwrap_or_default().to_owned();
    let schema = &tool["inputSchema"];
    let required: Vec<&Value> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let names = schema["properties"].as_object().into_iter().flatten();
    let hints = &tool["annotations"];
    Row {
        name: text("name"),
        arguments: names
            .map(|(name, _)| {
                let is_required = required.iter().any(|known| *known == name);
                format!("{name}{}", if is_required { "" } else { "?" })
            })
            .collect(),
        kind: if hints["readOnlyHint"] == true {
            "reads"
        } else if hints["destructiveHint"] == true {
            "deletes"
        } else {
            "adds"
        },
        summary: first_sentence(&text("description")),
    }
}

/// Descriptions begin with a sentence that says what the tool does.
fn first_sentence(text: &str) -> String {
    match text.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => text.to_owned(),
    }
}
