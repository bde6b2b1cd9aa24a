//! Lines that no client should send. Each gets the answer it deserves, and the
//! server goes on: a ping is answered next.

use serde_json::{Value, json};

use crate::support::session::Session;

const CALL: &str = r#""method":"tools/call","params":{"name":"open_nodes","arguments":{"names":["#;

/// A session of the newest legacy version.
fn session() -> Session {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    session
}

/// Sends the line; the next message is an error with this code and id, and the
/// one after that answers a ping.
#[track_caller]
fn refused(line: impl AsRef<[u8]>, code: i64, id: Value) -> Value {
    let mut session = session();
    session.send_raw(line.as_ref());
    session.send_raw(b"\n");
    let answer = session.next();
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert_eq!(answer.get("id"), (!id.is_null()).then_some(&id), "{answer}");
    session.ping();
    answer
}

/// Sends the line; nothing comes before the answer to a ping.
#[track_caller]
fn ignored(line: impl AsRef<[u8]>) {
    let mut session = session();
    session.send_raw(line.as_ref());
    session.send_raw(b"\n");
    session.ping();
}

/// Sends an open_nodes call with this inside its list of names, and the id 1;
/// it is answered with a result.
#[track_caller]
fn answered(names: impl AsRef<[u8]>) -> Value {
    let mut session = session();
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":1,{CALL}"#).into_bytes();
    line.extend_from_slice(names.as_ref());
    line.extend_from_slice(b"]}}}\n");
    session.send_raw(&line);
    let answer = session.next();
    assert_eq!(answer["id"], 1, "{answer}");
    assert!(answer["result"]["content"].is_array(), "{answer}");
    session.ping();
    answer
}

#[test]
fn malformed_json_is_a_parse_error() {
    refused("this is not JSON", -32700, Value::Null);
    refused(
        r#"{"jsonrpc":"2.0","id":4,"method":"ping""#,
        -32700,
        json!(4),
    );
    refused(r#"{"jsonrpc":"2.0","id":"x",}"#, -32700, json!("x"));
    refused([0, 1, 2, 0xFF], -32700, Value::Null);
}

#[test]
fn json_of_the_wrong_shape_is_an_invalid_request() {
    for line in [
        "{}",
        "5",
        "\"ping\"",
        "null",
        r#"{"jsonrpc":"2.0","method":7}"#,
    ] {
        refused(line, -32600, Value::Null);
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":3}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":"x"}"#,
        r#"{"id":3,"method":"ping"}"#,
    ] {
        refused(line, -32600, json!(3));
    }
}

#[test]
fn a_batch_gets_one_error() {
    refused(
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
        -32600,
        Value::Null,
    );
    refused("[]", -32600, Value::Null);
}

#[test]
fn each_request_of_a_batch_gets_an_error_where_errors_without_id_are_unknown() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/initialized"},
        {"jsonrpc":"2.0","id":4,"result":{}},
        {"jsonrpc":"2.0","id":null,"method":"ping"}, 5,
        {"jsonrpc":"2.0","id":"b","method":"tools/list"}]"#;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut session = Session::fresh();
        session.initialize(version);
        session.send_raw(batch.replace('\n', "").as_bytes());
        session.send_raw(b"\n");
        for id in [json!(1), json!("b")] {
            let error = json!({
                "code": -32600,
                "message": "batches are not served\nsend each message on a line of its own",
            });
            assert_eq!(
                session.next(),
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            );
        }
        session.ping();
    }
}

#[test]
fn an_id_of_the_wrong_kind_is_an_invalid_request() {
    for id in ["null", "true", "{}", "[]"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        refused(line, -32600, Value::Null);
    }
    for id in ["1.5", "9223372036854775808", "18446744073709551615"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let answer = refused(line, -32600, id.parse().unwrap());
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with("an integer from -2^63 to 2^63-1"),
            "{message}"
        );
    }
}

#[test]
fn the_largest_integers_are_ids() {
    let mut session = session();
    for id in [i64::MAX, i64::MIN] {
        session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(
            session.next(),
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        );
    }
}

#[test]
fn halves_of_surrogate_pairs_and_invalid_utf_8_become_replacement_characters() {
    for names in [
        &br#""\ud83d""#[..],
        br#""\ude00 x""#,
        b"\"\xFF\"",
        b"\"\xC3\"",
    ] {
        let answer = answered(names);
        // The tool says which name it did not find.
        assert!(answer.to_string().contains('\u{FFFD}'), "{answer}");
    }
}

#[test]
fn json_that_cannot_be_represented_is_answered_with_its_id() {
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for value in [deep.as_str(), "1e400", "-1e999"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":6,{CALL}],"x":{value}}}}}}}"#);
        let answer = refused(line, -32602, json!(6));
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("nested")
        );
    }
}

