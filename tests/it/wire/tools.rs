//! What the wire does around tools that behave badly or slowly, with a server
//! inside the test: order, panics, cancellation, limits.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use mcp_memory::ending::Patience;
use mcp_memory::mcp::stdio;
use mcp_memory::store::Listeners;
use mcp_memory::tools::{Body, Outcome, Render, Served, Tool, ToolError, Toolset};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::in_process::{Answer, Connection, Scripted, text};
use crate::support::session::{MODERN, eventually};

const URI: &str = "memory://knowledge-graph";

fn ready(outcome: Outcome) -> Answer {
    std::future::ready(Ok(outcome)).boxed()
}

fn names(name: impl ToString) -> Value {
    json!({"names": [name.to_string()]})
}

/// Tools that wait for a permit each, and tell when they start and when they
/// are dropped before they got one.
#[derive(Clone)]
struct Gate {
    permits: Arc<Semaphore>,
    started: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

impl Gate {
    fn shut() -> Gate {
        Gate {
            permits: Arc::new(Semaphore::new(0)),
            started: Arc::default(),
            dropped: Arc::default(),
        }
    }

    fn tool(&self, answer: String) -> Answer {
        struct Dropped(Arc<AtomicUsize>, bool);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.fetch_add(usize::from(!self.1), Ordering::SeqCst);
            }
        }
        let gate = self.clone();
        async move {
            gate.started.fetch_add(1, Ordering::SeqCst);
            let mut dropped = Dropped(gate.dropped, false);
            gate.permits.acquire().await.expect("never closed").forget();
            dropped.1 = true;
            Ok(text(answer))
        }
        .boxed()
    }
}

fn cancel(connection: &mut Connection, id: Value) {
    connection.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}}),
    );
}

#[test]
fn calls_reach_the_tools_in_the_order_of_their_arrival() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let mut connection = Connection::initialized(move |_| {
        move |_: Tool, arguments: Value| {
            let name = arguments["names"][0].as_str().unwrap().to_owned();
            record.lock().unwrap().push(name);
            ready(text(""))
        }
    });
    let mut lines = String::new();
    for at in 0..3000 {
        let params = json!({"name": "open_nodes", "arguments": names(at)});
        let call = json!({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": params});
        lines.push_str(&format!("{call}\n"));
    }
    connection.send_raw(lines.as_bytes());
    let answers = connection.end();
    assert_eq!(answers.len(), 3000);
    let expected: Vec<String> = (0..3000).map(|at: u32| at.to_string()).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn a_panic_in_a_handler_is_an_internal_error_and_the_server_goes_on() {
    let mut connection = Connection::initialized(|_| {
        |tool, _| match tool {
            Tool::OpenNodes => panic!("at once"),
            Tool::SearchNodes => async { panic!("later") }.boxed(),
            Tool::ReadGraph => {
                std::future::ready(Err(ToolError::Internal("lost".to_owned()))).boxed()
            }
            _ => ready(text("fine")),
        }
    });
    for (tool, arguments) in [
        ("open_nodes", names("x")),
        ("search_nodes", json!({"query": "x"})),
        ("read_graph", json!({})),
    ] {
        connection.call(tool, tool, arguments);
        let answer = connection.next();
        assert_eq!(answer["id"], tool);
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("internal error"), "{message}");
    }
    connection.ask("resource", "resources/read", json!({"uri": URI}));
    assert_eq!(connection.next()["error"]["code"], -32603);
    connection.call("after", "delete_entities", json!({"entityNames": ["x"]}));
    assert_eq!(connection.next()["result"]["content"][0]["text"], "fine");
    connection.ping();
}

#[test]
fn a_body_that_panics_while_it_is_written_costs_its_line_but_not_the_answer() {
    struct Half;
    impl Render for Half {
        fn write_plain(&self, _: &mut dyn std::io::Write) -> std::io::Result<()> {
            panic!("in the middle of a line");
        }
        fn write_escaped(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
            out.write_all(b"half")
        }
    }
    let mut connection = Connection::initialized(|_| {
        |_, _| {
            ready(Outcome {
                text: Body::Rendered(Box::new(Half)),
                note: None,
                structured: Body::Rendered(Box::new(Half)),
            })
        }
    });
    connection.call(1, "read_graph", json!({}));
    let broken = connection.next();
    assert!(
        broken["bad"]
            .as_str()
            .unwrap()
            .ends_with("structuredContent\":"),
        "{broken}"
    );
    let answer = connection.next();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["error"]["code"], -32603);
    connection.ping();
}

