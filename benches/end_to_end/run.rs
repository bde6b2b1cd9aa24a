//! The command line, and the order of a run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::figures::{Figures, Operation};
use crate::operations::{Plan, Subject, UNCOUNTED, graph_reply, measure};
use crate::server::{Buffer, ServerCommand};
use crate::{LIMIT, LIMIT_FSYNC, OURS, OURS_NEVER, generate, limits, plot, report};

/// Up to here 200 writes at once are asked of other servers, too; the reference
/// holds the graph 200 times then.
const OTHERS_PIPELINE_UP_TO: usize = 1000;

/// Measures mcp-memory and other servers over stdio on graphs of several sizes.
#[derive(Parser)]
struct Options {
    /// The sizes of the graphs
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "100,1000,10000,100000,300000"
    )]
    entities: Vec<usize>,
    /// How often mcp-memory does what takes milliseconds; what takes longer and
    /// other servers are measured less often
    #[arg(long, value_name = "N", default_value_t = 21)]
    repetitions: usize,
    /// Another server that keeps its graph in MEMORY_FILE_PATH: its name, = and
    /// its command, split at spaces; may be given several times
    #[arg(long, value_name = "NAME=COMMAND", value_parser = server_command)]
    server: Vec<ServerCommand>,
    /// Whether all of it works: 1,000 entities, two repetitions
    #[arg(long)]
    smoke: bool,
    /// Runs everything on one CPU
    #[arg(long, value_name = "NUMBER")]
    cpu: Option<usize>,
    /// Writes the tables and the picture into docs/, too
    #[arg(long)]
    record: bool,
    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
    /// Be the limit program for replies
    #[arg(long, hide = true, value_name = "FILE")]
    emit: Option<PathBuf>,
}

