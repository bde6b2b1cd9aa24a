//! The 2026-07-28 era on raw lines, and both eras side by side.

use mcp_memory::tools::{RESOURCE, Served};
use serde_json::{Value, json};

use crate::support::assert_error;
use crate::support::session::{MODERN, Session, modern_request};

const URI: &str = "memory://knowledge-graph";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

fn ada() -> Value {
    json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]})
}

/// A modern request with exactly this `_meta`.
fn with_meta(id: u64, method: &str, meta: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}})
}

#[test]
fn discover_says_version_capabilities_and_instructions_and_may_be_cached() {
    let mut session = Session::fresh();
    let answer = session.modern("server/discover", json!({}));
    let result = &answer["result"];
    assert_eq!(result["supportedVersions"], json!([MODERN]));
    assert_eq!(
        result["capabilities"],
        json!({"tools": {}, "resources": {"subscribe": true}, "prompts": {}})
    );
    assert_eq!(result["instructions"], Served::default().instructions());
    assert!(result["ttlMs"].is_u64());
    assert_eq!(result["cacheScope"], "public");
}

#[test]
fn every_result_is_complete_and_names_the_server() {
    let mut session = Session::fresh();
    for (method, params, cache) in [
        ("server/discover", json!({}), Some("public")),
        ("tools/list", json!({}), Some("public")),
        ("resources/list", json!({}), Some("public")),
        ("resources/templates/list", json!({}), Some("public")),
        ("resources/read", json!({"uri": URI}), Some("private")),
        ("tools/call", json!({"name": "read_graph"}), None),
        (
            "tools/call",
            json!({"name": "open_nodes", "arguments": {"names": 5}}),
            None,
        ),
    ] {
        let answer = session.modern(method, params);
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{method}: {answer}");
        let server = &result["_meta"][SERVER];
        assert_eq!(server["name"], "mcp-memory", "{method}");
        assert_eq!(server["version"], env!("CARGO_PKG_VERSION"), "{method}");
        assert_eq!(server["title"], "Memory", "{method}");
        match cache {
            Some(scope) => {
                assert!(result["ttlMs"].is_u64(), "{method}");
                assert_eq!(result["cacheScope"], scope, "{method}");
            }
            None => {
                assert!(result.get("ttlMs").is_none(), "{method}");
                assert!(result.get("cacheScope").is_none(), "{method}");
            }
        }
    }
}

#[test]
fn legacy_results_carry_nothing_of_the_modern_era() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": URI})),
        ("tools/call", json!({"name": "read_graph"})),
        ("resources/subscribe", json!({"uri": URI})),
    ] {
        let answer = session.request(method, params);
        for member in ["resultType", "_meta", "ttlMs", "cacheScope", "isError"] {
            assert!(answer["result"].get(member).is_none(), "{method}: {answer}");
        }
    }
}

#[test]
fn a_result_is_the_same_in_both_eras_but_for_the_members_of_the_era() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    session.call("create_entities", ada());
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": URI})),
        ("tools/call", json!({"name": "read_graph"})),
    ] {
        let legacy = session.request(method, params.clone())["result"].take();
        let mut modern = session.modern(method, params)["result"].take();
        for member in ["resultType", "_meta", "ttlMs", "cacheScope"] {
            modern.as_object_mut().unwrap().remove(member);
        }
        assert_eq!(legacy, modern, "{method}");
    }
}

#[test]
fn tools_list_is_what_the_build_generated_in_both_eras() {
    let list = mcp_memory::tools::Served::default().list();
    let mut session = Session::fresh();
    let modern = session.modern("tools/list", json!({}));
    session.initialize("2024-11-05");
    let legacy = session.request("tools/list", json!({}));
    // The order of members survives reading and writing, so equal texts are
    // equal bytes.
    assert_eq!(
        legacy["result"].to_string(),
        format!("{{\"tools\":{list}}}")
    );
    assert_eq!(modern["result"]["tools"].to_string(), list);
}

#[test]
fn the_resource_is_the_graph_as_read_graph_gives_it() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    session.call("create_entities", ada());
    let graph = session.call("read_graph", json!({}));
    let read = session.request("resources/read", json!({"uri": URI}));
    assert_eq!(
        read["result"],
        json!({"contents": [{"uri": URI, "mimeType": "application/json",
            "text": graph["content"][0]["text"]}]})
    );
    let listed = session.request("resources/list", json!({}));
    let resource = &listed["result"]["resources"][0];
    assert_eq!(resource["uri"], URI);
    assert_eq!(resource["name"], "knowledge-graph");
    assert_eq!(resource["mimeType"], "application/json");
    assert_eq!(resource["title"], RESOURCE.title);
    assert_eq!(resource["description"], RESOURCE.description);
}

