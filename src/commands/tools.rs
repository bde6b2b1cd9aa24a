//! `mcp-memory tools`: the contract in print, what a client sees, read from
//! what a client is sent.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use clap::Args;
use serde_json::Value;

use crate::config::{Flags, Stop, Surroundings, serving};
use crate::diagnostics;
use crate::tools::{Served, Toolset};

/// Print the tools that a client sees
///
/// A table of every toolset, or of those that are named; --json is what is
/// served by itself, or of those that are named.
#[derive(Debug, Args)]
pub struct Tools {
    /// The payload of tools/list, as it is sent
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// A Markdown table
    #[arg(long)]
    markdown: bool,
    /// Only the tools of these sets, as the server takes them
    #[arg(long, value_name = "SETS")]
    toolsets: Option<String>,
    /// Only tools that change nothing
    #[arg(long)]
    read_only: bool,
}

impl Tools {
    /// Whatever the environment says, and wherever the memory file is: the
    /// tools are the same. Flags count before the word `tools` too.
    pub(super) fn run(self, flags: Flags, _: &Surroundings<'_>) -> Result<u8, Stop> {
        let toolsets = self.toolsets.or(flags.toolsets);
        let read_only = self.read_only || flags.read_only;
        let shown = match &toolsets {
            None if !self.json => Served::of(Toolset::ALL, read_only),
            toolsets => serving::served_by_flags(toolsets.as_deref(), read_only)?,
        };
        let out = &mut io::stdout();
        let written = match (self.json, self.markdown) {
            // The payload, byte for byte.
            (true, _) => write!(out, r#"{{"tools":{}}}"#, shown.list()),
            (_, true) => out.write_all(markdown(&shown).as_bytes()),
            _ => out.write_all(plain(&shown).as_bytes()),
        };
        let written = written.and_then(|()| out.flush());
        Ok(u8::from(!diagnostics::say_unless_written(written)))
    }
}

/// Markdown tables, as they stand in the README: one a set, each but the
/// first's with what the set is for.
fn markdown(served: &Served) -> String {
    let mut text = String::new();
    for (set, rows) in by_set(served) {
        if set != Toolset::DEFAULT {
            let (title, description) = (set.title(), set.description());
            let gap = if text.is_empty() { "" } else { "\n" };
            let flag = flag(set);
            let _ = writeln!(text, "{gap}**{title}** (`{flag}`): {description}\n");
        }
        text.push_str("| tool | arguments | kind | what it does |\n|---|---|---|---|\n");
        for row in rows {
            let arguments: Vec<String> = row.arguments.iter().map(|it| format!("`{it}`")).collect();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                row.name,
                arguments.join(", "),
                row.kind,
                row.summary.replace('|', "\\|")
            );
        }
    }
    text
}

/// For a terminal: for each set what it is for, for each tool a line of columns,
/// and below it what the tool does. A `?` marks an argument that may be left out.
fn plain(served: &Served) -> String {
    let sets = by_set(served);
    let all = || sets.iter().flat_map(|(_, rows)| rows);
    let width = |text: fn(&Row) -> &str| all().map(|row| text(row).len()).max().unwrap_or(0);
    let (names, kinds) = (width(|row| &row.name), width(|row| row.kind));
    let mut table = String::new();
    for (set, rows) in &sets {
        let gap = if table.is_empty() { "" } else { "\n" };
        let when = if *set == Toolset::DEFAULT {
            "served by itself".to_owned()
        } else {
            flag(*set)
        };
        let _ = writeln!(
            table,
            "{gap}{} ({when}): {}\n",
            set.name(),
            set.description()
        );
        for row in rows {
            let (name, kind, arguments) = (&row.name, row.kind, row.arguments.join(", "));
            let line = format!("{name:names$}  {kind:kinds$}  {arguments}");
            let _ = writeln!(table, "{}\n    {}", line.trim_end(), row.summary);
        }
    }
    table
}

/// The flag that serves a set besides what is served by itself.
fn flag(set: Toolset) -> String {
    format!("--toolsets {},{}", Toolset::DEFAULT.name(), set.name())
}

struct Row {
    name: String,
    arguments: Vec<String>,
    kind: &'static str,
    summary: String,
}

/// The rows of each set that has any.
fn by_set(served: &Served) -> Vec<(Toolset, Vec<Row>)> {
    let rows_of = |set| {
        let tools = served.tools().iter().filter(|tool| tool.toolset() == set);
        let listed = tools.map(|tool| serde_json::from_str(tool.listed()));
        let rows = listed.map(|tool| row(&tool.expect("it is generated as JSON")));
        rows.collect::<Vec<_>>()
    };
    let sets = Toolset::ALL.iter().map(|&set| (set, rows_of(set)));
    sets.filter(|(_, rows)| !rows.is_empty()).collect()
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
