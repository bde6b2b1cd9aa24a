//! What was measured: of whom, at which size, which operation, how often.

use std::time::Duration;

use serde_json::{Value, json};

/// What is measured, in the order of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// From the start of the process to the answer to `initialize`.
    Initialize,
    /// From the start of the process to the answer to an `open_nodes` of 3.
    Start,
    /// `create_entities` of one.
    CreateEntity,
    /// `add_observations` of one.
    AddObservation,
    /// `create_relations` of one.
    CreateRelation,
    /// A mutation that changes nothing: an entity that exists.
    NoChange,
    /// `search_nodes` with ten hits, the first one of a process.
    FirstSearch,
    /// `search_nodes` with ten hits.
    Search,
    /// `open_nodes` of three.
    Open,
    /// `read_graph`.
    ReadGraph,
    /// 200 `create_entities` of one, sent without waiting.
    Pipelined,
    /// `ping`.
    Ping,
    /// Resident memory after `initialize`.
    IdleMemory,
    /// Peak resident memory after all of the above but `read_graph`.
    PeakBefore,
    /// Peak resident memory after `read_graph`.
    PeakAfter,
}

impl Operation {
    /// What the tables call it.
    pub fn title(self) -> &'static str {
        match self {
            Operation::Initialize => "start, initialize answered",
            Operation::Start => "start to first answer",
            Operation::CreateEntity => "create 1 entity",
            Operation::AddObservation => "add 1 observation",
            Operation::CreateRelation => "create 1 relation",
            Operation::NoChange => "a mutation that changes nothing",
            Operation::FirstSearch => "search, 10 hits, the first",
            Operation::Search => "search, 10 hits",
            Operation::Open => "open 3 nodes",
            Operation::ReadGraph => "read_graph",
            Operation::Pipelined => "200 pipelined creates",
            Operation::Ping => "ping",
            Operation::IdleMemory => "memory, idle",
            Operation::PeakBefore => "peak memory before read_graph",
            Operation::PeakAfter => "peak memory after read_graph",
        }
    }

    /// Whether it counts bytes, not time.
    pub fn is_memory(self) -> bool {
        matches!(
            self,
            Operation::IdleMemory | Operation::PeakBefore | Operation::PeakAfter
        )
    }
}

/// One line of the result.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The size of the graph.
    pub entities: usize,
    /// The server or limit program.
    pub who: String,
    /// What it did.
    pub operation: Operation,
    /// Milliseconds or bytes, ascending.
    values: Vec<f64>,
}

impl Figure {
    /// A figure of at least one value.
    pub fn new(entities: usize, who: &str, operation: Operation, mut values: Vec<f64>) -> Figure {
        assert!(!values.is_empty(), "a figure has a value");
        values.sort_by(f64::total_cmp);
        Figure {
            entities,
            who: who.to_owned(),
            operation,
            values,
        }
    }

    /// The middle value.
    pub fn median(&self) -> f64 {
        let middle = self.values.len() / 2;
        if self.values.len().is_multiple_of(2) {
            f64::midpoint(self.values[middle - 1], self.values[middle])
        } else {
            self.values[middle]
        }
    }

    /// For the JSON report.
    pub fn to_json(&self) -> Value {
        json!({
            "entities": self.entities,
            "who": self.who,
            "operation": self.operation.title(),
            "unit": if self.operation.is_memory() { "bytes" } else { "ms" },
            "median": self.median(),
            "least": self.values[0],
            "most": self.values[self.values.len() - 1],
            "repetitions": self.values.len(),
        })
    }
}

/// The figures of a run.
#[derive(Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// Adds times. None at all adds nothing.
    pub fn add_times(
        &mut self,
        entities: usize,
        who: &str,
        operation: Operation,
        times: &[Duration],
    ) {
        let values: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        if !values.is_empty() {
            self.0.push(Figure::new(entities, who, operation, values));
        }
    }

    /// Adds an amount of memory.
    pub fn add_bytes(&mut self, entities: usize, who: &str, operation: Operation, bytes: u64) {
        self.0
            .push(Figure::new(entities, who, operation, vec![bytes as f64]));
    }

    /// The median of what was measured, if it was.
    pub fn median(&self, entities: usize, who: &str, operation: Operation) -> Option<f64> {
        self.0
            .iter()
            .find(|figure| {
                figure.entities == entities && figure.who == who && figure.operation == operation
            })
            .map(Figure::median)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        self.0.iter()
    }
}
