//! The memory file in memory: the graph, and beside it the bytes of every
//! record, so that a record that no change touches is written as it was read
//! (docs/behaviour.md, "The memory file"). Reading and replacing the file
//! itself is left to others.

use std::collections::BTreeMap;
use std::sync::Arc;

mod load;

use super::edit::{ObservationsEdit, write_entity, write_relation};
use super::parts::{BadLine, bad_lines};
use super::records::{Records, Span};
use crate::graph::{Change, EntityId, Graph, RelationId, Texts};
use load::Loader;

/// The largest file that is read: half of what 32-bit addresses reach, so that
/// there is room for what is added before it is read again.
pub const MAX_BYTES: usize = 1 << 31;

/// What is wrong with a file of so many bytes, if that is more than is read.
pub fn too_large(bytes: usize) -> Option<BadLine> {
    (bytes > MAX_BYTES).then(|| BadLine {
        line: 1,
        column: 1,
        reason: format!("the file has {bytes} bytes, more than the {MAX_BYTES} that can be read"),
    })
}

/// More gaps than this in the file's bytes, and they are copied together.
const MAX_GAPS: usize = 1000;

/// A memory file. Cloning copies lists of places, not the file's bytes.
#[derive(Debug, Clone)]
pub struct Document {
    graph: Graph,
    records: Records,
    /// What was read.
    base: Base,
    /// The records that were written since, each with its LF. Their addresses
    /// begin two behind the base's end, so that no span runs from one into the
    /// other.
    own: Vec<u8>,
    on_disk: OnDisk,
    /// In how many places slices were broken up since the file was read, at
    /// most.
    gaps: usize,
    /// What was appended to `own` last.
    last_written: Written,
}

/// Records of one sort that are written one after the other stay one slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Nothing,
    Edit,
    Entity,
    Relation,
}

#[derive(Debug, Clone)]
enum Base {
    /// UTF-8, which the graph's texts point into.
    Text(Arc<String>),
    /// Not UTF-8; the graph has copies of its strings.
    Bytes(Arc<Vec<u8>>),
}

impl Base {
    fn bytes(&self) -> &[u8] {
        match self {
            Base::Text(text) => text.as_bytes(),
            Base::Bytes(bytes) => bytes,
        }
    }
}

/// What the file on disk is known to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnDisk {
    /// The bytes that were read.
    Base,
    /// The bytes that [`Document::slices`] gives.
    Slices,
    /// Neither.
    Unknown,
}

impl Default for Document {
    fn default() -> Self {
        Document::parse(Vec::new()).expect("an empty file has no bad line")
    }
}

/// Reading.
impl Document {
    /// Reads a whole file.
    ///
    /// # Errors
    /// All bad lines.
    pub fn parse(bytes: Vec<u8>) -> Result<Document, Vec<BadLine>> {
        if let Some(bad) = too_large(bytes.len()) {
            return Err(vec![bad]);
        }
        let mut document = Document::load(bytes)?;
        // Each CR before a line end and each blank around a record is a gap
        // between the slices that a write hands to the system. A file with
        // very many of them (one edited on Windows, say) is copied here once,
        // without what is not kept; the next write then puts that copy in
        // place, whatever it changes.
        if document.slices().len() > MAX_GAPS {
            document = Document::load(document.to_bytes())?;
            document.on_disk = OnDisk::Unknown;
        }
        Ok(document)
    }

    fn load(bytes: Vec<u8>) -> Result<Document, Vec<BadLine>> {
        let (base, texts) = match String::from_utf8(bytes) {
            Ok(text) => {
                let text = Arc::new(text);
                let texts = Texts::new(Arc::clone(&text), text.len());
                (Base::Text(text), texts)
            }
            Err(error) => (Base::Bytes(Arc::new(error.into_bytes())), Texts::default()),
        };
        let mut loader = Loader {
            bytes: base.bytes(),
            is_utf8: matches!(base, Base::Text(_)),
            graph: Graph::over(texts),
            records: Records::default(),
            observations: Vec::new(),
        };
        if loader.read_lines().is_err() {
            return Err(bad_lines(loader.bytes));
        }
        let Loader {
            mut graph,
            mut records,
            ..
        } = loader;
        graph.shrink();
        records.shrink();
        Ok(Document {
            graph,
            records,
            base,
            own: Vec::new(),
            on_disk: OnDisk::Base,
            gaps: 0,
            last_written: Written::Nothing,
        })
    }

