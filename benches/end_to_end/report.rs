//! The figures as Markdown tables and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::figures::{Figures, Operation};
use crate::{LIMIT, LIMIT_FSYNC, OURS, OURS_NEVER};

/// What is held against what: the table's rows.
pub const ROWS: [Row; 19] = [
    Row::of(Operation::Initialize, OURS, None),
    Row::of(Operation::Start, OURS, Some(LIMIT)),
    Row::of(Operation::CreateEntity, OURS, Some(LIMIT_FSYNC)),
    Row::of(Operation::CreateEntity, OURS_NEVER, Some(LIMIT)),
    Row::of(Operation::AddObservation, OURS, Some(LIMIT_FSYNC)),
    Row::of(Operation::AddObservation, OURS_NEVER, Some(LIMIT)),
    Row::of(Operation::CreateRelation, OURS, Some(LIMIT_FSYNC)),
    Row::of(Operation::CreateRelation, OURS_NEVER, Some(LIMIT)),
    Row::of(Operation::NoChange, OURS, None),
    Row::of(Operation::FirstSearch, OURS, None),
    Row::of(Operation::Search, OURS, Some(LIMIT)),
    Row::of(Operation::Open, OURS, None),
    Row::of(Operation::ReadGraph, OURS, Some(LIMIT)),
    Row::of(Operation::Pipelined, OURS, None),
    Row::of(Operation::Pipelined, OURS_NEVER, None),
    Row::of(Operation::Ping, OURS, None),
    Row::of(Operation::IdleMemory, OURS, None),
    Row::of(Operation::PeakBefore, OURS, None),
    Row::of(Operation::PeakAfter, OURS, None),
];

/// One row: an operation of ours, and the limit that it is held against.
#[derive(Clone, Copy)]
pub struct Row {
    operation: Operation,
    ours: &'static str,
    limit: Option<&'static str>,
}

impl Row {
    const fn of(operation: Operation, ours: &'static str, limit: Option<&'static str>) -> Row {
        Row {
            operation,
            ours,
            limit,
        }
    }
}

/// The table of one size.
pub fn table(figures: &Figures, entities: usize, file_bytes: usize, others: &[String]) -> String {
    let mut table = String::new();
    let mut line = |cells: &[String]| {
        writeln!(table, "| {} |", cells.join(" | ")).expect("a String takes everything");
    };
    let mut head: Vec<String> = [
        &format!(
            "{} entities, {}",
            grouped(entities),
            megabytes(file_bytes as f64)
        ),
        "mcp-memory",
        "limit",
        "× limit",
    ]
    .map(str::to_owned)
    .to_vec();
    for other in others {
        head.extend([other.clone(), format!("{other} ÷ ours")]);
    }
    line(&head);
    let mut rule = vec!["---".to_owned()];
    rule.resize(head.len(), "--:".to_owned());
    line(&rule);
    for row in ROWS {
        let Some(ours) = figures.median(entities, row.ours, row.operation) else {
            continue;
        };
        let limit = row
            .limit
            .and_then(|limit| figures.median(entities, limit, row.operation));
        let mut title = row.operation.title().to_owned();
        if row.ours == OURS_NEVER {
            title.push_str(", `--fsync=never`");
        }
        let mut cells = vec![
            title,
            amount(row.operation, Some(ours)),
            amount(row.operation, limit),
            limit.map_or_else(String::new, |limit| significant(ours / limit)),
        ];
        for other in others {
            let theirs = figures.median(entities, other, row.operation);
            cells.push(amount(row.operation, theirs));
            cells.push(theirs.map_or_else(String::new, |theirs| significant(theirs / ours)));
        }
        line(&cells);
    }
    table
}

/// Everything, for programs.
pub fn json(figures: &Figures) -> Value {
    json!({
        "cpus": std::thread::available_parallelism().map_or(0, usize::from),
        "figures": figures.iter().map(|figure| figure.to_json()).collect::<Vec<_>>(),
    })
}

/// 300,000
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn amount(operation: Operation, value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(bytes) if operation.is_memory() => megabytes(bytes),
        Some(milliseconds) => format!("{} ms", significant(milliseconds)),
    }
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", significant(bytes / 1e6))
}

/// Three digits, more where the number has more before the point.
fn significant(value: f64) -> String {
    let before_point = value.abs().log10().floor().max(-3.0) as i32 + 1;
    let decimals = usize::try_from(3 - before_point).unwrap_or(0);
    format!("{value:.decimals$}")
}
