//! Graph results as JSON text, written straight from the graph.
//!
//! The reply of a large read holds the graph twice: pretty-printed inside a
//! JSON string, and compact as structuredContent. Both are made while the reply
//! is being written, in a small buffer, so that neither is ever in memory as a
//! whole. serde's `Serialize` could do that too, with a writer that escapes the
//! pretty text once more, and was measured: it takes two to three times as long,
//! because every byte is looked at again after it was formatted. Here a string
//! that needs no escape, as most do, is copied in one go.

use std::io::{self, Write};
use std::marker::PhantomData;
use std::sync::Arc;

use super::outcome::{Body, Outcome, Render};
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
            snapshot: snapshot.clone(),
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
            text: Body::Rendered(Box::new(Pretty(Arc::clone(&view)))),
            note,
            structured: Body::Rendered(Box::new(Compact(view))),
        }
    }

    fn graph(&self) -> &Graph {
        self.snapshot.graph()
    }
}

/// The first text item: what `JSON.stringify(graph, null, 2)` prints.
struct Pretty(Arc<GraphView>);

impl Render for Pretty {
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view::<PrettyLayout>(&self.0, out)
    }

    fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view::<PrettyInString>(&self.0, out)
    }
}

/// structuredContent.
struct Compact(Arc<GraphView>);

impl Render for Compact {
    fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        write_view::<CompactLayout>(&self.0, out)
    }

    fn write_escaped(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut plain = Vec::new();
        self.write_plain(&mut plain)?;
        Body::Whole(String::from_utf8_lossy(&plain).into_owned()).write_escaped(out)
    }
}

/// How JSON is laid out. A trait of constants, so that the compiler makes one
/// writer for each layout, in which a quote or an indentation is one store.
trait Layout {
    const NEWLINE: &'static str;
    /// Blanks for each level.
    const INDENT: usize;
    const QUOTE: &'static str;
    const COLON: &'static str;
    /// The backslash of an escape, as it stands in the output.
    const BACKSLASH: &'static str;
    /// Whether the members that only structuredContent has are written.
    const IS_STRUCTURED: bool;
}

struct PrettyLayout;

impl Layout for PrettyLayout {
    const NEWLINE: &'static str = "\n";
    const INDENT: usize = 2;
    const QUOTE: &'static str = "\"";
    const COLON: &'static str = ": ";
    const BACKSLASH: &'static str = "\\";
    const IS_STRUCTURED: bool = false;
}

/// The pretty layout as the inside of a JSON string: every quote and backslash
/// once more escaped.
struct PrettyInString;

impl Layout for PrettyInString {
    const NEWLINE: &'static str = "\\n";
    const INDENT: usize = 2;
    const QUOTE: &'static str = "\\\"";
    const COLON: &'static str = ": ";
    const BACKSLASH: &'static str = "\\\\";
    const IS_STRUCTURED: bool = false;
}

struct CompactLayout;

impl Layout for CompactLayout {
    const NEWLINE: &'static str = "";
    const INDENT: usize = 0;
    const QUOTE: &'static str = "\"";
    const COLON: &'static str = ":";
    const BACKSLASH: &'static str = "\\";
    const IS_STRUCTURED: bool = true;
}

fn write_view<L: Layout>(view: &GraphView, out: &mut dyn Write) -> io::Result<()> {
    let graph = view.graph();
    let mut json = Json::<L>::new(out);
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
        json.key("from");
        json.text(graph, relation.from);
        json.key("to");
        json.text(graph, relation.to);
        json.key("relationType");
        json.text(graph, relation.relation_type);
        json.close("}");
        json.flush_when_full()?;
    }
    json.close("]");
    if L::IS_STRUCTURED {
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

fn write_entity<L: Layout>(
    json: &mut Json<'_, L>,
    graph: &Graph,
    id: EntityId,
    limit: Option<u64>,
) {
    let entity = graph.entity(id);
    let all: &[Text] = graph.observations(id);
    let shown = limit.map_or(all.len(), |limit| {
        usize::try_from(limit).map_or(all.len(), |limit| all.len().min(limit))
    });
    json.element();
    json.open("{");
    json.key("name");
    json.text(graph, entity.name);
    json.key("entityType");
    json.text(graph, entity.entity_type);
    json.key("observations");
    json.open("[");
    for &observation in &all[..shown] {
        json.element();
        json.text(graph, observation);
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

/// Enough for the deepest level, an observation's.
const BLANKS: &str = "                ";

/// Writes JSON in a layout.
struct Json<'a, L> {
    layout: PhantomData<L>,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    depth: usize,
    /// Whether the innermost array or object has no member yet.
    is_empty: bool,
}

impl<'a, L: Layout> Json<'a, L> {
    fn new(out: &'a mut dyn Write) -> Self {
        Json {
            layout: PhantomData,
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
    #[inline]
    fn element(&mut self) {
        if !self.is_empty {
            self.push(",");
        }
        self.is_empty = false;
        self.new_line();
    }

    /// Goes to a member of an object, whose key needs no escape.
    #[inline(always)]
    fn key(&mut self, key: &str) {
        self.element();
        self.push(L::QUOTE);
        self.push(key);
        self.push(L::QUOTE);
        self.push(L::COLON);
    }

    fn number(&mut self, number: usize) {
        self.push(&number.to_string());
    }

    /// Writes a string of the graph.
    fn text(&mut self, graph: &Graph, text: Text) {
        if graph.is_verbatim(text) {
            self.push(L::QUOTE);
            self.push(graph.text(text));
            self.push(L::QUOTE);
        } else {
            self.string(graph.text(text));
        }
    }

    fn string(&mut self, text: &str) {
        self.push(L::QUOTE);
        let bytes = text.as_bytes();
        let mut start = 0;
        while let Some(length) = plain_length(&bytes[start..]) {
            let special = start + length;
            self.buffer.extend_from_slice(&bytes[start..special]);
            self.escape(bytes[special]);
            start = special + 1;
        }
        self.buffer.extend_from_slice(&bytes[start..]);
        self.push(L::QUOTE);
    }

    fn escape(&mut self, byte: u8) {
        self.push(L::BACKSLASH);
        match byte {
            b'"' => self.push(L::QUOTE),
            b'\\' => self.push(L::BACKSLASH),
            b'\n' => self.push("n"),
            b'\t' => self.push("t"),
            b'\r' => self.push("r"),
            0x08 => self.push("b"),
            0x0C => self.push("f"),
            _ => self.push(&format!("u{byte:04x}")),
        }
    }

    fn new_line(&mut self) {
        self.push(L::NEWLINE);
        self.push(&BLANKS[..self.depth * L::INDENT]);
    }

    #[inline(always)]
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