#[test]
fn a_line_over_64_mib_is_skipped_and_answered_and_one_of_60_mb_is_served() {
    let mut session = session();
    let name = "x".repeat(70_000_000);
    // As the TypeScript SDK orders the members: the id comes last.
    let line = format!(
        r#"{{{CALL}"{name}"]}}}},"jsonrpc":"2.0","id":1}}
{{"jsonrpc":"2.0","id":2,{CALL}"{name}"]}}}}}}
"#
    );
    session.send_raw(line.as_bytes());
    for id in [1, 2] {
        let answer = session.next();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("too long")
        );
    }
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":3,{CALL}"{}"]}}}}}}"#,
        &name[..60_000_000]
    );
    session.send_raw(line.as_bytes());
    session.send_raw(b"\n");
    let answer = session.next();
    assert_eq!(answer["id"], 3);
    assert!(answer.get("result").is_some());
    session.ping();
}

#[test]
fn carriage_returns_byte_order_marks_blanks_and_unknown_members_are_accepted() {
    let mut session = session();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping","extra":{"a":[1]}}"#;
    for line in [
        format!("{ping}\r\n"),
        format!("\u{FEFF}{ping}\n"),
        format!("  \t{ping} \n"),
        format!("\n\r\n \n{ping}\n"),
        ping.replace("\"id\"", "\"id\":5,\"id\"") + "\n",
        ping.replace("\"ping\"", "\"ping\",\"params\":null") + "\n",
    ] {
        session.send_raw(line.as_bytes());
        let answer = session.next();
        assert_eq!(
            answer,
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            "{line}"
        );
    }
}

#[test]
fn notifications_and_stray_responses_are_never_answered() {
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/nonsense"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":404}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"\ud800","b":1e999}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-1,"message":""}}"#,
    ] {
        ignored(line);
    }
}

#[test]
fn the_first_message_may_be_anything() {
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        "",
    ] {
        let mut session = Session::fresh();
        session.send_raw(line.as_bytes());
        session.send_raw(b"\n");
        session.ping();
        session.initialize("2025-06-18");
    }
}

#[test]
fn a_session_whose_schema_has_no_error_without_id_gets_none() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let mut session = Session::fresh();
        session.initialize(version);
        session.send_raw(b"nonsense\n[]\n{}\n");
        session.send_raw(b"{\"id\":5,\"method\":\n");
        assert_eq!(session.next()["id"], 5);
        session.ping();
    }
    // Before a version was negotiated, and in newer ones, it is sent.
    let mut session = Session::fresh();
    session.send_raw(b"nonsense\n");
    assert_eq!(session.next()["error"]["code"], -32700);
}

/// More warnings than a pipe holds would stop a server that waits for someone
/// to read them.
#[cfg(unix)]
#[test]
fn a_client_that_never_reads_stderr_is_served_whatever_lines_it_sends() {
    let mut shell = std::process::Command::new("sh");
    let server = crate::support::session::command();
    shell.args(["-c", "mkfifo full && exec \"$0\" 2<>full"]);
    shell.arg(server.get_program());
    let mut session = Session::serving(shell, None);
    session.initialize("2025-06-18");
    for _ in 0..5000 {
        session.send_raw(b"this is not JSON\n");
    }
    session.ping();
}

#[test]
fn only_the_first_lines_that_are_dropped_are_reported() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    for _ in 0..100 {
        session.send_raw(b"this is not JSON\n");
    }
    session.close_input();
    session.wait();
    let said = session.stderr();
    assert_eq!(said.matches("a line was dropped").count(), 20, "{said}");
    assert!(said.ends_with("further lines that are dropped are not reported\n"));
}

#[test]
fn unknown_methods_are_not_found_by_name() {
    for method in ["logging/setLevel", "completion/complete", "", "nonsense"] {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        let answer = refused(line, -32601, json!(1));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("method not found"), "{message}");
        assert!(message.contains(&format!("{method:?}")), "{message}");
    }
}

#[test]
fn known_methods_with_wrong_params_are_invalid_params() {
    for (method, params) in [
        ("tools/call", json!({"name": "read_graph", "arguments": []})),
        ("tools/call", json!({})),
        ("resources/read", json!({})),
        ("resources/subscribe", json!({})),
        ("initialize", json!({})),
        ("tools/list", json!({"cursor": 5})),
    ] {
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        refused(line.to_string(), -32602, json!(1));
    }
}

#[test]
fn an_id_may_be_used_again_once_it_was_answered() {
    let mut session = session();
    for _ in 0..100 {
        session.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}));
        assert_eq!(
            session.next(),
            json!({"jsonrpc": "2.0", "id": 7, "result": {}})
        );
    }
}
