//! What is asked of a server, how often, and whether it really did it: a fast
//! wrong answer is an error, not a figure.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use memchr::memmem;
use serde_json::{Value, json};

use crate::figures::{Figures, Operation};
use crate::generate::{HITS, NEEDLE, entity_name};
use crate::server::{Buffer, Server, ServerCommand};

/// How many creates are sent at once.
const PIPELINED: usize = 200;

/// So many writes of a process are not counted: the first ones wait for the
/// system to find memory for the new file, the later ones get the old file's.
pub const UNCOUNTED: usize = 3;

/// How often things are done. 0 leaves them out.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Processes started.
    pub starts: usize,
    /// Reads.
    pub reads: usize,
    /// Writes of one fact.
    pub writes: usize,
    /// `read_graph`.
    pub read_graphs: usize,
    /// 200 pipelined creates, each on a new process.
    pub pipelines: usize,
}

/// A graph that is measured on.
pub struct Subject<'a> {
    /// How many entities it has.
    pub entities: usize,
    /// Its memory file; not changed.
    pub original: &'a Path,
    /// Where copies of it go.
    pub copy: &'a Path,
}

impl Subject<'_> {
    /// Makes the copy anew. Then waits until its time stamp is older than the
    /// coarsest clock ticks, since a server that is careful reads a younger
    /// file again at each call.
    fn renew_copy(&self) -> io::Result<()> {
        // A new file: a server may hold the old one.
        match fs::remove_file(self.copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::copy(self.original, self.copy)?;
        fs::File::open(self.copy)?.sync_all()?;
        std::thread::sleep(Duration::from_millis(2100));
        Ok(())
    }
}

/// Measures one server at one size, and gives the buffer back.
pub fn measure(
    command: &ServerCommand,
    subject: &Subject,
    plan: Plan,
    mut buffer: Buffer,
    figures: &mut Figures,
) -> io::Result<Buffer> {
    subject.renew_copy()?;
    buffer = starts(command, subject, plan.starts, buffer, figures)?;
    buffer = session(command, subject, plan, buffer, figures)?;
    let mut times = Vec::new();
    for _ in 0..plan.pipelines {
        subject.renew_copy()?;
        let (time, back) = pipelined(command, subject, buffer)?;
        times.push(time);
        buffer = back;
    }
    figures.add_times(
        subject.entities,
        &command.name,
        Operation::Pipelined,
        &times,
    );
    Ok(buffer)
}

fn starts(
    command: &ServerCommand,
    subject: &Subject,
    count: usize,
    mut buffer: Buffer,
    figures: &mut Figures,
) -> io::Result<Buffer> {
    if count == 0 {
        return Ok(buffer);
    }
    let mut initialized = Vec::new();
    let mut answered = Vec::new();
    for _ in 0..count {
        let start = Instant::now();
        let mut server = command.start(subject.copy, buffer)?;
        server.initialize()?;
        initialized.push(start.elapsed());
        open(&mut server, subject)?;
        answered.push(start.elapsed());
        buffer = server.close()?;
    }
    let mut server = command.start(subject.copy, buffer)?;
    server.initialize()?;
    // Until everything that a start sets off has come to rest.
    server.request("ping", &json!({}))?;
    std::thread::sleep(Duration::from_millis(200));
    let (entities, who) = (subject.entities, &command.name);
    figures.add_bytes(entities, who, Operation::IdleMemory, server.resident()?);
    figures.add_times(entities, who, Operation::Initialize, &initialized);
    figures.add_times(entities, who, Operation::Start, &answered);
    server.close()
}

