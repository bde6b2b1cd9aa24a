//! Conversations recorded with the reference server, replayed on ours.
//!
//! How to compare is written down in `snapshots/reference/README.md`; this
//! file is that text as code. What we do on purpose in another way is not
//! here: such a step is not in the recordings.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::repository;
use crate::support::session::{PATIENCE, Session, command};

#[test]
fn every_session_recorded_with_the_reference_holds_for_us() {
    if let Err(report) = replay_all(command) {
        panic!(
            "{report}\n\
             The recordings come only from the reference server; what has to change is ours."
        );
    }
}

/// Plays every recording, each on a server of its own that `command` starts;
/// the error tells of all that differ.
pub fn replay_all(command: impl Fn() -> Command + Sync) -> Result<(), String> {
    let recordings = recordings();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = recordings.get(next.fetch_add(1, Ordering::Relaxed)) {
            let recording = read(path);
            // A session that breaks off (no answer, a result that violates
            // its schema) must not hide the ones after it.
            let outcome = catch_unwind(AssertUnwindSafe(|| replay(command(), &recording)))
                .unwrap_or_else(|panic| Err(panic_text(&*panic)));
            if let Err(difference) = outcome {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let rule = text(&recording["rule"]);
                failed
                    .lock()
                    .unwrap()
                    .push(format!("── {name}: {rule}\n{difference}\n"));
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} of {} sessions differ from the reference\n\n{}",
        failed.len(),
        recordings.len(),
        failed.join("\n")
    ))
}

#[test]
fn every_tool_has_a_recorded_success() {
    let mut seen = BTreeSet::new();
    for path in recordings() {
        let recording = read(&path);
        let steps = recording["steps"].as_array().unwrap();
        for pair in steps.windows(2) {
            let (send, expect) = (&pair[0]["send"], &pair[1]["expect"]);
            if send["method"] == "tools/call"
                && expect["result"]["text"].is_string()
                && expect["result"]["isError"].is_null()
            {
                seen.insert(text(&send["params"]["name"]).to_owned());
            }
        }
    }
    let contract = read(&repository("snapshots/reference/tools_list.json"));
    let tools: BTreeSet<String> = tools(&contract)
        .map(|tool| text(&tool["name"]).to_owned())
        .collect();
    assert_eq!(seen, tools);
}