#[test]
fn the_second_text_item_and_odd_characters_survive() {
    let odd = "\" \\ \u{7} \n \u{2028} 😀";
    let mut connection = Connection::initialized(move |_| {
        move |tool, _| match tool {
            Tool::ReadGraph => ready(Outcome {
                note: Some(odd.to_owned()),
                ..text(odd)
            }),
            _ => std::future::ready(Err(ToolError::Graph(odd.to_owned()))).boxed(),
        }
    });
    connection.call(1, "read_graph", json!({}));
    let item = json!({"type": "text", "text": odd});
    assert_eq!(
        connection.next()["result"],
        json!({"content": [item, item], "structuredContent": {}})
    );
    connection.call(2, "open_nodes", names("x"));
    assert_eq!(
        connection.next()["result"],
        json!({"content": [item], "isError": true})
    );
}

#[test]
fn a_cancelled_call_is_dropped_and_never_answered_and_its_id_is_free() {
    let gate = Gate::shut();
    let tools = gate.clone();
    let mut connection = Connection::initialized(move |_| move |_, _| tools.tool("x".to_owned()));
    connection.call(1, "read_graph", json!({}));
    connection.ping();
    cancel(&mut connection, json!(1));
    connection.ping();
    eventually("the handler is dropped", || {
        gate.dropped.load(Ordering::SeqCst) == 1
    });
    // Cancelled before it starts, and the id used again at once, many times.
    for _ in 0..500 {
        connection.call(1, "read_graph", json!({}));
        cancel(&mut connection, json!(1));
    }
    connection.call(1, "read_graph", json!({}));
    connection.ping();
    gate.permits.add_permits(1000);
    let answers = connection.end();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["id"], 1);
}