/// Runs the benchmark.
pub fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.emit {
        Some(file) => limits::emit(file),
        None => run(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("end_to_end: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut options: Options) -> io::Result<()> {
    if options.smoke {
        options.entities = vec![1000];
        options.repetitions = 2;
    }
    if let Some(cpu) = options.cpu {
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set)?;
    }
    options.entities.sort_unstable();
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
    fs::create_dir_all(&output)?;
    let work = output.join("work");
    fs::create_dir_all(&work)?;

    let others: Vec<String> = options.server.iter().map(|it| it.name.clone()).collect();
    let mut figures = Figures::default();
    let mut tables = String::new();
    for &entities in &options.entities {
        eprintln!("{} entities", report::grouped(entities));
        let file_bytes = measure_size(entities, &options, &work, &mut figures)?;
        let table = report::table(&figures, entities, file_bytes, &others);
        print(&table)?;
        tables.push_str(&table);
        tables.push('\n');
    }
    fs::remove_dir_all(&work)?;

    let json = report::json(&figures);
    fs::write(output.join("end_to_end.json"), format!("{json:#}\n"))?;
    let picture = plot::svg(&figures, &options.entities, &others);
    fs::write(output.join("end_to_end.svg"), &picture)?;
    eprintln!(
        "wrote end_to_end.json and end_to_end.svg to {}",
        output.display()
    );
    if options.record {
        record(&tables, &picture)?;
    }
    Ok(())
}

/// Measures everybody at one size. Returns the file's length.
fn measure_size(
    entities: usize,
    options: &Options,
    work: &Path,
    figures: &mut Figures,
) -> io::Result<usize> {
    let mut text = generate::memory_file(entities);
    text.push('\n');
    let subject = Subject {
        entities,
        original: &work.join("graph.jsonl"),
        copy: &work.join("memory.jsonl"),
    };
    fs::write(subject.original, &text)?;
    // A reply to read_graph takes 2.2 times the file.
    let mut buffer = Buffer::with_room(text.len() * 5 / 2);

    let repetitions = options.repetitions;
    let plan = Plan {
        starts: repetitions,
        reads: repetitions * 5,
        writes: repetitions,
        read_graphs: repetitions.min(11),
        pipelines: repetitions.min(3),
    };
    let binary = env!("CARGO_BIN_EXE_mcp-memory").to_owned();
    let [ours, ours_never] = [
        (OURS, vec![binary.clone()]),
        (OURS_NEVER, vec![binary, "--fsync=never".to_owned()]),
    ]
    .map(|(name, words)| ServerCommand {
        name: name.to_owned(),
        words,
    });
    let only_writes = Plan {
        starts: 0,
        read_graphs: 0,
        ..plan
    };
    // The limit of a write is measured before and after ours, since the disk's
    // mood changes.
    for (command, plan, limit, fsync) in [
        (&ours, plan, LIMIT_FSYNC, true),
        (&ours_never, only_writes, LIMIT, false),
    ] {
        eprintln!("  {}", command.name);
        let target = work.join("limit.jsonl");
        let replace = || limits::replace(&target, text.as_bytes(), fsync);
        let half = plan.writes.div_ceil(2);
        for _ in 0..UNCOUNTED {
            replace()?;
        }
        let mut times = (0..half)
            .map(|_| replace())
            .collect::<io::Result<Vec<_>>>()?;
        buffer = measure(command, &subject, plan, buffer, figures)?;
        for _ in 0..half {
            times.push(replace()?);
        }
        for operation in [
            Operation::CreateEntity,
            Operation::AddObservation,
            Operation::CreateRelation,
        ] {
            figures.add_times(entities, limit, operation, &times);
        }
    }

    eprintln!("  limits");
    let parses = (0..plan.starts)
        .map(|_| limits::parse(subject.original))
        .collect::<io::Result<Vec<_>>>()?;
    figures.add_times(entities, LIMIT, Operation::Start, &parses);
    if let Some(ping) = figures.median(entities, OURS, Operation::Ping) {
        let mut searches = limits::search(&text, plan.reads);
        for time in &mut searches {
            *time += std::time::Duration::from_secs_f64(ping / 1e3);
        }
        figures.add_times(entities, LIMIT, Operation::Search, &searches);
    }
    let (reply, back) = graph_reply(&ours, &subject, buffer)?;
    let reply_file = work.join("reply.json");
    fs::write(&reply_file, reply)?;
    let (pipes, back) = limits::pipe(&reply_file, plan.read_graphs, back)?;
    figures.add_times(entities, LIMIT, Operation::ReadGraph, &pipes);
    buffer = back;

    for command in &options.server {
        eprintln!("  {}", command.name);
        match measure(
            command,
            &subject,
            plan_of_others(entities, plan),
            buffer,
            figures,
        ) {
            Ok(back) => buffer = back,
            // What it did so far counts; the table shows the gaps.
            Err(error) => {
                eprintln!("  {}: {error}", command.name);
                buffer = Buffer::default();
            }
        }
    }
    Ok(text.len())
}

/// Other servers take seconds where this one takes milliseconds.
fn plan_of_others(entities: usize, plan: Plan) -> Plan {
    let (few, read_graphs) = match entities {
        0..=1000 => (11, 7),
        1001..200_000 => (5, 3),
        _ => (3, 1),
    };
    Plan {
        starts: plan.starts.min(few),
        reads: plan.reads.min(few),
        writes: plan.writes.min(few),
        read_graphs: plan.read_graphs.min(read_graphs),
        pipelines: if entities <= OTHERS_PIPELINE_UP_TO {
            plan.pipelines
        } else {
            0
        },
    }
}

/// Puts the tables between their two marks in docs/performance.md, and the
/// picture beside it.
fn record(tables: &str, picture: &str) -> io::Result<()> {
    const BEGIN: &str = "<!-- figures -->\n";
    const END: &str = "<!-- end of figures -->";
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let page = docs.join("performance.md");
    let text = fs::read_to_string(&page)?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(io::Error::other(format!(
            "no marks for the tables in {}",
            page.display()
        )));
    };
    let (head, tail) = (&text[..begin + BEGIN.len()], &text[end..]);
    fs::write(&page, format!("{head}\n{tables}{tail}"))?;
    fs::write(docs.join("performance.svg"), picture)
}

fn print(table: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut out = io::stdout().lock();
    writeln!(out, "{table}")
}

fn server_command(text: &str) -> Result<ServerCommand, String> {
    let (name, command) = text
        .split_once('=')
        .ok_or("a server is given as NAME=COMMAND")?;
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return Err(format!("no command after {name}="));
    }
    Ok(ServerCommand {
        name: name.to_owned(),
        words,
    })
}