#[test]
fn the_comparison_sees_every_kind_of_difference() {
    let success = json!({"id": 1, "result": {"text": "[]", "structuredContent": {"entities": []}}});
    let ours = |text: &str, structured: Value| json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], "structuredContent": structured}});
    let tool_error = json!({"jsonrpc": "2.0", "id": 1, "result": {"isError": true, "content": [{"type": "text", "text": "no such entity"}]}});
    let rpc_error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}});

    let same = [
        (true, &success, ours("[]", json!({"entities": []}))),
        (
            true,
            &success,
            ours("[]", json!({"entities": [], "skipped": ["A"]})),
        ),
        (
            true,
            &json!({"id": 1, "result": {"isError": true, "text": "no such"}}),
            tool_error.clone(),
        ),
        (
            false,
            &json!({"id": 1, "result": {"isError": true}}),
            rpc_error.clone(),
        ),
        (false, &json!({"id": 1, "error": {}}), tool_error.clone()),
        (true, &json!({"id": 1, "error": {}}), rpc_error.clone()),
        (
            true,
            &json!({"id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        ),
    ];
    for (exact, expected, got) in same {
        assert_eq!(
            compare(exact, expected, &got),
            Ok(()),
            "{expected} and {got}"
        );
    }

    let different = [
        (true, &success, ours("[ ]", json!({"entities": []}))),
        (true, &success, ours("[]", json!({"entities": [1]}))),
        (
            true,
            &success,
            ours("[]", json!({"entities": [], "extra": 1})),
        ),
        (true, &success, tool_error.clone()),
        (true, &success, rpc_error.clone()),
        (
            true,
            &json!({"id": 2, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        ),
        (
            true,
            &json!({"id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}),
        ),
        (
            true,
            &json!({"id": 1, "result": {"isError": true}}),
            rpc_error.clone(),
        ),
        (
            true,
            &json!({"id": 1, "result": {"isError": true, "text": "other"}}),
            tool_error.clone(),
        ),
        (true, &json!({"id": 1, "error": {}}), tool_error),
        (false, &json!({"id": 1, "error": {}}), ours("[]", json!({}))),
        (
            true,
            &json!({"method": "m", "params": {"uri": "a"}}),
            json!({"jsonrpc": "2.0", "method": "m", "params": {"uri": "b"}}),
        ),
        (true, &json!({"method": "m", "params": {}}), rpc_error),
    ];
    for (exact, expected, got) in different {
        assert!(
            compare(exact, expected, &got).is_err(),
            "{expected} and {got}"
        );
    }
}

/// Members of `structuredContent` that the reference does not have.
const OURS: [&str; 5] = [
    "skipped",
    "missingEntities",
    "notFound",
    "deleted",
    "totalMatches",
];

/// Plays one recording; the error says at which step what differed.
fn replay(server: Command, recording: &Value) -> Result<(), String> {
    let exact = recording["match"] == "exact";
    let before = recording["file_before"].as_str().map(str::as_bytes);
    let mut session = Session::serving(server, before);
    let steps = recording["steps"]
        .as_array()
        .expect("a recording has steps");
    let mut said = String::from("nothing yet");
    for (number, step) in steps.iter().enumerate() {
        let at = |difference: String| {
            format!(
                "step {} of {}, after {said}:\n{difference}",
                number + 1,
                steps.len()
            )
        };
        let (kind, value) = step
            .as_object()
            .and_then(|step| step.iter().next())
            .expect("a step is an object with one member");
        match kind.as_str() {
            "send" => {
                said = value.to_string();
                session.send(value);
            }
            "send_raw" => {
                said = text(value).to_owned();
                session.send_raw(text(value).as_bytes());
            }
            "expect" => match session.try_next(PATIENCE) {
                Some(got) => compare(exact, value, &got).map_err(at)?,
                None => {
                    let stderr = session.stderr();
                    return Err(at(format!(
                        "expected {value}\n     got no message; stderr:\n{stderr}"
                    )));
                }
            },
            "world" => change_world(session.file(), value),
            "file" => compare_file(value, session.file()).map_err(at)?,
            other => panic!("unknown step {other:?}"),
        }
    }
    session.close_input();
    let rest = session.rest();
    if !rest.is_empty() {
        return Err(format!(
            "after the last step: expected nothing more, got {}",
            json!(rest)
        ));
    }
    let status = session.wait();
    if !status.success() {
        return Err(format!(
            "at the end: {status}; stderr:\n{}",
            session.stderr()
        ));
    }
    Ok(())
}

fn compare(exact: bool, expected: &Value, got: &Value) -> Result<(), String> {
    let differs = |what: &str, expected: &Value, got: &Value| {
        Err(format!(
            "{what} differs\nexpected {}\n     got {}",
            show(expected),
            show(got)
        ))
    };
    if expected.get("method").is_some() {
        if expected["method"] != got["method"]
            || expected["params"] != got["params"]
            || got.get("id").is_some()
        {
            return differs("the notification", expected, got);
        }
        return Ok(());
    }
    if expected["id"] != got["id"] {
        return differs("the id", &expected["id"], got);
    }
    let is_tool_error = got["result"]["isError"] == true;
    let is_rpc_error = got["error"]["code"].is_i64() && got["error"]["message"].is_string();
    let wanted = &expected["result"];
    let wants_tool_error = wanted["isError"] == true;
    if expected.get("error").is_some() || wants_tool_error {
        let fits = match (exact, wants_tool_error) {
            (false, _) => is_tool_error || is_rpc_error,
            (true, true) => is_tool_error,
            (true, false) => is_rpc_error,
        };
        if !fits {
            return differs("the kind of answer", expected, got);
        }
        if let (true, Some(start)) = (exact, wanted["text"].as_str())
            && !text(&got["result"]["content"][0]["text"]).starts_with(start)
        {
            return differs(
                "the error's text",
                &wanted["text"],
                &got["result"]["content"],
            );
        }
        return Ok(());
    }
    if is_tool_error || is_rpc_error || !got["result"].is_object() {
        return differs("the kind of answer", expected, got);
    }
    let result = &got["result"];
    if wanted.as_object().is_some_and(serde_json::Map::is_empty) && *result != json!({}) {
        return differs("the result", wanted, result);
    }
    if let Some(version) = wanted.get("protocolVersion")
        && *version != result["protocolVersion"]
    {
        return differs("the protocol version", version, &result["protocolVersion"]);
    }
    if let Some(contents) = wanted.get("contents")
        && *contents != result["contents"]
    {
        return differs("the contents", contents, &result["contents"]);
    }
    if let Some(first) = wanted.get("text")
        && *first != result["content"][0]["text"]
    {
        return differs("the first text item", first, &result["content"][0]["text"]);
    }
    if let Some(structured) = wanted.get("structuredContent") {
        let mut ours = result["structuredContent"].clone();
        if let Some(members) = ours.as_object_mut() {
            members
                .retain(|name, _| !OURS.contains(&name.as_str()) || structured.get(name).is_some());
        }
        if *structured != ours {
            return differs(
                "structuredContent",
                structured,
                &result["structuredContent"],
            );
        }
    }
    Ok(())
}

fn compare_file(expected: &Value, file: &Path) -> Result<(), String> {
    let got = std::fs::read(file)
        .ok()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let bare = |text: &str| text.trim_end_matches('\n').to_owned();
    if expected.as_str().map(bare) == got.as_deref().map(bare) {
        return Ok(());
    }
    Err(format!(
        "the file differs\nexpected {}\n     got {}",
        show(expected),
        show(&json!(got))
    ))
}

/// Somebody else changes the file: `["write", name, text]`, `["unlink", name]`.
fn change_world(file: &Path, change: &Value) {
    let target = file.with_file_name(text(&change[1]));
    match text(&change[0]) {
        "write" => std::fs::write(target, text(&change[2])).unwrap(),
        "unlink" => std::fs::remove_file(target).unwrap(),
        other => panic!("unknown change {other:?}"),
    }
}

/// Texts as they read, everything else as JSON.
fn show(value: &Value) -> String {
    match value.as_str() {
        Some(text) => format!("{text:?}"),
        None => value.to_string(),
    }
}

fn recordings() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(repository("snapshots/reference/sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no recordings found");
    paths
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The tools of a tools/list result, with or without the envelope.
fn tools(contract: &Value) -> impl Iterator<Item = &Value> {
    contract
        .get("tools")
        .unwrap_or(contract)
        .as_array()
        .expect("a list of tools")
        .iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without text")
        .to_owned()
}