#[test]
fn the_id_of_a_request_in_work_is_refused_and_the_first_is_still_answered() {
    let gate = Gate::shut();
    let tools = gate.clone();
    let mut connection = Connection::initialized(move |_| move |_, _| tools.tool("x".to_owned()));
    connection.call(1, "read_graph", json!({}));
    connection.call(1, "read_graph", json!({}));
    let refusal = connection.next();
    assert_eq!(
        (&refusal["id"], &refusal["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    // A string and a number are different ids.
    connection.call("1", "read_graph", json!({}));
    gate.permits.add_permits(2);
    let (first, second) = (connection.next(), connection.next());
    assert_eq!((&first["id"], &second["id"]), (&json!(1), &json!("1")));
    assert_eq!(gate.started.load(Ordering::SeqCst), 2);
}

#[test]
fn answers_come_as_they_are_ready() {
    let gate = Gate::shut();
    let tools = gate.clone();
    let mut connection = Connection::initialized(move |_| {
        move |tool, _| match tool {
            Tool::ReadGraph => tools.tool("slow".to_owned()),
            _ => ready(text("fast")),
        }
    });
    connection.call(1, "read_graph", json!({}));
    connection.call(2, "open_nodes", names("x"));
    assert_eq!(connection.next()["id"], 2);
    gate.permits.add_permits(1);
    assert_eq!(connection.next()["id"], 1);
}

#[test]
fn no_more_than_256_calls_are_in_work_and_the_rest_waits_its_turn() {
    let gate = Gate::shut();
    let tools = gate.clone();
    let mut connection = Connection::initialized(move |_| move |_, _| tools.tool("x".to_owned()));
    for at in 0..300 {
        connection.call(at, "read_graph", json!({}));
    }
    eventually("the cap is reached", || {
        gate.started.load(Ordering::SeqCst) == 256
    });
    gate.permits.add_permits(1);
    connection.next();
    eventually("the next one starts", || {
        gate.started.load(Ordering::SeqCst) == 257
    });
    gate.permits.add_permits(299);
    assert_eq!(connection.end().len(), 299);
    assert_eq!(gate.started.load(Ordering::SeqCst), 300);
}

#[test]
fn everything_accepted_is_answered_at_the_end_of_input_and_a_listen_gets_the_last_updates() {
    let gate = Gate::shut();
    let tools = gate.clone();
    let mut connection = Connection::initialized(move |listeners| {
        move |_, _| {
            let (tool, listeners) = (tools.tool("x".to_owned()), listeners.clone());
            async move {
                let outcome = tool.await;
                listeners.ring();
                outcome
            }
            .boxed()
        }
    });
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}});
    connection.ask(
        "listen",
        "subscriptions/listen",
        json!({"_meta": meta, "notifications": {"resourceSubscriptions": [URI]}}),
    );
    assert_eq!(
        connection.next()["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(connection.listeners.count(), 1);
    connection.call(1, "read_graph", json!({}));
    connection.ping();
    connection.close_input();
    let listeners = connection.listeners.clone();
    gate.permits.add_permits(1);
    let last = connection.end();
    assert_eq!(last.len(), 3, "{last:?}");
    assert_eq!(last[0]["method"], "notifications/resources/updated");
    assert_eq!(last[1]["id"], 1);
    assert_eq!(last[2]["id"], "listen");
    assert_eq!(last[2]["result"]["resultType"], "complete");
    assert_eq!(
        last[2]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "listen"
    );
    assert_eq!(listeners.count(), 0);
}

#[test]
fn the_store_is_told_how_many_are_subscribed() {
    let mut connection = Connection::initialized(|_| |_, _| ready(text("")));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}});
    let listeners = connection.listeners.clone();
    let check = |connection: &mut Connection, count: usize| {
        connection.ping();
        eventually("the store is told", || listeners.count() == count);
    };
    for (id, uris) in [
        (1, json!([URI])),
        (2, json!([URI])),
        (3, json!(["memory://other"])),
    ] {
        connection.ask(
            id,
            "subscriptions/listen",
            json!({"_meta": meta, "notifications": {"resourceSubscriptions": uris}}),
        );
        connection.next();
    }
    check(&mut connection, 2);
    for _ in 0..2 {
        connection.ask("s", "resources/subscribe", json!({"uri": URI}));
        connection.next();
    }
    check(&mut connection, 3);
    cancel(&mut connection, json!(1));
    cancel(&mut connection, json!(3));
    check(&mut connection, 2);
    connection.ask(
        "u",
        "resources/unsubscribe",
        json!({"uri": "memory://other"}),
    );
    connection.next();
    check(&mut connection, 2);
    connection.ask("u", "resources/unsubscribe", json!({"uri": URI}));
    connection.next();
    check(&mut connection, 1);
}

#[test]
fn connections_at_once_subscribe_and_end_each_for_itself() {
    let listeners = Listeners::default();
    let subscribed = || {
        let mut connection = Connection::on(&listeners, |_, _| ready(text("")));
        connection.initialize();
        connection.ask("s", "resources/subscribe", json!({"uri": URI}));
        connection.next();
        connection
    };
    let (first, mut second) = (subscribed(), subscribed());
    assert_eq!(listeners.count(), 2);
    listeners.ring();
    let updated = "notifications/resources/updated";
    assert_eq!(second.next()["method"], updated);
    let heard = first.end();
    assert_eq!((heard.len(), &heard[0]["method"]), (1, &json!(updated)));
    assert_eq!(listeners.count(), 1);
    listeners.ring();
    assert_eq!(second.next()["method"], updated);
    assert!(second.end().is_empty());
    assert_eq!(listeners.count(), 0);
}

