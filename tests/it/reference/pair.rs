//! Our server and the reference side by side: the same call to both, and the
//! rules by which what they answer and leave behind is the same.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::calls::{Call, RESOURCE};
use super::installed::Reference;
use super::memory_file::{Graph, graph, identity, put, written};
use crate::support::differences::Difference;
use crate::support::session::{Session, command};

/// What differed, in words.
pub type Failure = String;

/// Counts of a run.
#[derive(Default)]
pub struct Seen {
    /// How many calls both servers answered.
    pub calls: u64,
    /// How many of them succeeded, by tool.
    pub successes: HashMap<String, u64>,
    /// How often each declared difference showed.
    pub differences: HashMap<Difference, u64>,
}

impl Seen {
    fn note(&mut self, difference: Difference) {
        *self.differences.entry(difference).or_default() += 1;
    }
}

/// The two servers, each on a file of its own.
pub struct Pair {
    ours: Session,
    theirs: Session,
}

/// One server's answer, as far as it is compared.
struct Answer {
    /// `Some("rpc")` or `Some("tool")` for an error.
    error: Option<&'static str>,
    /// The first text item, the resource's text, or the error's.
    text: String,
    structured: Value,
    items: usize,
}

impl Pair {
    /// Starts both, without a file.
    pub fn start(reference: &Reference) -> Pair {
        let mut pair = Pair {
            ours: Session::serving(command(), None),
            theirs: Session::serving(reference.command(), None),
        };
        pair.ours.initialize("2025-11-25");
        pair.theirs.initialize("2025-11-25");
        pair
    }

    /// Gives both servers this file, or none.
    pub fn begin(&mut self, file: Option<&[u8]>) {
        for session in [&self.ours, &self.theirs] {
            put(session.file(), file);
        }
    }

    /// Gives each server the other's file; both must read the same there.
    pub fn swap(&mut self, seen: &mut Seen) -> Result<(), Failure> {
        let (ours, theirs) = (bytes(&self.ours), bytes(&self.theirs));
        put(self.ours.file(), theirs.as_deref());
        put(self.theirs.file(), ours.as_deref());
        let read = Call {
            tool: "read_graph".to_owned(),
            sent: json!({}),
            meant: None,
        };
        self.call(&read, seen)
            .map_err(|failure| format!("after the swap: {failure}"))
    }

    /// Sends the call to both and compares what they answer and leave behind.
    pub fn call(&mut self, call: &Call, seen: &mut Seen) -> Result<(), Failure> {
        let before = bytes(&self.ours);
        let their_before = identity(self.theirs.file());
        let our_before = identity(self.ours.file());
        let ours = ask(&mut self.ours, &call.tool, &call.sent);
        let mut theirs = ask(&mut self.theirs, &call.tool, &call.sent);
        seen.calls += 1;
        let mut sent = &call.sent;
        if let Some(meant) = &call.meant {
            seen.note(Difference::Coercion);
            sent = meant;
            // It does not look at the optional parameters, disguised or not.
            if theirs.error.is_some() {
                theirs = ask(&mut self.theirs, &call.tool, meant);
            }
        }

        compare(&call.tool, sent, &ours, theirs, seen)?;
        self.compare_files(
            call,
            sent,
            &ours,
            before.as_deref().unwrap_or_default(),
            seen,
        )?;

        let wrote = identity(self.ours.file()) != our_before;
        let changed =
            graph(&bytes(&self.ours).unwrap_or_default()) != graph(&before.unwrap_or_default());
        if wrote != changed {
            return Err(match wrote {
                true => "nothing changed, and we wrote the file".to_owned(),
                false => "our file changed in place".to_owned(),
            });
        }
        if !wrote && identity(self.theirs.file()) != their_before {
            seen.note(Difference::NothingChanged);
        }
        Ok(())
    }

