//! What people reported that models and clients send, and what a model reads
//! when it did not do what was meant, on the built binary. That any arguments
//! are answered is any_arguments.rs's, how the wrong ones are worded
//! wording.rs's, and what the reference does as well sessions.rs's.

use serde_json::{Value, json};

use crate::support::session::Session;

const ADA: &str = r#"{"type":"entity","name":"Ada","entityType":"person","observations":["Likes tea.","Moved to Lisbon in 2026"]}
"#;
const ACME: &str = r#"{"type":"entity","name":"Acme","entityType":"company","observations":[]}
"#;
const WORKS_AT: &str = r#"{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}
"#;

/// A memory of these lines, behind the handshake.
fn memory(lines: &[&str]) -> Session {
    let mut session = Session::holding(lines.concat());
    session.initialize("2025-11-25");
    session
}

/// The call succeeds; this is what a client shows that knows
/// structuredContent, and what one sees that shows the texts alone: beyond the
/// first text item, this note.
#[track_caller]
fn check(lines: &[&str], tool: &str, arguments: Value, structured: Value, note: Option<&str>) {
    let result = memory(lines).call(tool, arguments);
    assert!(result.get("isError").is_none(), "{result}");
    assert_eq!(result["structuredContent"], structured);
    let texts: Vec<&Value> = result["content"].as_array().unwrap().iter().collect();
    let notes: Vec<&str> = texts[1..]
        .iter()
        .map(|item| item["text"].as_str().unwrap())
        .collect();
    assert_eq!(notes, Vec::from_iter(note));
}

/// The call fails with this text, and the file keeps its bytes.
#[track_caller]
fn check_error(lines: &[&str], tool: &str, arguments: Value, text: &str) {
    let mut session = memory(lines);
    let result = session.call(tool, arguments);
    let expected = json!({"content": [{"type": "text", "text": text}], "isError": true});
    assert_eq!(result, expected);
    assert_eq!(session.bytes(), lines.concat().as_bytes());
}

fn works_at() -> Value {
    json!({"from": "Ada", "to": "Acme", "relationType": "works_at"})
}

fn ada() -> Value {
    json!({
        "name": "Ada",
        "entityType": "person",
        "observations": ["Likes tea.", "Moved to Lisbon in 2026"],
    })
}

// --- How clients send arguments -------------------------------------------

#[test]
fn every_tool_takes_null_for_no_arguments() {
    let mut session = memory(&[ADA]);
    for tool in crate::contract::tools() {
        let name = &tool["name"];
        let params = [
            json!({"name": name}),
            json!({"name": name, "arguments": null}),
            json!({"name": name, "arguments": {}}),
        ];
        let answers = params.map(|params| session.request("tools/call", params)["result"].take());
        assert_eq!(answers[0], answers[1], "{name}");
        assert_eq!(answers[0], answers[2], "{name}");
        let needs_some = tool["inputSchema"].get("required").is_some();
        assert_eq!(answers[0]["isError"] == true, needs_some, "{name}");
    }
}

#[test]
fn parameters_that_clients_make_up_for_tools_without_any_are_ignored() {
    for arguments in [json!({"__unused__": true}), json!({"random_string": "x"})] {
        let graph = json!({"entities": [ada()], "relations": []});
        check(&[ADA], "read_graph", arguments, graph, None);
    }
}

#[test]
fn arrays_that_a_client_sends_as_json_strings_are_stored_as_arrays() {
    let mut session = memory(&[]);
    let entities = r#"[{"name":"Bo","entityType":"person","observations":"plays go"}]"#;
    session.call("create_entities", json!({"entities": entities}));
    assert_eq!(
        String::from_utf8_lossy(&session.bytes()),
        "{\"type\":\"entity\",\"name\":\"Bo\",\"entityType\":\"person\",\"observations\":[\"plays \
         go\"]}\n"
    );
}

#[test]
fn a_call_whose_arguments_were_lost_is_never_a_success() {
    check_error(
        &[ADA],
        "create_entities",
        json!({}),
        "create_entities: invalid arguments; nothing was changed\n\
         - entities: missing, expected an array of objects with name, entityType and \
         observations\n\
         correct arguments look like this: {\"entities\":[{\"name\":\"Ada\",\"entityType\":\
         \"person\",\"observations\":[\"Prefers tea to coffee\"]}]}",
    );
}

