//! A memory file in the eyes of both servers: the graph in its bytes, the
//! bytes that the reference writes for a graph, and which file it is.

use std::path::Path;

use serde_json::{Map, Value, json};

/// A graph, as both servers define it.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    pub entities: Vec<Value>,
    pub relations: Vec<Value>,
}

impl Graph {
    pub fn empty() -> Graph {
        Graph {
            entities: Vec::new(),
            relations: Vec::new(),
        }
    }
}

/// The graph in a file's bytes; `None` when a line is no JSON.
pub fn graph(bytes: &[u8]) -> Option<Graph> {
    let mut graph = Graph::empty();
    let text = String::from_utf8_lossy(bytes);
    for line in text.split('\n') {
        // What JavaScript's trim leaves of a line.
        if line
            .trim_matches(|c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
            .is_empty()
        {
            continue;
        }
        let record: Map<String, Value> = serde_json::from_str(line).ok()?;
        let fields = |names: [&str; 3]| {
            Value::Object(
                names
                    .map(|name| (name.to_owned(), record[name].clone()))
                    .into_iter()
                    .collect(),
            )
        };
        match record.get("type").and_then(Value::as_str) {
            Some("entity") => graph
                .entities
                .push(fields(["name", "entityType", "observations"])),
            Some("relation") => graph.relations.push(fields(["from", "to", "relationType"])),
            _ => {}
        }
    }
    Some(graph)
}

/// The bytes that the reference writes for a graph.
pub fn written(graph: &Graph) -> Vec<u8> {
    let line = |kind: &str, fields: &Value| {
        let mut record = Map::from_iter([("type".to_owned(), json!(kind))]);
        record.extend(fields.as_object().unwrap().clone());
        Value::Object(record).to_string()
    };
    let entities = graph.entities.iter().map(|entity| line("entity", entity));
    let relations = graph
        .relations
        .iter()
        .map(|relation| line("relation", relation));
    entities
        .chain(relations)
        .collect::<Vec<_>>()
        .join("\n")
        .into_bytes()
}

/// Replaces a file as other programs do, by a new one of the same name.
pub fn put(file: &Path, bytes: Option<&[u8]>) {
    let Some(bytes) = bytes else {
        let _ = std::fs::remove_file(file);
        return;
    };
    let new = file.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(new, file).unwrap();
}

/// What tells one file from another that took its name.
pub fn identity(file: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = std::fs::metadata(file).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((number, metadata.modified().unwrap()))
}
