//! The parts by themselves: load, save, search, validation, dispatch. What a
//! client sees of them is measured by `end_to_end`.

#[path = "end_to_end/generate.rs"]
mod generate;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use mcp_memory::ending::Ending;
use mcp_memory::store::RealDisk;
use mcp_memory::store::format::document::Document;
use mcp_memory::store::lock::LockTiming;
use mcp_memory::store::memory::{Memory, Options};
use mcp_memory::tools::handlers::MemoryHandlers;
use mcp_memory::tools::{MemoryTools, Served, Tool, Tools as _, validate};
use serde_json::{Map, Value, json};

const ENTITIES: usize = 10_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    store(&mut criterion);
    search(&mut criterion);
    validation(&mut criterion);
    dispatch(&mut criterion);
    criterion.final_summary();
}

fn document() -> Document {
    Document::parse(generate::memory_file(ENTITIES).into_bytes())
        .expect("a generated graph has no bad line")
}

fn store(criterion: &mut Criterion) {
    let file = generate::memory_file(ENTITIES).into_bytes();
    criterion.bench_function("load", |bencher| {
        bencher.iter_batched(
            || file.clone(),
            |bytes| Document::parse(bytes).expect("a generated graph has no bad line"),
            BatchSize::LargeInput,
        );
    });
    // What a write does before it touches the disk.
    criterion.bench_function("save one new entity", |bencher| {
        bencher.iter_batched_ref(
            document,
            |document| {
                let graph = document.graph_mut();
                graph.create_entity("fresh", "project", &["one".to_owned()]);
                document.apply_changes();
                document.slices().len()
            },
            BatchSize::LargeInput,
        );
    });
}

fn search(criterion: &mut Criterion) {
    let document = document();
    criterion.bench_function("build the search text", |bencher| {
        bencher.iter_batched_ref(
            self::document,
            |document| document.graph().search(generate::NEEDLE).len(),
            BatchSize::LargeInput,
        );
    });
    let graph = document.graph();
    criterion.bench_function("search", |bencher| {
        bencher.iter(|| graph.search(generate::NEEDLE).len());
    });
}

fn validation(criterion: &mut Criterion) {
    criterion.bench_function("validate create_entities", |bencher| {
        bencher.iter_batched(
            create_arguments,
            |arguments| validate::arguments(Tool::CreateEntities, Some(arguments)),
            BatchSize::SmallInput,
        );
    });
}

/// A call from its arguments to its outcome, through the store's thread.
fn dispatch(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("memory.jsonl");
    std::fs::write(&path, generate::memory_file(ENTITIES)).expect("the memory file");
    let options = Options {
        path,
        fsync: false,
        lock_timeout: Duration::from_secs(1),
        lock_timing: LockTiming::default(),
    };
    let (memory, worker) =
        Memory::start(options, Arc::new(RealDisk), &Ending::default()).expect("a thread");
    let tools = MemoryTools::new(memory, MemoryHandlers::default(), Served::default());
    let names: Map<String, Value> = [("names".to_owned(), json!([generate::entity_name(7)]))]
        .into_iter()
        .collect();
    criterion.bench_function("dispatch open_nodes", |bencher| {
        bencher.iter_batched(
            || names.clone(),
            |arguments| {
                let call = tools.call(Tool::OpenNodes, Some(arguments));
                wait(call).expect("an outcome")
            },
            BatchSize::SmallInput,
        );
    });
    drop(tools);
    worker.join();
}

fn create_arguments() -> Map<String, Value> {
    let entity = json!({
        "name": "fresh", "entityType": "project", "observations": ["one", "two", "three"],
    });
    [("entities".to_owned(), json!([entity]))]
        .into_iter()
        .collect()
}

/// Runs a future to its end on this thread.
fn wait<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