#[test]
fn arguments_that_are_no_object_are_refused_with_a_correct_call() {
    let mut session = memory(&[]);
    let params = json!({"name": "search_nodes", "arguments": ["tea"]});
    let error = session.request("tools/call", params)["error"].take();
    assert_eq!(
        error,
        json!({
            "code": -32602,
            "message": "arguments of search_nodes must be an object, not an array\n\
                        correct arguments look like this: {\"query\":\"tea\"}",
        })
    );
}

#[test]
fn the_longest_query_is_counted_as_javascript_does() {
    let mut session = memory(&[ADA]);
    for (query, fits) in [
        ("🦀".repeat(1024), true),
        ("🦀".repeat(1024) + "x", false),
        ("x".repeat(5000), false),
    ] {
        let result = session.call("search_nodes", json!({"query": query}));
        assert_eq!(result.get("isError").is_none(), fits, "{result}");
    }
}

// --- What a call did not do -----------------------------------------------

#[test]
fn creating_an_entity_that_exists_says_what_to_use_for_its_facts() {
    let given = json!({"name": "Ada", "entityType": "person", "observations": ["new fact"]});
    check(
        &[ADA],
        "create_entities",
        json!({"entities": [given]}),
        json!({"entities": [], "skipped": ["Ada"]}),
        Some(
            "Skipped, because an entity of this name exists already: \"Ada\". It was left as it is \
             and the observations given for it were not added; add them with add_observations.",
        ),
    );
}

#[test]
fn of_one_name_twice_in_a_call_the_first_is_stored_and_the_second_skipped() {
    let bo = |fact: &str| json!({"name": "Bo", "entityType": "person", "observations": [fact]});
    check(
        &[],
        "create_entities",
        json!({"entities": [bo("a"), bo("b"), bo("c")]}),
        json!({"entities": [bo("a")], "skipped": ["Bo"]}),
        Some(
            "Skipped, because an entity of this name exists already: \"Bo\". It was left as it is \
             and the observations given for it were not added; add them with add_observations.",
        ),
    );
}

#[test]
fn names_that_differ_in_case_are_two_entities() {
    let named = |name: &str| json!({"name": name, "entityType": "t", "observations": []});
    let both = json!({"entities": [named("MyService"), named("myservice")]});
    check(&[], "create_entities", both.clone(), both, None);
}

#[test]
fn a_relation_that_exists_is_skipped_and_one_to_nowhere_is_stored_and_named() {
    let knows = json!({"from": "Ada", "to": "Bo", "relationType": "knows"});
    check(
        &[ADA, ACME, WORKS_AT],
        "create_relations",
        json!({"relations": [works_at(), knows, knows, works_at()]}),
        json!({
            "relations": [knows],
            "skipped": [works_at(), knows],
            "missingEntities": ["Bo"],
        }),
        Some(
            "Skipped, because the relation exists already: \"Ada\" \"works_at\" \"Acme\", \"Ada\" \
             \"knows\" \"Bo\".\n\
             The relations are stored, but these entities do not exist: \"Bo\". If a name is \
             misspelt, delete the relation and create the right one; if the entity is new, add it \
             with create_entities.",
        ),
    );
}

#[test]
fn with_strict_relations_a_relation_to_nowhere_fails_the_call_and_nothing_is_written() {
    let relations = json!({"relations": [
        works_at(),
        {"from": "Ghost_A", "to": "Ghost_B", "relationType": "knows"},
        {"from": "Ada", "to": "Ghost_A", "relationType": "knows"},
    ]});
    let by_flag = Session::start_with(|command| {
        command.arg("--strict-relations");
    });
    let by_variable = Session::start_with(|command| {
        command.env("MEMORY_STRICT_RELATIONS", "1");
    });
    for mut session in [by_flag, by_variable] {
        session.initialize("2025-11-25");
        std::fs::write(session.file(), [ADA, ACME].concat()).unwrap();
        let result = session.call("create_relations", relations.clone());
        assert_eq!(result["isError"], true);
        assert_eq!(
            result["content"][0]["text"],
            "create_relations: these entities do not exist: \"Ghost_A\", \"Ghost_B\"; no relation \
             was stored\n\
             create them with create_entities first, or correct the names"
        );
        assert_eq!(session.bytes(), [ADA, ACME].concat().as_bytes());
        let stored = session.call("create_relations", json!({"relations": [works_at()]}));
        assert_eq!(
            stored["structuredContent"],
            json!({"relations": [works_at()]})
        );
    }
}