    fn compare_files(
        &mut self,
        call: &Call,
        sent: &Value,
        answer: &Answer,
        before: &[u8],
        seen: &mut Seen,
    ) -> Result<(), Failure> {
        let ours = bytes(&self.ours).unwrap_or_default();
        let theirs = bytes(&self.theirs).unwrap_or_default();
        let (Some(our_graph), Some(their_graph)) = (graph(&ours), graph(&theirs)) else {
            // A file that neither can read stays as it is.
            return match ours == before {
                true => Ok(()),
                false => Err("a bad file was changed".to_owned()),
            };
        };
        if our_graph != their_graph {
            if answer.error.is_none()
                && self.is_repeat(call, sent, before, &our_graph, &their_graph)
            {
                // The two memories are not the same any more; go on with ours.
                put(self.theirs.file(), Some(&ours));
                return Ok(());
            }
            return Err(format!(
                "the files differ\nours   {}\ntheirs {}",
                ours.escape_ascii(),
                theirs.escape_ascii()
            ));
        }
        // The graphs are the same. Whether the bytes are, is up to us alone:
        // a file that was as the reference writes it has to stay so.
        let bare = |bytes: &[u8]| bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec();
        if bare(&ours) == written(&our_graph) {
            if ours.len() > theirs.len() {
                seen.note(Difference::FinalLineFeed);
            }
        } else if graph(before).is_some_and(|graph| written(&graph) == bare(before)) {
            return Err(format!(
                "the file's bytes differ\nours   {}\ntheirs {}",
                ours.escape_ascii(),
                theirs.escape_ascii()
            ));
        } else if ours != theirs {
            seen.note(Difference::BytesKept);
        }
        Ok(())
    }

    /// Whether the graphs differ only by what one call named twice.
    fn is_repeat(
        &self,
        call: &Call,
        sent: &Value,
        before: &[u8],
        ours: &Graph,
        theirs: &Graph,
    ) -> bool {
        let Some(before) = graph(before) else {
            return false;
        };
        let added =
            |all: &[Value], before: &[Value]| all.strip_prefix(before).map(<[Value]>::to_vec);
        match call.tool.as_str() {
            "create_entities" => {
                ours.relations == theirs.relations
                    && sent["entities"].is_array()
                    && added(&ours.entities, &before.entities)
                        == added(&theirs.entities, &before.entities)
                            .map(|added| once(added, entity_key))
            }
            "create_relations" => {
                ours.entities == theirs.entities
                    && added(&ours.relations, &before.relations)
                        == added(&theirs.relations, &before.relations)
                            .map(|added| once(added, Value::to_string))
            }
            _ => false,
        }
    }
}

/// Compares two answers to the same call.
fn compare(
    tool: &str,
    sent: &Value,
    ours: &Answer,
    theirs: Answer,
    seen: &mut Seen,
) -> Result<(), Failure> {
    let differ = |what: &str, ours: &dyn std::fmt::Display, theirs: &dyn std::fmt::Display| {
        Err(format!("{what}\nours   {ours}\ntheirs {theirs}"))
    };
    match (ours.error, theirs.error) {
        (Some(our_kind), Some(their_kind)) => {
            if our_kind != their_kind {
                if our_kind == "rpc"
                    && theirs
                        .text
                        .starts_with(&format!("MCP error -32602: Tool {tool} "))
                {
                    seen.note(Difference::UnknownTool);
                    return Ok(());
                }
                return differ("the kinds of error differ", &ours.text, &theirs.text);
            }
            if theirs.text.starts_with("Entity with name ") {
                if !ours.text.starts_with(&theirs.text) {
                    return differ("the texts differ", &ours.text, &theirs.text);
                }
            } else if ours.text != theirs.text {
                seen.note(Difference::ErrorTexts);
            }
            return Ok(());
        }
        (Some(_), None) => {
            if tool == "search_nodes"
                && sent["query"]
                    .as_str()
                    .is_some_and(|query| query.encode_utf16().count() > 2048)
            {
                seen.note(Difference::LongQuery);
                return Ok(());
            }
            if !limits_fit(tool, sent) {
                seen.note(Difference::OptionalParameters);
                return Ok(());
            }
            return differ("we fail", &ours.text, &theirs.text);
        }
        (None, Some(_)) => return differ("the reference fails", &ours.text, &theirs.text),
        (None, None) => *seen.successes.entry(tool.to_owned()).or_default() += 1,
    }

    let mut expected = theirs.structured;
    let mut text = theirs.text;
    match tool {
        "create_entities" => repeats("entities", entity_key, &mut expected, &mut text, seen),
        "create_relations" => repeats(
            "relations",
            Value::to_string,
            &mut expected,
            &mut text,
            seen,
        ),
        "read_graph" | "search_nodes" | "open_nodes" if limited(sent) => {
            seen.note(Difference::OptionalParameters);
            let total = limit(sent, &mut expected);
            text = pretty(&expected);
            if let Some(total) = total {
                expected["totalMatches"] = json!(total);
            }
        }
        _ => {}
    }
    if ours.text != text {
        return differ("the first text items differ", &ours.text, &text);
    }
    let mut structured = ours.structured.clone();
    if let (Some(members), Some(known)) = (structured.as_object_mut(), expected.as_object()) {
        let count = members.len();
        members.retain(|name, _| known.contains_key(name) || !MORE.contains(&name.as_str()));
        if members.len() != count {
            seen.note(Difference::MoreMembers);
        }
    }
    if structured != expected {
        return differ("structuredContent differs", &ours.structured, &expected);
    }
    if ours.items > 1 {
        seen.note(Difference::SecondText);
    }
    Ok(())
}

