//! How a connection ends: the end of input, a closed output, a signal; and how
//! much memory it takes on the way.

use serde_json::{Value, json};

use crate::support::files::lock_of;
use crate::support::processes::bare_session;
use crate::support::session::{Session, modern_request};
use crate::support::tools::{call_request, creating, names};

const URI: &str = "memory://knowledge-graph";

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> String {
    format!("{}\n", call_request(id, tool, arguments))
}

#[test]
fn everything_accepted_before_the_end_of_input_is_answered_and_the_exit_is_0() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let mut lines = String::new();
    for at in 0..40 {
        lines.push_str(&call(at, "create_entities", creating(&format!("E{at}"))));
    }
    session.send_raw(lines.as_bytes());
    session.close_input();
    let answers = session.rest();
    assert_eq!(answers.len(), 40);
    assert!(
        answers
            .iter()
            .all(|answer| answer["result"].get("isError").is_none())
    );
    assert!(session.wait().success());
}

#[test]
fn a_last_line_without_line_feed_is_processed() {
    let mut session = Session::fresh();
    session.send_raw(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    session.close_input();
    assert_eq!(
        session.rest(),
        [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]
    );
    assert!(session.wait().success());
}

#[test]
fn an_open_listen_ends_with_its_result_at_the_end_of_input() {
    let mut session = Session::fresh();
    let id = json!(3);
    let params = json!({"notifications": {"resourceSubscriptions": [URI]}});
    session.send(&modern_request(&id, "subscriptions/listen", params));
    session.next();
    session.close_input();
    let rest = session.rest();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], id);
    assert_eq!(rest[0]["result"]["resultType"], "complete");
    let meta = &rest[0]["result"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], id);
    assert!(meta["io.modelcontextprotocol/serverInfo"].is_object());
    assert!(session.wait().success());
}

#[test]
fn an_empty_input_and_a_mere_probe_exit_with_0() {
    let mut session = Session::fresh();
    session.close_input();
    assert!(session.wait().success());
    let mut session = Session::fresh();
    session.modern("server/discover", json!({}));
    session.close_input();
    assert!(session.wait().success());
}

#[test]
fn pipelined_calls_see_those_before_them() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let mut lines = call(1, "create_entities", creating("Ada"));
    let observation = json!({"observations": [{"entityName": "Ada", "contents": ["counts"]}]});
    lines.push_str(&call(2, "add_observations", observation));
    lines.push_str(&call(3, "read_graph", json!({})));
    session.send_raw(lines.as_bytes());
    let graph = session.answer(&json!(3));
    assert_eq!(
        graph["result"]["structuredContent"]["entities"],
        json!([{"name": "Ada", "entityType": "t", "observations": ["counts"]}])
    );
}

#[test]
fn forty_creates_at_once_are_stored_in_order() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let created: Vec<String> = (0..40).map(|at| format!("E{at}")).collect();
    let lines: String = created
        .iter()
        .map(|name| call(name.as_str(), "create_entities", creating(name)))
        .collect();
    session.send_raw(lines.as_bytes());
    for name in &created {
        session.answer(&json!(name));
    }
    assert_eq!(names(&mut session), created);
}

/// A lock as a program that knows nothing of ours takes it. It is fresh, so
/// nobody breaks it.
fn lock(session: &Session) -> std::path::PathBuf {
    let lock = lock_of(session.file());
    std::fs::write(&lock, "12345").unwrap();
    lock
}

#[test]
fn a_write_that_waits_for_the_lock_fails_soon_after_the_end_of_input() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    lock(&session);
    session.send_raw(call(1, "create_entities", creating("Ada")).as_bytes());
    session.close_input();
    let rest = session.rest();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["result"]["isError"], true, "{rest:?}");
    assert!(session.wait().success());
    assert_eq!(session.bytes(), b"");
}

#[test]
fn a_mutation_cancelled_while_it_waits_for_the_lock_never_happens() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let lock = lock(&session);
    session.send_raw(call(1, "create_entities", creating("Ada")).as_bytes());
    session.ping();
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}}),
    );
    session.ping();
    std::fs::remove_file(lock).unwrap();
    session.call("create_entities", creating("Grace"));
    assert_eq!(names(&mut session), ["Grace"]);
    session.ping();
}

