//! Prompts in both eras: what is listed, what is filled in, and what is said
//! when it cannot be.

use serde_json::{Value, json};

use crate::support::session::Session;

fn started(flags: &[&str]) -> Session {
    let mut session = Session::start_with(|command| {
        command.args(flags);
    });
    session.initialize("2025-11-25");
    session
}

/// The same request in both eras; both say the same but for the envelope.
#[track_caller]
fn asked(session: &mut Session, method: &str, params: Value) -> Value {
    let mut legacy = session.request(method, params.clone());
    let mut modern = session.modern(method, params);
    assert_eq!(legacy["error"], modern["error"]);
    let mut envelope = Vec::new();
    for member in ["resultType", "ttlMs", "cacheScope", "_meta"] {
        envelope.extend(
            modern["result"]
                .as_object_mut()
                .and_then(|it| it.shift_remove(member)),
        );
    }
    if legacy["error"].is_null() {
        assert!(envelope.contains(&json!("complete")));
        assert_eq!(legacy["result"], modern["result"]);
        return legacy["result"].take();
    }
    legacy["error"].take()
}

#[test]
fn the_prompts_are_listed_with_their_arguments() {
    let mut session = started(&[]);
    let listed = asked(&mut session, "prompts/list", json!({}));
    let listed = listed["prompts"].as_array().unwrap();
    let names: Vec<&Value> = listed.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["recall", "remember", "tidy_up"]);
    assert_eq!(
        listed[0],
        json!({
            "name": "recall",
            "title": "Recall",
            "description": "Look up what the memory knows about something",
            "arguments": [{
                "name": "topic",
                "description": "What to look up: a person, a project, a question",
                "required": true,
            }],
        })
    );
    assert_eq!(listed[2].get("arguments"), None);
    let modern = session.modern("prompts/list", json!({}));
    assert!(modern["result"]["ttlMs"].is_u64());
    assert_eq!(modern["result"]["cacheScope"], "public");
    let cursor = asked(&mut session, "prompts/list", json!({"cursor": "x"}));
    assert_eq!(cursor["code"], -32602);
}

#[test]
fn a_prompt_is_a_message_of_the_user_with_what_was_filled_in() {
    let mut session = started(&[]);
    let topic = "tea, {topic} and \"coffee\"";
    let params = json!({"name": "recall", "arguments": {"topic": topic, "more": 1}});
    let got = asked(&mut session, "prompts/get", params);
    assert_eq!(
        got["description"],
        "Look up what the memory knows about something"
    );
    let messages = got["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(messages[0]["content"]["type"], "text");
    let text = messages[0]["content"]["text"].as_str().unwrap();
    let first = format!("Look up in the long-term memory what it knows about this: {topic}\n\n");
    assert!(text.starts_with(&first), "{text}");
    for arguments in [json!({}), json!(null)] {
        let params = json!({"name": "tidy_up", "arguments": arguments});
        let got = asked(&mut session, "prompts/get", params);
        assert!(got["messages"][0]["content"]["text"].is_string());
    }
    asked(&mut session, "prompts/get", json!({"name": "tidy_up"}));
}

#[test]
fn what_cannot_be_filled_in_is_invalid_params_and_says_what_is_missing() {
    let mut session = started(&[]);
    let mut check = |params: Value, expected: &str| {
        let error = asked(&mut session, "prompts/get", params);
        assert_eq!(error["code"], -32602);
        assert_eq!(error["message"], expected);
    };
    let missing = |what: &str| {
        format!(
            "the prompt recall cannot be filled in: the argument topic {what}\n\
             it says: What to look up: a person, a project, a question"
        )
    };
    check(json!({"name": "recall"}), &missing("is missing"));
    let given = |value: Value| json!({"name": "recall", "arguments": {"topic": value}});
    check(given(json!(null)), &missing("is missing"));
    check(given(json!(" ")), &missing("is empty"));
    check(given(json!(3)), &missing("must be a string, not a number"));
    check(
        json!({"name": "recall", "arguments": ["tea"]}),
        "arguments of the prompt recall must be an object, not an array",
    );
    check(
        json!({"name": "Recall"}),
        "unknown prompt: Recall\nthe prompts are recall, remember, tidy_up",
    );
    let long = "x".repeat(100_000);
    check(
        json!({"name": long}),
        &format!(
            "unknown prompt: {}\nthe prompts are recall, remember, tidy_up",
            "x".repeat(200)
        ),
    );
    for nameless in [json!({}), json!({"name": 1})] {
        check(
            nameless,
            "prompts/get without params.name\nname the prompt to get, a string",
        );
    }
}

#[test]
fn a_prompt_that_needs_a_tool_that_is_not_served_is_unknown_and_the_error_says_why() {
    let mut session = started(&["--read-only"]);
    let listed = asked(&mut session, "prompts/list", json!({}));
    let listed = listed["prompts"].as_array().unwrap();
    let names: Vec<&Value> = listed.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["recall"]);
    let modern = session.modern("prompts/list", json!({}));
    assert_eq!(modern["result"]["cacheScope"], "private");
    let params = json!({"name": "remember", "arguments": {"what": "tea"}});
    let error = asked(&mut session, "prompts/get", params);
    assert_eq!(error["code"], -32602);
    assert_eq!(
        error["message"],
        "unknown prompt: remember\nit needs create_entities: it changes the memory, and this \
         server only reads: start it without --read-only (MEMORY_READ_ONLY)\nthe prompts are \
         recall"
    );
}
