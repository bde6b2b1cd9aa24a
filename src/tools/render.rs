//! Graph results as JSON text, written straight from the graph.
//!
//! The reply of a large read holds the graph twice: pretty-printed inside a
//! JSON string, and compact as structuredContent. Going through
//! `serde_json::Value` would cost several times the time and memory of the
//! whole reply, so the strings are copied and escaped by hand, into a small
//! buffer, while the reply is being written.

use std::io::{self, Write};
use std::sync::Arc;

use super::{Body, Outcome, Stream};
use crate::graph::{EntityId, Graph, Selection, Text};
use crate::store::Snapshot;

/// What a read tool shows.
pub struct GraphView {
    /// The graph as it was when the tool ran.
    pub snapshot: Snapshot,
    /// What of it is shown, in stored order.
    pub selection: Selection,
    /// How many observations of each entity are shown; with a limit, each
    /// entity carries its `observationCount`.
    pub observation_limit: Option<u64>,
    /// `totalMatches` of the structured result.
    pub total_matches: Option<usize>,
    /// `notFound` of the structured result, left out when empty.
    pub not_found: Vec<String>,
}

impl GraphView {
    /// A view that shows nothing yet.
    pub fn of(snapshot: &Snapshot, observation_limit: Option<u64>) -> GraphView {
        GraphView {
            snapshot: Arc::clone(snapshot),
            selection: Selection::default(),
            observation_limit,
            total_matches: None,
            not_found: Vec::new(),
        }
    }

    /// The tool's outcome, with `note` as its second text.
    pub fn into_outcome(self, note: Option<String>) -> Outcome {
        let view = Arc::new(self);
        Outcome {
            text: Body::Streamed(Box::new(Pretty(Arc::clone(&view)))),
            note,
            structured: Body::Streamed(Box::new(Compact(view))),
        }
    }

    fn graph(&self) -> &Graph {
        self.snapshot.graph()
    }
}

/// The first text item: what `JSON.stringify(graph, null, 2)` prints.
struct Pretty(Arc<GraphView>);

impl Stream for Pretty {
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view(&self.0, Layout::PRETTY, out)
    }

    fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view(&self.0, Layout::PRETTY_IN_STRING, out)
    }
}

/// structuredContent.
struct Compact(Arc<GraphView>);

impl Stream for Compact {
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view(&self.0, Layout::COMPACT, out)
    }

    fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut plain = Vec::new();
        self.write_plain(&mut plain)?;
        Body::Whole(String::from_utf8_lossy(&plain).into_owned()).write_escaped(out)
    }
}

/// How JSON is laid out.
#[derive(Clone, Copy)]
struct Layout {
    newline: &'static str,
    indent: &'static str,
    quote: &'static str,
    colon: &'static str,
    /// The backslash of an escape, as it stands in the output.
    backslash: &'static str,
    /// Whether the members that only structuredContent has are written.
    structured: bool,
}

impl Layout {
    const PRETTY: Layout = Layout {
        newline: "\n",
        indent: "  ",
        quote: "\"",
        colon: ": ",
        backslash: "\\",
        structured: false,
    };
    /// The pretty layout as the inside of a JSON string: every quote and
    /// backslash once more escaped.
    const PRETTY_IN_STRING: Layout = Layout {
        newline: "\\n",
        indent: "  ",
        quote: "\\\"",
        colon: ": ",
        backslash: "\\\\",
        structured: false,
    };
    const COMPACT: Layout = Layout {
        newline: "",
        indent: "",
        quote: "\"",
        colon: ":",
        backslash: "\\",
        structured: true,
    };
}

