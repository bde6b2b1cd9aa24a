//! What `instructions.sh` counts the instructions of: one step after another
//! on one graph, as far as its argument says. The difference of two counts is
//! the cost of a step.

#[path = "end_to_end/generate.rs"]
mod generate;

use std::hint::black_box;
use std::process::ExitCode;

use mcp_memory::store::format::document::Document;

const STEPS: [&str; 4] = ["read", "load", "save", "search"];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", file, entities] => {
            let entities = entities.parse().expect("a number of entities");
            std::fs::write(file, generate::memory_file(entities)).expect("the file is written");
        }
        [step, file] if STEPS.contains(&step) => run(step, file),
        // Also what cargo asks of every benchmark in a run of all of them.
        _ => eprintln!("run by benches/instructions.sh"),
    }
    ExitCode::SUCCESS
}

fn run(step: &str, file: &str) {
    let bytes = std::fs::read(file).expect("a generated file");
    if step == "read" {
        black_box(bytes);
        return;
    }
    let mut document = Document::parse(bytes).expect("a generated graph has no bad line");
    match step {
        "save" => {
            let graph = document.graph_mut();
            graph.create_entity("fresh", "project", &["one".to_owned()]);
            document.apply_changes();
            black_box(document.slices());
        }
        // Twice, since the first one builds the text.
        "search" => {
            for _ in 0..2 {
                black_box(document.graph().search(generate::NEEDLE));
            }
        }
        _ => {}
    }
    black_box(document);
}