    /// What the file says.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether the file, which holds `bytes`, is known to be the one that was
    /// read or last saved. False may also mean that it is not known.
    pub fn matches(&self, mut bytes: &[u8]) -> bool {
        match self.on_disk {
            OnDisk::Base => self.base.bytes() == bytes,
            OnDisk::Unknown => false,
            OnDisk::Slices => {
                for slice in self.slices() {
                    match bytes.strip_prefix(slice) {
                        Some(rest) => bytes = rest,
                        None => return false,
                    }
                }
                bytes.is_empty()
            }
        }
    }
}

/// Changing and writing.
impl Document {
    /// The graph, to change it; [`apply_changes`](Self::apply_changes) then
    /// brings the records up to date.
    pub fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    /// Brings the records up to date with what was changed in the graph.
    /// False when nothing was.
    pub fn apply_changes(&mut self) -> bool {
        let changes = self.graph.take_changes();
        if changes.is_empty() {
            return false;
        }
        self.on_disk = OnDisk::Unknown;
        let mut batch = Batch::default();
        for change in changes {
            self.apply(change, &mut batch);
        }
        self.insert_awaited(&mut batch);
        for (id, edit) in batch.edits {
            if !self.records.is_entity_gone(id) {
                let span = self.write(Written::Edit, |_, out| edit.write(out));
                self.records.set_entity(id, span);
            }
        }
        for id in batch.new_entities {
            if !self.records.is_entity_gone(id) {
                let span = self.write(Written::Entity, |graph, out| write_entity(graph, id, out));
                self.records.set_entity(id, span);
            }
        }
        for id in batch.new_relations {
            if !self.records.is_relation_gone(id) {
                let span = self.write(Written::Relation, |graph, out| {
                    write_relation(graph, id, out)
                });
                self.records.set_relation(id, span);
            }
        }
        true
    }

    fn apply(&mut self, change: Change, batch: &mut Batch) {
        match change {
            Change::EntityAdded(id) => {
                batch.new_entities.push(id);
                batch.awaited += 1;
            }
            Change::RelationAdded(id) => {
                batch.new_relations.push(id);
                self.records.append_relation();
            }
            Change::EntityRemoved(id) => {
                self.insert_awaited(batch);
                self.gaps += 1;
                self.records.remove_entity(id);
            }
            Change::RelationRemoved(id) => {
                self.insert_awaited(batch);
                self.gaps += 1;
                self.records.remove_relation(id);
            }
            Change::ObservationsAdded(id, texts) => {
                if let Some(edit) = self.edit(id, batch) {
                    edit.add(&self.graph, &texts);
                }
            }
            Change::ObservationsRemoved(id, places) => {
                if let Some(edit) = self.edit(id, batch) {
                    edit.remove(&places);
                }
            }
        }
    }