#[test]
fn one_unknown_entity_fails_all_observations_and_every_unknown_one_is_named() {
    let to = |name: &str| json!({"entityName": name, "contents": ["x"]});
    check_error(
        &[ADA],
        "add_observations",
        json!({"observations": [to("Bo"), to("Ada"), to("ada"), to("Bo")]}),
        "Entity with name Bo not found\nEntity with name ada not found",
    );
}

#[test]
fn two_items_for_one_entity_are_applied_in_order_with_a_result_each() {
    let to_ada = |contents: &[&str]| json!({"entityName": "Ada", "contents": contents});
    let added = |contents: &[&str]| json!({"entityName": "Ada", "addedObservations": contents});
    check(
        &[ADA],
        "add_observations",
        json!({"observations": [to_ada(&["a", "Likes tea.", "a"]), to_ada(&["a", "b"])]}),
        json!({"results": [added(&["a", "a"]), added(&["b"])]}),
        None,
    );
}

#[test]
fn a_fact_that_is_missed_by_little_is_not_deleted_and_the_stored_one_is_quoted() {
    check(
        &[ADA],
        "delete_observations",
        json!({"deletions": [
            {"entityName": "Ada", "observations": ["likes tea", "Has a cat", "likes tea"]},
            {"entityName": "ada", "observations": []},
        ]}),
        json!({
            "success": true,
            "message": "Observations deleted successfully",
            "deleted": 0,
            "notFound": [
                {"entityName": "Ada", "observations": ["likes tea", "Has a cat"]},
                {"entityName": "ada", "observations": []},
            ],
        }),
        Some(
            "Not everything was there to delete; a text must equal the stored one in every \
             character:\n\
             - \"Ada\" has no such observation: \"likes tea\" (stored is \"Likes tea.\"), \"Has a \
             cat\".\n\
             - No such entity: \"ada\". Names must match exactly; search_nodes finds a name by a \
             piece of it. Instead of \"ada\" there is \"Ada\".",
        ),
    );
}

#[test]
fn what_was_deleted_is_counted_and_nothing_else_is_said() {
    for (tool, arguments, message, deleted) in [
        (
            "delete_observations",
            json!({"deletions": [{"entityName": "Ada", "observations": ["Likes tea."]}]}),
            "Observations deleted successfully",
            1,
        ),
        (
            "delete_relations",
            json!({"relations": [works_at()]}),
            "Relations deleted successfully",
            1,
        ),
        (
            "delete_entities",
            json!({"entityNames": ["Acme", "Ada", "Acme"]}),
            "Entities deleted successfully",
            2,
        ),
    ] {
        let structured = json!({"success": true, "message": message, "deleted": deleted});
        check(&[ADA, ACME, WORKS_AT], tool, arguments, structured, None);
    }
}

#[test]
fn a_relation_that_is_missed_by_little_is_not_deleted_and_the_stored_one_is_quoted() {
    let other_way = json!({"from": "Acme", "to": "Ada", "relationType": "works_at"});
    let other_word = json!({"from": "Ada", "to": "Acme", "relationType": "works at"});
    let other_end = json!({"from": "Ada", "to": "Bo", "relationType": "works_at"});
    check(
        &[ADA, ACME, WORKS_AT],
        "delete_relations",
        json!({"relations": [other_way, other_word, other_end, other_way]}),
        json!({
            "success": true,
            "message": "Relations deleted successfully",
            "deleted": 0,
            "notFound": [other_way, other_word, other_end],
        }),
        Some(
            "No such relation: \"Acme\" \"works_at\" \"Ada\" (stored is \"Ada\" \"works_at\" \
             \"Acme\"), \"Ada\" \"works at\" \"Acme\" (stored is \"Ada\" \"works_at\" \"Acme\"), \
             \"Ada\" \"works_at\" \"Bo\". from, to and relationType must all equal the stored ones; \
             read them with open_nodes.",
        ),
    );
}