/// Members of structuredContent that only we have, and may have.
const MORE: [&str; 4] = ["skipped", "missingEntities", "notFound", "deleted"];

/// What the reference stored twice in one call, once.
fn repeats(
    list: &str,
    key: fn(&Value) -> String,
    expected: &mut Value,
    text: &mut String,
    seen: &mut Seen,
) {
    let all = expected[list].as_array().unwrap().clone();
    let unique = once(all.clone(), key);
    if unique.len() < all.len() {
        seen.note(Difference::Repeat);
        expected[list] = json!(unique);
        *text = pretty(&expected[list]);
    }
}

fn once(mut items: Vec<Value>, key: fn(&Value) -> String) -> Vec<Value> {
    let mut known = HashSet::new();
    items.retain(|item| known.insert(key(item)));
    items
}

fn entity_key(entity: &Value) -> String {
    entity["name"].to_string()
}

/// The optional parameters of the reading tools, present and not null.
fn limited(sent: &Value) -> bool {
    ["entityTypes", "limit", "observationLimit"]
        .iter()
        .any(|name| !sent[name].is_null())
}

fn limits_fit(tool: &str, sent: &Value) -> bool {
    let whole = |name: &str, least: f64| {
        sent[name].is_null()
            || sent[name]
                .as_f64()
                .is_some_and(|number| number.fract() == 0.0 && number >= least)
    };
    let reads = ["read_graph", "search_nodes", "open_nodes"].contains(&tool);
    let types = &sent["entityTypes"];
    let types_fit = types.is_null()
        || types
            .as_array()
            .is_some_and(|types| !types.is_empty() && types.iter().all(Value::is_string));
    !reads
        || whole("observationLimit", 0.0)
            && (tool != "search_nodes" || whole("limit", 1.0))
            && (tool != "read_graph" || types_fit)
}

/// Cuts the reference's graph as the optional parameters say. How many
/// entities there were, when `limit` left some out.
fn limit(sent: &Value, graph: &mut Value) -> Option<usize> {
    let number = |name: &str| sent[name].as_f64().map(|number| number.min(1e15) as usize);
    let mut entities = graph["entities"].as_array().unwrap().clone();
    let mut relations = graph["relations"].as_array().unwrap().clone();
    let all = entities.len();
    if let Some(types) = sent["entityTypes"].as_array() {
        entities.retain(|entity| types.contains(&entity["entityType"]));
    }
    if let Some(limit) = number("limit") {
        entities.truncate(limit);
    }
    if sent["entityTypes"].is_array() || number("limit").is_some() {
        let names: HashSet<&Value> = entities.iter().map(|entity| &entity["name"]).collect();
        relations.retain(|relation| {
            names.contains(&relation["from"]) || names.contains(&relation["to"])
        });
    }
    let cut = number("limit").is_some_and(|limit| limit < all);
    if let Some(limit) = number("observationLimit") {
        for entity in &mut entities {
            let observations = entity["observations"].as_array_mut().unwrap();
            let count = observations.len();
            observations.truncate(limit);
            entity["observationCount"] = json!(count);
        }
    }
    *graph = json!({"entities": entities, "relations": relations});
    cut.then_some(all)
}

/// Sends a call and waits for its answer.
fn ask(session: &mut Session, tool: &str, arguments: &Value) -> Answer {
    let answer = match tool {
        RESOURCE => session.request("resources/read", json!({"uri": "memory://knowledge-graph"})),
        tool => session.request("tools/call", json!({"name": tool, "arguments": arguments})),
    };
    let result = &answer["result"];
    let first = match tool {
        RESOURCE => &result["contents"][0]["text"],
        _ => &result["content"][0]["text"],
    };
    let error = match (result.is_object(), result["isError"] == true) {
        (false, _) => Some("rpc"),
        (true, true) => Some("tool"),
        (true, false) => None,
    };
    let text = if error == Some("rpc") {
        &answer["error"]["message"]
    } else {
        first
    };
    Answer {
        error,
        text: text
            .as_str()
            .unwrap_or_else(|| panic!("an answer without text: {answer}"))
            .to_owned(),
        structured: result["structuredContent"].clone(),
        items: result["content"].as_array().map_or(0, Vec::len),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

fn bytes(session: &Session) -> Option<Vec<u8>> {
    std::fs::read(session.file()).ok()
}