/// One process that does everything but start and pipelining.
fn session(
    command: &ServerCommand,
    subject: &Subject,
    plan: Plan,
    buffer: Buffer,
    figures: &mut Figures,
) -> io::Result<Buffer> {
    let (entities, who) = (subject.entities, &command.name);
    let mut server = command.start(subject.copy, buffer)?;
    server.initialize()?;
    let existing = entity_name(0);

    let mut add = |operation, times: Vec<Duration>| {
        figures.add_times(entities, who, operation, &times);
    };
    // What a first call sets up, such as the index by name, is not counted.
    open(&mut server, subject)?;
    add(
        Operation::Ping,
        repeat(plan.reads, |_| server.request("ping", &json!({})))?,
    );
    add(
        Operation::Open,
        repeat(plan.reads, |_| open(&mut server, subject))?,
    );
    add(
        Operation::FirstSearch,
        repeat(plan.reads.min(1), |_| search(&mut server))?,
    );
    add(
        Operation::Search,
        repeat(plan.reads, |_| search(&mut server))?,
    );
    let same = json!({"entities": [entity(&existing)]});
    add(
        Operation::NoChange,
        repeat(plan.writes, |_| server.call("create_entities", &same))?,
    );
    repeat(UNCOUNTED, |number| {
        let uncounted = entity(&format!("Uncounted_{number}"));
        server.call("create_entities", &json!({"entities": [uncounted]}))
    })?;
    add(
        Operation::CreateEntity,
        repeat(plan.writes, |number| {
            let name = format!("Fresh_{number}");
            let time = server.call("create_entities", &json!({"entities": [entity(&name)]}))?;
            expect_text(&server, &name)?;
            Ok(time)
        })?,
    );
    add(
        Operation::AddObservation,
        repeat(plan.writes, |number| {
            let text = format!("a fresh observation of about the usual length, number {number}");
            let item = json!({"entityName": existing, "contents": [text]});
            let time = server.call("add_observations", &json!({"observations": [item]}))?;
            expect_text(&server, &text)?;
            Ok(time)
        })?,
    );
    add(
        Operation::CreateRelation,
        repeat(plan.writes, |number| {
            let relation_type = format!("fresh_{number}");
            let to = entity_name(entities / 2);
            let relation = json!({"from": existing, "to": to, "relationType": relation_type});
            let time = server.call("create_relations", &json!({"relations": [relation]}))?;
            expect_text(&server, &relation_type)?;
            Ok(time)
        })?,
    );
    figures.add_bytes(entities, who, Operation::PeakBefore, server.peak()?);
    let read_graphs = repeat(plan.read_graphs, |_| {
        let time = server.call("read_graph", &json!({}))?;
        expect(&server, entities + UNCOUNTED + plan.writes)?;
        Ok(time)
    })?;
    figures.add_times(entities, who, Operation::ReadGraph, &read_graphs);
    figures.add_bytes(entities, who, Operation::PeakAfter, server.peak()?);
    server.close()
}

/// The reply to `read_graph`, with its line feed, for the limit program.
pub fn graph_reply(
    command: &ServerCommand,
    subject: &Subject,
    buffer: Buffer,
) -> io::Result<(Vec<u8>, Buffer)> {
    let mut server = command.start(subject.original, buffer)?;
    server.initialize()?;
    server.call("read_graph", &json!({}))?;
    let mut reply = server.reply().to_vec();
    reply.push(b'\n');
    Ok((reply, server.close()?))
}

fn pipelined(
    command: &ServerCommand,
    subject: &Subject,
    buffer: Buffer,
) -> io::Result<(Duration, Buffer)> {
    let calls: Vec<Value> = (0..PIPELINED)
        .map(|number| json!({"entities": [entity(&format!("Fresh_{number}"))]}))
        .collect();
    let mut server = command.start(subject.copy, buffer)?;
    server.initialize()?;
    open(&mut server, subject)?;
    let time = server.pipeline("create_entities", &calls)?;
    let buffer = server.close()?;
    let stored = fs::read(subject.copy)?;
    let stored = memmem::find_iter(&stored, r#""name":"Fresh_"#).count();
    // How many the reference keeps is part of the picture.
    if stored != PIPELINED {
        eprintln!(
            "  {}: {stored} of {PIPELINED} pipelined creates were stored",
            command.name
        );
    }
    Ok((time, buffer))
}

fn repeat(
    count: usize,
    mut once: impl FnMut(usize) -> io::Result<Duration>,
) -> io::Result<Vec<Duration>> {
    (0..count).map(&mut once).collect()
}

fn open(server: &mut Server, subject: &Subject) -> io::Result<Duration> {
    let last = subject.entities - 1;
    let names = [0, last / 2, last].map(entity_name);
    let time = server.call("open_nodes", &json!({"names": names}))?;
    expect(server, 3)?;
    Ok(time)
}

fn search(server: &mut Server) -> io::Result<Duration> {
    let time = server.call("search_nodes", &json!({"query": NEEDLE}))?;
    expect(server, HITS)?;
    Ok(time)
}

/// An error unless the answer shows this many entities.
fn expect(server: &Server, entities: usize) -> io::Result<()> {
    // In the text they are escaped, so this counts structuredContent alone.
    let shown = memmem::find_iter(server.reply(), r#""entityType":"#).count();
    if shown == entities {
        return Ok(());
    }
    Err(unexpected(
        server,
        &format!("{entities} entities, not {shown}"),
    ))
}

/// An error unless the answer shows this text, which only a success does.
fn expect_text(server: &Server, text: &str) -> io::Result<()> {
    let is_error = memmem::find(server.reply(), br#""isError":true"#).is_some();
    if !is_error && memmem::find(server.reply(), text.as_bytes()).is_some() {
        return Ok(());
    }
    Err(unexpected(server, text))
}

fn unexpected(server: &Server, wanted: &str) -> io::Error {
    let reply = String::from_utf8_lossy(&server.reply()[..server.reply().len().min(300)]);
    io::Error::other(format!("expected {wanted}, got: {reply}"))
}

fn entity(name: &str) -> Value {
    json!({
        "name": name,
        "entityType": "project",
        "observations": ["an observation of a fresh entity, about as long as the others are"],
    })
}