#[test]
fn unknown_names_are_listed_and_the_stored_spelling_is_offered() {
    let note = "No such entity: \"ada \", \"Ghost\". Names must match exactly; search_nodes finds \
                a name by a piece of it. Instead of \"ada \" there is \"Ada\".";
    let names = ["ada ", "Ghost", "ada "];
    check(
        &[ADA],
        "delete_entities",
        json!({"entityNames": names}),
        json!({
            "success": true,
            "message": "Entities deleted successfully",
            "deleted": 0,
            "notFound": ["ada ", "Ghost"],
        }),
        Some(note),
    );
    check(
        &[ADA],
        "open_nodes",
        json!({"names": names}),
        json!({"entities": [], "relations": [], "notFound": ["ada ", "Ghost"]}),
        Some(note),
    );
}

// --- Searching and reading a part -----------------------------------------

#[test]
fn an_empty_answer_is_told_from_an_empty_memory() {
    for (lines, note) in [
        (
            vec![ADA, ACME],
            "None of the 2 stored entities contains \"tea Lisbon\". The match is literal (only \
             upper and lower case are alike), so try a single word, a part of a word or a synonym.",
        ),
        (
            vec![ADA],
            "The only stored entity does not contain \"tea Lisbon\". The match is literal (only \
             upper and lower case are alike), so try a single word, a part of a word or a synonym.",
        ),
        (vec![], "Nothing is stored yet: the memory has no entities."),
    ] {
        let nothing = json!({"entities": [], "relations": []});
        let query = json!({"query": "tea Lisbon"});
        check(&lines, "search_nodes", query, nothing, Some(note));
    }
}

#[test]
fn a_search_cut_by_its_limit_says_how_many_match() {
    check(
        &[ADA, ACME, WORKS_AT],
        "search_nodes",
        json!({"query": "a", "limit": 1}),
        json!({"entities": [ada()], "relations": [works_at()], "totalMatches": 2}),
        Some(
            "2 entities match; the first 1 in stored order are shown. Raise limit or use a more \
             telling query to see others.",
        ),
    );
    check(
        &[ADA, ACME],
        "search_nodes",
        json!({"query": "a", "limit": 2, "observationLimit": null}),
        json!({
            "entities": [ada(), {"name": "Acme", "entityType": "company", "observations": []}],
            "relations": [],
        }),
        None,
    );
}

#[test]
fn entities_without_all_their_facts_carry_their_number() {
    for (tool, mut arguments) in [
        ("read_graph", json!({})),
        ("search_nodes", json!({"query": "ada"})),
        ("open_nodes", json!({"names": ["Ada"]})),
    ] {
        for (limit, shown) in [
            (0, json!([])),
            (1, json!(["Likes tea."])),
            (9, json!(["Likes tea.", "Moved to Lisbon in 2026"])),
        ] {
            arguments["observationLimit"] = json!(limit);
            let mut session = memory(&[ADA]);
            let result = session.call(tool, arguments.clone());
            let graph = json!({
                "entities": [{
                    "name": "Ada",
                    "entityType": "person",
                    "observations": shown,
                    "observationCount": 2,
                }],
                "relations": [],
            });
            assert_eq!(result["structuredContent"], graph, "{tool}");
            let text = serde_json::to_string_pretty(&graph).unwrap();
            assert_eq!(
                result["content"],
                json!([{"type": "text", "text": text}]),
                "{tool}"
            );
        }
    }
}

#[test]
fn one_kind_of_entity_can_be_read_with_the_relations_that_touch_it() {
    let acme = json!({"name": "Acme", "entityType": "company", "observations": []});
    let lines = [ADA, ACME, WORKS_AT];
    let of = |entity_type: &str| json!({"entityTypes": [entity_type]});
    let graph = json!({"entities": [acme], "relations": [works_at()]});
    check(&lines, "read_graph", of("company"), graph, None);
}

// --- What is in a result --------------------------------------------------