#[test]
fn a_file_that_cannot_be_read_fails_the_resource_with_the_store_s_text() {
    let mut session = Session::holding("nonsense\n");
    session.initialize("2025-11-25");
    let failed = session.call("read_graph", json!({}));
    assert_eq!(failed["isError"], true, "{failed}");
    let text = failed["content"][0]["text"].as_str().unwrap();
    for answer in [
        session.request("resources/read", json!({"uri": URI})),
        session.modern("resources/read", json!({"uri": URI})),
    ] {
        assert_eq!(assert_error(&answer, -32603), text);
    }
}

#[test]
fn missing_or_malformed_meta_is_invalid_params() {
    let mut session = Session::fresh();
    for (at, (meta, named)) in [
        (json!({VERSION: MODERN}), CAPABILITIES),
        (json!({CAPABILITIES: {}}), VERSION),
        (json!({VERSION: 5, CAPABILITIES: {}}), VERSION),
        (json!({VERSION: MODERN, CAPABILITIES: []}), CAPABILITIES),
        (
            json!({VERSION: MODERN, CAPABILITIES: {}, CLIENT: "x"}),
            CLIENT,
        ),
        (
            json!({VERSION: MODERN, CAPABILITIES: {}, LOG_LEVEL: "loud"}),
            LOG_LEVEL,
        ),
        (
            json!({VERSION: MODERN, CAPABILITIES: {}, LOG_LEVEL: 1}),
            LOG_LEVEL,
        ),
        (json!({}), VERSION),
        (json!([]), VERSION),
    ]
    .into_iter()
    .enumerate()
    {
        session.send(&with_meta(at as u64, "tools/list", meta));
        let answer = session.next();
        assert_eq!(answer["id"], at);
        let message = assert_error(&answer, -32602);
        assert!(message.contains(named), "{message}");
    }
    session.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "server/discover"}));
    assert_error(&session.next(), -32602);
}

#[test]
fn client_info_and_a_known_log_level_are_optional_and_logging_is_never_sent() {
    let mut session = Session::fresh();
    session.send(&with_meta(
        1,
        "tools/list",
        json!({VERSION: MODERN, CAPABILITIES: {}}),
    ));
    assert!(session.next()["result"]["tools"].is_array());
    let meta = json!({VERSION: MODERN, CAPABILITIES: {}, LOG_LEVEL: "debug", "progressToken": 1});
    session.send(&with_meta(2, "tools/list", meta));
    assert_eq!(session.next()["id"], 2);
    session.ping();
}

#[test]
fn an_unsupported_version_is_answered_with_the_supported_ones() {
    let mut session = Session::fresh();
    for version in ["2025-11-25", "2099-01-01", ""] {
        for method in ["server/discover", "tools/list"] {
            let meta = json!({VERSION: version, CAPABILITIES: {}});
            session.send(&with_meta(1, method, meta));
            let answer = session.next();
            assert_error(&answer, -32022);
            assert_eq!(
                answer["error"]["data"],
                json!({"supported": [MODERN], "requested": version})
            );
        }
    }
}

#[test]
fn removed_and_unknown_methods_are_not_found() {
    let mut session = Session::fresh();
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        "tasks/get",
        "tasks/list",
        "skills/list",
        "roots/list",
        "",
        "nonsense",
    ] {
        let answer = session.modern(method, json!({"uri": URI}));
        let message = assert_error(&answer, -32601);
        assert!(message.contains(&format!("{method:?}")), "{message}");
    }
}

#[test]
fn a_wrong_tools_call_is_invalid_params_and_wrong_arguments_are_a_result() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    for modern in [false, true] {
        let mut call = |params: Value| {
            if modern {
                session.modern("tools/call", params)
            } else {
                session.request("tools/call", params)
            }
        };
        let unknown = call(json!({"name": "forget_all"}));
        let message = assert_error(&unknown, -32602);
        assert!(message.contains("unknown tool: forget_all"), "{message}");
        for tool in ["create_entities", "open_nodes", "read_graph"] {
            assert!(message.contains(tool), "{message}");
        }
        assert_error(&call(json!({})), -32602);
        assert_error(&call(json!({"name": 5})), -32602);
        for arguments in [json!([]), json!("{}"), json!(5), json!(true)] {
            let answer = call(json!({"name": "read_graph", "arguments": arguments}));
            assert_error(&answer, -32602);
        }
        for params in [
            json!({"name": "read_graph"}),
            json!({"name": "read_graph", "arguments": null}),
            json!({"name": "read_graph", "arguments": {}}),
        ] {
            let answer = call(params);
            assert!(
                answer["result"]["structuredContent"].is_object(),
                "{answer}"
            );
            assert!(answer["result"].get("isError").is_none(), "{answer}");
        }
        let answer = call(json!({"name": "open_nodes", "arguments": {"names": 5}}));
        assert_eq!(answer["result"]["isError"], true);
        assert!(answer["result"]["content"][0]["text"].is_string());
    }
}