#[test]
fn changes_are_never_merged_however_fast_they_come() {
    let mut connection = Connection::initialized(|_| |_, _| ready(text("")));
    connection.ask(1, "resources/subscribe", json!({"uri": URI}));
    connection.next();
    for _ in 0..2000 {
        connection.listeners.ring();
    }
    for _ in 0..2000 {
        assert_eq!(
            connection.next()["method"],
            "notifications/resources/updated"
        );
    }
    connection.ping();
}

#[test]
fn when_the_client_stops_reading_what_it_asked_for_is_finished_and_the_server_ends() {
    let (finishing, finished) = channel();
    let gate = Gate::shut();
    let tools = gate.clone();
    let script = move |tool, _: Value| -> Answer {
        let (tools, finishing) = (tools.clone(), finishing.clone());
        async move {
            if tool == Tool::DeleteEntities {
                tools.tool(String::new()).await?;
                finishing.send(()).unwrap();
            }
            Ok(text(""))
        }
        .boxed()
    };
    let tools = Scripted(script, Served::default());
    let (server_input, mut input) = std::io::pipe().unwrap();
    let (output, server_output) = std::io::pipe().unwrap();
    drop(output);
    let served = std::thread::spawn(move || {
        let (listeners, patience) = (Listeners::default(), Patience::default());
        let tools = Arc::new(tools);
        let served = stdio::serve(tools, &listeners, &patience, server_input, server_output);
        stdio::runtime()?.block_on(served)
    });
    for (id, method, params) in [
        (1, "initialize", json!({"protocolVersion": "2025-11-25"})),
        (
            2,
            "tools/call",
            json!({"name": "delete_entities", "arguments": {"entityNames": []}}),
        ),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        // The first answer fails to be written; the second call may come too
        // late to be accepted, and then it must not start.
        input.write_all(format!("{request}\n").as_bytes()).unwrap();
    }
    gate.permits.add_permits(1);
    served.join().unwrap().unwrap();
    let started = gate.started.load(Ordering::SeqCst);
    assert_eq!(finished.try_iter().count(), started);
    assert_eq!(gate.dropped.load(Ordering::SeqCst), 0);
    // The input was open all the time.
    drop(input);
}

#[test]
fn only_served_tools_are_listed_and_found_and_nobody_may_keep_what_is_said_of_them() {
    let reading = Served::of(&[Toolset::DEFAULT], true);
    let listeners = Listeners::default();
    let answer = |_, _: Value| -> Answer { async { Ok(text("")) }.boxed() };
    let mut connection = Connection::serving(reading, &listeners, answer);
    connection.initialize();
    connection.ask(1, "tools/list", json!({}));
    let listed = connection.next()["result"]["tools"].take();
    let listed: Vec<&Value> = listed.as_array().unwrap().iter().collect();
    let names: Vec<&Value> = listed.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["read_graph", "search_nodes", "open_nodes"]);
    connection.call(2, "delete_entities", json!({"entityNames": []}));
    let error = connection.next()["error"].take();
    let text = "unknown tool: delete_entities\nit changes the memory, and this server only reads: start \
                it without --read-only (MEMORY_READ_ONLY)\nthe tools are read_graph, search_nodes, \
                open_nodes";
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(-32602), &json!(text))
    );
    connection.call(3, "read_graph", json!({}));
    assert!(connection.next()["result"].is_object());
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let meta = json!({"_meta": {version: "2026-07-28", capabilities: {}}});
    // The instructions of server/discover speak of the tools.
    for method in ["tools/list", "server/discover"] {
        connection.ask(4, method, meta.clone());
        let result = connection.next()["result"].take();
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(0), &json!("private")),
            "{method}"
        );
    }
}