#[test]
fn what_others_keep_in_the_file_never_shows_in_a_result() {
    let entity = r#"{"type":"entity","name":"A","entityType":"t","observations":[],"createdAt":"2025-01-01T00:00:00Z","version":1}
"#;
    let relation = r#"{"type":"relation","from":"A","to":"A","relationType":"r","version":1}
"#;
    let other = "{\"name\":\"no type\"}\n{}\n";
    check(
        &[entity, relation, other],
        "read_graph",
        json!({}),
        json!({
            "entities": [{"name": "A", "entityType": "t", "observations": []}],
            "relations": [{"from": "A", "to": "A", "relationType": "r"}],
        }),
        None,
    );
}

#[test]
fn a_reply_of_twelve_megabytes_is_whole() {
    let fact = "x".repeat(1_000_000);
    let lines: String = (0..6)
        .map(|number| {
            let name = number.to_string();
            let record = json!({
                "type": "entity", "name": name, "entityType": "t", "observations": [fact],
            });
            format!("{record}\n")
        })
        .collect();
    let mut session = memory(&[&lines]);
    // Once in the text and once in structuredContent.
    let result = session.call("read_graph", json!({}));
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let entities = text["entities"].as_array().unwrap();
    assert_eq!(entities.len(), 6);
    assert!(
        entities
            .iter()
            .all(|entity| entity["observations"] == json!([fact]))
    );
    session.ping();
}

#[test]
fn stdout_carries_json_rpc_alone_whatever_the_environment_asks_for() {
    let mut session = Session::start_with(|command| {
        command
            .env("RUST_LOG", "trace")
            .env("RUST_BACKTRACE", "full");
    });
    session.initialize("2025-11-25");
    std::fs::write(session.file(), "not a record\n").unwrap();
    assert_eq!(session.call("read_graph", json!({}))["isError"], true);
    session.send_raw(b"not JSON\n");
    assert_eq!(session.next()["error"]["code"], -32700);
    // The session fails the test at any line that is no JSON-RPC message.
    session.close_input();
    assert!(session.rest().is_empty());
    assert!(session.wait().success());
}

#[test]
fn an_entity_that_several_items_name_is_one_in_not_found() {
    check(
        &[ADA],
        "delete_observations",
        json!({"deletions": [
            {"entityName": "Ghost", "observations": []},
            {"entityName": "Ada", "observations": ["x", "Likes tea."]},
            {"entityName": "Ghost", "observations": ["k"]},
            {"entityName": "Ada", "observations": ["Likes tea.", "x", "y"]},
        ]}),
        json!({
            "success": true,
            "message": "Observations deleted successfully",
            "deleted": 1,
            "notFound": [
                {"entityName": "Ghost", "observations": ["k"]},
                {"entityName": "Ada", "observations": ["x", "y"]},
            ],
        }),
        Some(
            "Not everything was there to delete; a text must equal the stored one in every \
             character:\n- No such entity: \"Ghost\". Names must match exactly; search_nodes \
             finds a name by a piece of it.\n- \"Ada\" has no such observation: \"x\", \"y\".",
        ),
    );
}

#[test]
fn relations_that_go_with_a_name_of_no_entity_are_told() {
    check(
        &[WORKS_AT],
        "delete_entities",
        json!({"entityNames": ["Ada", "Ghost"]}),
        json!({
            "success": true,
            "message": "Entities deleted successfully",
            "deleted": 0,
            "notFound": ["Ada", "Ghost"],
        }),
        Some(
            "No such entity: \"Ada\", \"Ghost\". Names must match exactly; search_nodes finds a \
             name by a piece of it.\nRelations from or to these names were removed all the same: \
             \"Ada\".",
        ),
    );
}

#[test]
fn types_that_no_entity_has_are_told_with_those_that_there_are() {
    let nothing = json!({"entities": [], "relations": []});
    check(
        &[ADA, ACME, WORKS_AT],
        "read_graph",
        json!({"entityTypes": ["Person"]}),
        nothing.clone(),
        Some(
            "No entity has the type \"Person\". Types must match exactly; the stored types are \
             \"company\", \"person\".",
        ),
    );
    check(
        &[],
        "read_graph",
        json!({"entityTypes": ["Person"]}),
        nothing,
        Some("Nothing is stored yet: the memory has no entities."),
    );
}
