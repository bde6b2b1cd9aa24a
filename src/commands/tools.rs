//! `mcp-memory tools`: the contract in print, what a client sees, read from
//! what a client is sent.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::Args;
use serde_json::Value;

use crate::config::{Flags, Stop, Surroundings};
use crate::diagnostics;
use crate::tools::Served;

/// Print the tools that a client sees
#[derive(Debug, Args)]
pub struct Tools {
    /// The payload of tools/list, as it is sent
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// A Markdown table
    #[arg(long)]
    markdown: bool,
}

impl Tools {
    /// Whatever is set, and wherever the memory file is: the tools are the
    /// same.
    pub(super) fn run(self, _: Flags, _: &Surroundings<'_>) -> Result<u8, Stop> {
        let out = &mut io::stdout();
        let written = match (self.json, self.markdown) {
            // The payload, byte for byte.
            (true, _) => write!(out, r#"{{"tools":{}}}"#, Served::default().list()),
            (_, true) => out.write_all(markdown().as_bytes()),
            _ => out.write_all(plain().as_bytes()),
        };
        let written = written.and_then(|()| out.flush());
        Ok(u8::from(!diagnostics::say_unless_written(written)))
    }
}

/// A Markdown table, as it stands in the README.
fn markdown() -> String {
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
fn plain() -> String {
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
    let tools = Served::default();
    let listed = tools.tools().iter().map(|tool| tool.listed());
    let listed = listed.map(|text| serde_json::from_str(text).expect("it is generated as JSON"));
    listed.map(|tool| row(&tool)).collect()
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
