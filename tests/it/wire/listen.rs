//! Subscriptions of the 2026-07-28 era on raw lines, and next to a legacy one.

use serde_json::{Value, json};

use crate::support::assert_error;
use crate::support::session::{Session, modern_request};

const URI: &str = "memory://knowledge-graph";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn create(session: &mut Session, id: &Value) {
    let params = json!({"name": "create_entities", "arguments": json!({"entities": [{"name": "Ada", "entityType": "person", "observations": []}]})});
    session.send(&modern_request(id, "tools/call", params));
}

fn listen(session: &mut Session, id: &Value, notifications: Value) {
    let params = json!({"notifications": notifications});
    session.send(&modern_request(id, "subscriptions/listen", params));
}

fn cancel(session: &mut Session, id: &Value) {
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}}),
    );
}

fn acknowledgement(id: &Value, honoured: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {SUBSCRIPTION: id}, "notifications": honoured}})
}

fn update(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated",
        "params": {"uri": URI, "_meta": {SUBSCRIPTION: id}}})
}

#[test]
fn a_listen_is_acknowledged_first_and_its_updates_are_tagged_and_precede_the_answer() {
    let mut session = Session::fresh();
    let (id, call) = (json!(7), json!("call"));
    listen(
        &mut session,
        &id,
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["memory://other", URI]}),
    );
    // Without waiting for the acknowledgement: nothing after it may be lost.
    create(&mut session, &call);
    let honoured = json!({"resourceSubscriptions": [URI]});
    assert_eq!(session.next(), acknowledgement(&id, honoured));
    assert_eq!(session.next(), update(&id));
    assert_eq!(session.next()["id"], call);
}

#[test]
fn a_listen_gets_only_what_it_asked_for() {
    let mut session = Session::fresh();
    let (first, second) = (json!("a"), json!("b"));
    listen(&mut session, &first, json!({}));
    assert_eq!(session.next(), acknowledgement(&first, json!({})));
    let near = format!("{URI}/");
    listen(
        &mut session,
        &second,
        json!({"resourceSubscriptions": [near]}),
    );
    assert_eq!(session.next(), acknowledgement(&second, json!({})));
    create(&mut session, &json!(1));
    assert_eq!(session.next()["id"], 1);
}

#[test]
fn two_listens_get_one_update_each_and_a_legacy_subscriber_an_untagged_one() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let wanted = json!({"resourceSubscriptions": [URI, URI]});
    let honoured = json!({"resourceSubscriptions": [URI]});
    let ids = [json!("x"), json!(5)];
    for id in &ids {
        listen(&mut session, id, wanted.clone());
        assert_eq!(session.next(), acknowledgement(id, honoured.clone()));
    }
    for _ in 0..2 {
        session.request("resources/subscribe", json!({"uri": URI}));
    }
    create(&mut session, &json!(1));
    let mut updates = vec![session.next(), session.next(), session.next()];
    updates.sort_by_key(Value::to_string);
    let mut expected = vec![
        update(&ids[0]),
        update(&ids[1]),
        json!({"jsonrpc": "2.0", "method": "notifications/resources/updated",
            "params": {"uri": URI}}),
    ];
    expected.sort_by_key(Value::to_string);
    assert_eq!(updates, expected);
    assert_eq!(session.next()["id"], 1);
}

#[test]
fn a_cancelled_listen_is_silent_and_its_id_is_free() {
    let mut session = Session::fresh();
    let (id, wanted) = (json!(1), json!({"resourceSubscriptions": [URI]}));
    let honoured = wanted.clone();
    listen(&mut session, &id, wanted.clone());
    assert_eq!(session.next(), acknowledgement(&id, honoured.clone()));
    cancel(&mut session, &id);
    create(&mut session, &json!(2));
    assert_eq!(session.next()["id"], 2);
    listen(&mut session, &id, wanted);
    assert_eq!(session.next(), acknowledgement(&id, honoured));
}

#[test]
fn a_listen_with_wrong_params_is_invalid_params() {
    let mut session = Session::fresh();
    for params in [
        json!({}),
        json!({"notifications": null}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": "yes"}}),
        json!({"notifications": {"resourceSubscriptions": URI}}),
        json!({"notifications": {"resourceSubscriptions": [5]}}),
    ] {
        assert_error(&session.modern("subscriptions/listen", params), -32602);
    }
    session.ping();
}

#[test]
fn a_listen_with_a_long_id_is_refused_because_its_id_would_stay_in_memory() {
    let mut session = Session::fresh();
    let wanted = || json!({"resourceSubscriptions": [URI]});
    let longest = json!("i".repeat(4096));
    listen(&mut session, &longest, wanted());
    assert_eq!(session.next(), acknowledgement(&longest, wanted()));
    let longer = json!("i".repeat(4097));
    listen(&mut session, &longer, wanted());
    let answer = session.next();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&longer, &json!(-32600))
    );
}

#[test]
fn listen_belongs_to_the_modern_era_alone() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    let answer = session.request("subscriptions/listen", json!({"notifications": {}}));
    assert_error(&answer, -32601);
    assert_error(&session.request("server/discover", json!({})), -32601);
}

#[test]
fn more_than_256_open_listens_are_refused_until_one_is_cancelled() {
    let mut session = Session::fresh();
    for at in 0..256 {
        listen(&mut session, &json!(at), json!({}));
        assert_eq!(session.next(), acknowledgement(&json!(at), json!({})));
    }
    listen(&mut session, &json!("one more"), json!({}));
    let message = session.next();
    assert_eq!(message["id"], "one more");
    assert_error(&message, -32603);
    cancel(&mut session, &json!(7));
    listen(&mut session, &json!(7), json!({}));
    assert_eq!(session.next(), acknowledgement(&json!(7), json!({})));
}