    /// The edit of a stored entity's record. None for a new one, whose record
    /// is written at the end of the batch anyway.
    fn edit<'a>(&self, id: EntityId, batch: &'a mut Batch) -> Option<&'a mut ObservationsEdit> {
        if batch.new_entities.first().is_some_and(|&first| id >= first) {
            return None;
        }
        let record = self.bytes(self.records.entity(id));
        Some(
            batch
                .edits
                .entry(id)
                .or_insert_with(|| ObservationsEdit::new(record)),
        )
    }

    /// Gives the new entities of the batch their place, all at once. Only a
    /// removal can change which place that is.
    fn insert_awaited(&mut self, batch: &mut Batch) {
        if batch.awaited > 0 {
            self.records.insert_entities(batch.awaited);
            batch.awaited = 0;
        }
    }

    fn write(&mut self, what: Written, record: impl FnOnce(&Graph, &mut Vec<u8>)) -> Span {
        if what == Written::Edit || what != self.last_written {
            self.gaps += 2;
        }
        self.last_written = what;
        let start = self.own_at() + self.own.len();
        record(&self.graph, &mut self.own);
        let end = self.own_at() + self.own.len();
        self.own.push(b'\n');
        Span::new(start, end)
    }

    /// The bytes to write, in as few slices as there are gaps in what was read:
    /// where a record went or came, and where something stands that is not
    /// written again (a BOM, blank lines, blanks around a record, CR).
    pub fn slices(&self) -> Vec<&[u8]> {
        let mut slices = Vec::new();
        let mut run: Option<Span> = None;
        for span in self.records.spans() {
            run = Some(match run {
                // Between two records is an LF at least, so the one byte here is
                // it. Looking would cost a cache miss a record.
                Some(run) if span.start == run.end + 1 => Span {
                    start: run.start,
                    end: span.end,
                },
                _ => {
                    run.into_iter().for_each(|run| self.push(run, &mut slices));
                    span
                }
            });
        }
        run.into_iter().for_each(|run| self.push(run, &mut slices));
        slices
    }

    /// Adds a run of records with the LF of its last one.
    fn push<'a>(&'a self, run: Span, slices: &mut Vec<&'a [u8]>) {
        if self.has_lf(run) {
            let with_lf = Span {
                start: run.start,
                end: run.end + 1,
            };
            slices.push(self.bytes(with_lf));
        } else {
            slices.push(self.bytes(run));
            slices.push(b"\n");
        }
    }

    /// The bytes to write, in one piece.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.slices().concat()
    }

    /// How many bytes would be written, if they are more than `limit`.
    pub fn exceeds(&self, limit: usize) -> Option<usize> {
        // All that was ever read and written, and an LF behind the last record,
        // is nearly always less. Only else it is worth counting.
        if self.base.bytes().len() + self.own.len() < limit {
            return None;
        }
        let size = self.slices().iter().map(|slice| slice.len()).sum();
        (size > limit).then_some(size)
    }

    /// Says that the file now holds what [`slices`](Self::slices) gives.
    pub fn saved(&mut self) {
        self.on_disk = OnDisk::Slices;
    }

    /// Whether so much was changed since the file was read that
    /// [`renewed`](Self::renewed) pays: many slices, or much memory for what
    /// is no longer there.
    pub fn is_worn(&self) -> bool {
        let grown = self.own.len() + self.graph.growth();
        self.gaps > MAX_GAPS || grown > (self.base.bytes().len() / 4).max(1 << 20)
    }

    /// The same document over one piece of bytes. Slots of the graph change.
    pub fn renewed(&self) -> Document {
        let mut renewed = Document::load(self.to_bytes())
            .expect("what a document writes is a memory file without bad lines");
        renewed.on_disk = match self.on_disk {
            OnDisk::Slices => OnDisk::Base,
            _ => OnDisk::Unknown,
        };
        renewed
    }
}

/// Addresses: first the bytes that were read, then those written since.
impl Document {
    fn own_at(&self) -> usize {
        self.base.bytes().len() + 2
    }

    fn bytes(&self, span: Span) -> &[u8] {
        let (start, end) = (span.start as usize, span.end as usize);
        match start.checked_sub(self.own_at()) {
            Some(start) => &self.own[start..end - self.own_at()],
            None => &self.base.bytes()[start..end],
        }
    }

    /// Whether an LF follows the record right away.
    fn has_lf(&self, span: Span) -> bool {
        let end = span.end as usize;
        let next = match end.checked_sub(self.own_at()) {
            Some(end) => self.own.get(end),
            None => self.base.bytes().get(end),
        };
        next == Some(&b'\n')
    }
}

/// What is collected over the changes of one journal.
#[derive(Default)]
struct Batch {
    new_entities: Vec<EntityId>,
    new_relations: Vec<RelationId>,
    edits: BTreeMap<EntityId, ObservationsEdit>,
    /// How many of the new entities have no place yet, the last ones.
    awaited: usize,
}