#[cfg(unix)]
mod signals {
    use super::*;
    use crate::support::files::names_beside;
    use crate::support::processes::{bare_server, signal};
    use crate::support::session::initialize_request;

    #[test]
    fn a_write_that_waits_for_the_lock_fails_at_once_after_a_signal() {
        let mut session = Session::fresh();
        session.initialize("2025-06-18");
        let lock = lock(&session);
        session.send_raw(call(1, "create_entities", creating("Ada")).as_bytes());
        session.ping();
        signal(session.pid(), "TERM");
        let rest = session.rest();
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert_eq!(rest[0]["result"]["isError"], true, "{rest:?}");
        assert!(session.wait().success());
        assert_eq!(session.bytes(), b"");
        assert!(lock.exists(), "it is not ours to remove");
    }

    #[test]
    fn sigterm_sigint_and_sighup_end_an_idle_server_with_its_listens() {
        for name in ["TERM", "INT", "HUP"] {
            let mut session = Session::fresh();
            let id = json!("l");
            let params = json!({"notifications": {}});
            session.send(&modern_request(&id, "subscriptions/listen", params));
            session.next();
            signal(session.pid(), name);
            let rest = session.rest();
            assert_eq!(rest.len(), 1, "{rest:?}");
            assert_eq!(rest[0]["id"], id);
            assert!(session.wait().success());
        }
    }

    #[test]
    fn a_client_that_does_not_read_does_not_hold_up_the_end() {
        use std::io::Write as _;

        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("memory.jsonl");
        let name = "x".repeat(1_000_000);
        let record = format!("{{\"type\":\"entity\",\"name\":\"{name}\"}}\n");
        std::fs::write(&file, record).unwrap();
        let mut child = bare_server(&file);
        let mut input = child.stdin.take().unwrap();
        let mut lines = format!("{}\n", initialize_request("2025-11-25"));
        for at in 1..20 {
            lines.push_str(&call(at, "read_graph", json!({})));
        }
        input.write_all(lines.as_bytes()).unwrap();
        // The first byte of an answer shows that the server is up and the
        // signal will find its handler; nothing more is read.
        let mut output = child.stdout.take().unwrap();
        std::io::Read::read_exact(&mut output, &mut [0]).unwrap();
        signal(child.id(), "TERM");
        assert!(child.wait().unwrap().success());
        drop((input, output));
    }

    #[test]
    fn after_a_signal_in_the_middle_of_writes_every_answer_given_is_stored() {
        let mut session = Session::fresh();
        session.initialize("2025-06-18");
        let lines: String = (0..200)
            .map(|at| call(at, "create_entities", creating(&format!("E{at}"))))
            .collect();
        session.send_raw(lines.as_bytes());
        session.next();
        signal(session.pid(), "TERM");
        let stored = session
            .rest()
            .iter()
            .filter(|answer| {
                answer["result"]["structuredContent"]["entities"]
                    .as_array()
                    .is_some_and(|e| e.len() == 1)
            })
            .count()
            + 1;
        session.wait();
        let bytes = session.bytes();
        assert!(bytes.iter().filter(|byte| **byte == b'\n').count() >= stored);
        assert_eq!(names_beside(session.file()), [""; 0]);
    }
}

#[test]
fn a_closed_output_ends_the_server_with_0_and_what_was_accepted_is_stored() {
    use std::io::Write as _;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let (mut child, mut input, output) = bare_session(&file);
    drop(output);
    input
        .write_all(call(1, "create_entities", creating("Ada")).as_bytes())
        .unwrap();
    // The input stays open: that the output is closed is reason enough.
    assert!(child.wait().unwrap().success());
    assert!(std::fs::read_to_string(&file).unwrap().contains("Ada"));
    drop(input);
}

#[cfg(target_os = "linux")]
#[test]
fn twenty_thousand_pipelined_calls_stay_under_64_mib() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let lines: String = (0..20_000)
        .map(|at| call(at, "open_nodes", json!({"names": []})))
        .collect();
    session.send_raw(lines.as_bytes());
    for _ in 0..20_000 {
        session.next();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.pid())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 64 * 1024, "{kib} KiB");
}