#[test]
fn an_unknown_resource_is_an_error_with_its_uri() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    for uri in [
        "memory://other",
        "Memory://knowledge-graph",
        "memory://knowledge-graph/",
        "",
    ] {
        let modern = session.modern("resources/read", json!({"uri": uri}));
        assert_error(&modern, -32602);
        assert_eq!(modern["error"]["data"], json!({"uri": uri}));
        let legacy = session.request("resources/read", json!({"uri": uri}));
        assert_error(&legacy, -32002);
        assert_eq!(legacy["error"]["data"], json!({"uri": uri}));
    }
    for params in [json!({}), json!({"uri": 5}), json!({"uri": null})] {
        assert_error(&session.modern("resources/read", params.clone()), -32602);
        assert_error(&session.request("resources/read", params.clone()), -32602);
        assert_error(&session.request("resources/subscribe", params), -32602);
    }
}

#[test]
fn a_cursor_was_never_handed_out() {
    let mut session = Session::fresh();
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        for cursor in [json!("x"), json!(5)] {
            let answer = session.modern(method, json!({"cursor": cursor}));
            assert_error(&answer, -32602);
        }
        for cursor in [json!(""), json!(null)] {
            let answer = session.modern(method, json!({"cursor": cursor}));
            assert!(answer["result"].is_object(), "{answer}");
            assert!(answer["result"].get("nextCursor").is_none(), "{answer}");
        }
    }
}

#[test]
fn ids_come_back_with_their_type() {
    let mut session = Session::fresh();
    for id in [json!(0), json!(-7), json!("0"), json!(""), json!("ä\n\"")] {
        session.send(&modern_request(
            &id,
            "tools/call",
            json!({"name": "read_graph"}),
        ));
        assert_eq!(session.next()["id"], id);
        session.send(&modern_request(&id, "nonsense", json!({})));
        assert_eq!(session.next()["id"], id);
    }
}

#[test]
fn initialize_echoes_the_versions_of_its_era_and_offers_the_newest_for_others() {
    let mut session = Session::fresh();
    for (requested, offered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let result = session.initialize(requested);
        assert_eq!(result["protocolVersion"], offered);
        assert_eq!(result["serverInfo"]["name"], "mcp-memory");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["serverInfo"]["title"], "Memory");
        assert_eq!(result["instructions"], Served::default().instructions());
        assert_eq!(
            result["capabilities"],
            json!({"tools": {}, "resources": {"subscribe": true}, "prompts": {}})
        );
        assert!(result.get("_meta").is_none());
    }
    assert_error(&session.request("initialize", json!({})), -32602);
    assert_error(
        &session.request("initialize", json!({"protocolVersion": 1})),
        -32602,
    );
}

#[test]
fn before_initialize_a_legacy_client_may_only_ping() {
    let mut session = Session::fresh();
    session.ping();
    for method in [
        "tools/list",
        "tools/call",
        "resources/read",
        "resources/subscribe",
    ] {
        let answer = session.request(method, json!({"name": "read_graph", "uri": URI}));
        let message = assert_error(&answer, -32602);
        assert!(message.contains("initialize"), "{message}");
    }
    assert_error(&session.request("initialize", json!({})), -32602);
    assert_error(&session.request("tools/list", json!({})), -32602);
    session.initialize("2025-06-18");
    assert!(session.request("tools/list", json!({}))["result"].is_object());
}

#[test]
fn a_pipelined_handshake_is_served_in_order() {
    let mut session = Session::fresh();
    session.send_raw(
        br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
"#,
    );
    assert_eq!(session.next()["id"], 1);
    assert!(session.next()["result"]["tools"].is_array());
}

#[test]
fn both_eras_are_served_in_one_process_in_any_order() {
    let mut session = Session::fresh();
    assert!(session.modern("tools/list", json!({}))["result"].is_object());
    // A probe may be given up with a cancellation, before initialize.
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "kit-2"}}),
    );
    session.initialize("2025-11-25");
    session.call("create_entities", ada());
    let graph = session.modern("tools/call", json!({"name": "read_graph"}));
    assert_eq!(
        graph["result"]["structuredContent"]["entities"][0]["name"],
        "Ada"
    );
    assert!(session.request("tools/list", json!({}))["result"].is_object());
    assert!(session.modern("server/discover", json!({}))["result"].is_object());
    session.ping();
}