fn write_view(view: &GraphView, layout: Layout, out: &mut dyn Write) -> io::Result<()> {
    let graph = view.graph();
    let mut json = Json::new(layout, out);
    json.open("{");
    json.key("entities");
    json.open("[");
    for &id in &view.selection.entities {
        write_entity(&mut json, graph, id, view.observation_limit);
        json.flush_when_full()?;
    }
    json.close("]");
    json.key("relations");
    json.open("[");
    for &id in &view.selection.relations {
        let relation = graph.relation(id);
        json.element();
        json.open("{");
        for (key, value) in [
            ("from", relation.from),
            ("to", relation.to),
            ("relationType", relation.relation_type),
        ] {
            json.key(key);
            json.string(graph.text(value));
        }
        json.close("}");
        json.flush_when_full()?;
    }
    json.close("]");
    if layout.structured {
        if let Some(total) = view.total_matches {
            json.key("totalMatches");
            json.number(total);
        }
        if !view.not_found.is_empty() {
            json.key("notFound");
            json.open("[");
            for name in &view.not_found {
                json.element();
                json.string(name);
            }
            json.close("]");
        }
    }
    json.close("}");
    json.flush()
}

fn write_entity(json: &mut Json<'_>, graph: &Graph, id: EntityId, limit: Option<u64>) {
    let entity = graph.entity(id);
    let all: &[Text] = graph.observations(id);
    let shown = limit.map_or(all.len(), |limit| {
        usize::try_from(limit).map_or(all.len(), |limit| all.len().min(limit))
    });
    json.element();
    json.open("{");
    json.key("name");
    json.string(graph.text(entity.name));
    json.key("entityType");
    json.string(graph.text(entity.entity_type));
    json.key("observations");
    json.open("[");
    for &observation in &all[..shown] {
        json.element();
        json.string(graph.text(observation));
    }
    json.close("]");
    if limit.is_some() {
        json.key("observationCount");
        json.number(all.len());
    }
    json.close("}");
}

/// How much is written at once.
const BUFFER: usize = 64 * 1024;

/// Writes JSON in a layout.
struct Json<'a> {
    layout: Layout,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    depth: usize,
    /// Whether the innermost array or object has no member yet.
    is_empty: bool,
}

impl<'a> Json<'a> {
    fn new(layout: Layout, out: &'a mut dyn Write) -> Self {
        Json {
            layout,
            out,
            buffer: Vec::with_capacity(BUFFER + BUFFER / 4),
            depth: 0,
            is_empty: true,
        }
    }

    fn open(&mut self, bracket: &str) {
        self.push(bracket);
        self.depth += 1;
        self.is_empty = true;
    }

    fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        if !self.is_empty {
            self.new_line();
        }
        self.push(bracket);
        self.is_empty = false;
    }

    /// Goes to the next element of an array or member of an object.
    fn element(&mut self) {
        if !self.is_empty {
            self.push(",");
        }
        self.is_empty = false;
        self.new_line();
    }

    fn key(&mut self, key: &str) {
        self.element();
        self.string(key);
        self.push(self.layout.colon);
    }

    fn number(&mut self, number: usize) {
        self.push(&number.to_string());
    }

    fn string(&mut self, text: &str) {
        self.push(self.layout.quote);
        let bytes = text.as_bytes();
        let mut start = 0;
        while let Some(length) = plain_length(&bytes[start..]) {
            let special = start + length;
            self.buffer.extend_from_slice(&bytes[start..special]);
            self.escape(bytes[special]);
            start = special + 1;
        }
        self.buffer.extend_from_slice(&bytes[start..]);
        self.push(self.layout.quote);
    }

    fn escape(&mut self, byte: u8) {
        self.push(self.layout.backslash);
        match byte {
            b'"' => self.push(self.layout.quote),
            b'\\' => self.push(self.layout.backslash),
            b'\n' => self.push("n"),
            b'\t' => self.push("t"),
            b'\r' => self.push("r"),
            0x08 => self.push("b"),
            0x0C => self.push("f"),
            _ => self.push(&format!("u{byte:04x}")),
        }
    }

    fn new_line(&mut self) {
        self.push(self.layout.newline);
        for _ in 0..self.depth {
            self.push(self.layout.indent);
        }
    }

    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn flush_when_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// How many bytes stand before the first one that JSON escapes; None when none
/// does. Goes by blocks first, which the compiler turns into vector code.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 32;
    let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    let mut start = 0;
    for block in bytes.chunks_exact(BLOCK) {
        if block
            .iter()
            .fold(false, |any, &byte| any | is_special(byte))
        {
            break;
        }
        start += BLOCK;
    }
    bytes[start..]
        .iter()
        .position(|&byte| is_special(byte))
        .map(|place| start + place)
}
