//! What models really send as arguments, and what they read when it does not
//! fit (docs/behaviour.md, "Arguments"). On the library, without a server. What
//! holds of all arguments is any_arguments.rs's.

use mcp_memory::tools::{CreateEntitiesRequest, Tool, validate};
use serde_json::{Map, Value, json};

fn check(tool: &str, arguments: Value) -> Result<Value, String> {
    let tool = Tool::from_name(tool).expect("a tool of the contract");
    let arguments = match arguments {
        Value::Object(arguments) => Some(arguments),
        _ => None,
    };
    validate::arguments(tool, arguments).map_err(|error| error.to_string())
}

#[track_caller]
fn check_taken(tool: &str, arguments: Value, expected: Value) {
    assert_eq!(check(tool, arguments), Ok(expected));
}

/// The lines of the error text between the first, which names the tool, and
/// the example of correct arguments.
#[track_caller]
fn places(tool: &str, arguments: Value) -> Vec<String> {
    let text = check(tool, arguments).expect_err("these arguments are invalid");
    text.lines()
        .skip(1)
        .filter(|line| !line.starts_with("correct arguments look like this: "))
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn check_place(tool: &str, arguments: Value, expected: &str) {
    assert_eq!(places(tool, arguments), [format!("- {expected}")]);
}

#[test]
fn absent_and_empty_arguments_are_the_same() {
    let read_graph = Tool::from_name("read_graph").unwrap();
    let open_nodes = Tool::from_name("open_nodes").unwrap();
    for absent in [None, Some(Map::new())] {
        let taken = validate::arguments(read_graph, absent.clone()).unwrap();
        assert_eq!(taken, json!({}));
        let text = validate::arguments(open_nodes, absent).unwrap_err();
        assert!(text.to_string().contains("- names: missing"), "{text}");
    }
}

#[test]
fn valid_arguments_are_taken_as_they_are() {
    for tool in Tool::ALL {
        let example: Value = serde_json::from_str(tool.example()).unwrap();
        check_taken(tool.name(), example.clone(), example);
    }
    let empty = json!({"entities": [{"name": "", "entityType": "", "observations": [""]}]});
    check_taken("create_entities", empty.clone(), empty);
}

#[test]
fn a_string_that_holds_the_wanted_array_or_object_is_taken_for_it_at_any_depth() {
    let taken = json!({"entities": [{"name": "Bo", "entityType": "p", "observations": ["x"]}]});
    for entities in [
        json!(r#"[{"name":"Bo","entityType":"p","observations":["x"]}]"#),
        json!([r#"{"name":"Bo","entityType":"p","observations":["x"]}"#]),
        json!([{"name": "Bo", "entityType": "p", "observations": "[\"x\"]"}]),
        json!(
            " [\"{\\\"name\\\":\\\"Bo\\\",\\\"entityType\\\":\\\"p\\\",\\\"observations\\\":\\\"x\\\"}\"]\n"
        ),
    ] {
        check_taken(
            "create_entities",
            json!({"entities": entities}),
            taken.clone(),
        );
    }
    check_taken(
        "delete_entities",
        json!({"entityNames": "[]"}),
        json!({"entityNames": []}),
    );
}

#[test]
fn any_other_string_where_strings_are_listed_is_a_list_of_one() {
    for text in [
        "Ada",
        "",
        "[1,2]",
        "[\"a\",1]",
        "[\"a\"",
        "{\"a\":1}",
        "null",
        "5",
        "\"Ada\"",
    ] {
        check_taken(
            "open_nodes",
            json!({"names": text}),
            json!({"names": [text]}),
        );
    }
    check_taken(
        "add_observations",
        json!({"observations": [{"entityName": "Ada", "contents": "likes tea"}]}),
        json!({"observations": [{"entityName": "Ada", "contents": ["likes tea"]}]}),
    );
    // The strings in a list are themselves wanted.
    let listed = json!({"names": ["[\"Ada\"]"]});
    check_taken("open_nodes", listed.clone(), listed);
}

#[test]
fn an_optional_property_that_is_null_counts_as_absent() {
    check_taken(
        "read_graph",
        json!({"entityTypes": null, "observationLimit": null}),
        json!({}),
    );
    check_place(
        "search_nodes",
        json!({"query": null}),
        "query: expected a string, got null",
    );
}

#[test]
fn integers_may_be_written_with_a_point_and_have_no_limit_above_2_to_the_53() {
    let check = |given: Value, taken: u64| {
        check_taken(
            "read_graph",
            json!({"observationLimit": given}),
            json!({"observationLimit": taken}),
        );
    };
    const NO_LIMIT: u64 = 1 << 53;
    check(json!(5), 5);
    check(json!(5.0), 5);
    check(json!(-0.0), 0);
    check(json!(NO_LIMIT), NO_LIMIT);
    check(json!(NO_LIMIT + 1), NO_LIMIT);
    check(json!(u64::MAX), NO_LIMIT);
    check(json!(1e300), NO_LIMIT);
    check_place(
        "read_graph",
        json!({"observationLimit": -1e300}),
        "observationLimit: expected an integer of 0 or more, got a number: -1e+300; \
         it may be left out",
    );
}

#[test]
fn nothing_else_is_coerced() {
    for (given, named) in [
        (json!(5), "a number: 5"),
        (json!(true), "a boolean: true"),
        (json!(null), "null"),
        (json!({"a": 1}), "an object: {\"a\":1}"),
        (json!(["a"]), "an array: [\"a\"]"),
    ] {
        check_place(
            "open_nodes",
            json!({"names": [given]}),
            &format!("names[0]: expected a string, got {named}"),
        );
    }
    check_place(
        "read_graph",
        json!({"observationLimit": "5"}),
        "observationLimit: expected an integer of 0 or more, got a string: \"5\"; write it without \
         quotes; it may be left out",
    );
    check_place(
        "delete_entities",
        json!({"entityNames": 5}),
        "entityNames: expected an array of strings, got a number: 5",
    );
    // A string in a string in a string is no array.
    check_place(
        "create_entities",
        json!({"entities": "\"[]\""}),
        "entities: expected an array of objects with name, entityType and observations, got a \
         string: \"\\\"[]\\\"\"",
    );
}

#[test]
fn unknown_properties_are_ignored_at_any_depth() {
    assert!(
        check(
            "read_graph",
            json!({"__unused": true, "random_string": "x"})
        )
        .is_ok()
    );
    let extra = json!({"entities": [
        {"name": "A", "entityType": "t", "observations": [], "id": {"deep": [null]}}
    ], "why": 5});
    let taken = check("create_entities", extra).unwrap();
    let request: CreateEntitiesRequest = serde_json::from_value(taken).unwrap();
    let stored = serde_json::to_value(request).unwrap();
    assert_eq!(
        stored,
        json!({"entities": [{"name": "A", "entityType": "t", "observations": []}]})
    );
}

#[test]
fn the_text_names_the_tool_every_bad_place_and_shows_correct_arguments() {
    let bad = json!({"entities": [{}, {"name": 1}, 7, null, "s"]});
    assert_eq!(
        check("create_entities", bad).unwrap_err(),
        "create_entities: invalid arguments; nothing was changed\n\
         - entities[0].name: missing, expected a string\n\
         - entities[0].entityType: missing, expected a string\n\
         - entities[0].observations: missing, expected an array of strings ([] for none)\n\
         - entities[1].name: expected a string, got a number: 1\n\
         - entities[1].entityType: missing, expected a string\n\
         - entities[1].observations: missing, expected an array of strings ([] for none)\n\
         - entities[2]: expected an object with name, entityType and observations, got a number: 7\n\
         - entities[3]: expected an object with name, entityType and observations, got null\n\
         - entities[4]: expected an object with name, entityType and observations, got a string: \"s\"\n\
         correct arguments look like this: {\"entities\":[{\"name\":\"Ada\",\"entityType\":\"person\",\
         \"observations\":[\"Prefers tea to coffee\"]}]}"
    );
    assert_eq!(
        check("search_nodes", json!({})).unwrap_err(),
        "search_nodes: invalid arguments\n\
         - query: missing, expected a string\n\
         correct arguments look like this: {\"query\":\"tea\"}"
    );
}

#[test]
fn an_entity_without_observations_is_told_that_they_are_missing() {
    check_place(
        "create_entities",
        json!({"entities": [{"name": "Cy", "entityType": "x"}]}),
        "entities[0].observations: missing, expected an array of strings ([] for none)",
    );
}

#[test]
fn a_key_close_to_a_missing_one_is_named() {
    let relation = |relation: Value| places("create_relations", json!({"relations": [relation]}));
    assert_eq!(
        places(
            "add_observations",
            json!({"observations": [{"name": "A", "observations": ["x"]}]})
        ),
        [
            "- observations[0].entityName: missing, expected a string; \"name\" is given, call it \
             \"entityName\"",
            "- observations[0].contents: missing, expected an array of strings; \"observations\" \
             is given, call it \"contents\"",
        ]
    );
    assert_eq!(
        relation(json!({"fromEntity": "A", "to_entity": "B", "relation": "t"})),
        [
            "- relations[0].from: missing, expected a string; \"fromEntity\" is given, call it \
             \"from\"",
            "- relations[0].to: missing, expected a string; \"to_entity\" is given, call it \"to\"",
            "- relations[0].relationType: missing, expected a string; \"relation\" is given, call \
             it \"relationType\"",
        ]
    );
    assert_eq!(
        relation(json!({"source": "A", "target": "B", "predicate": "t"})),
        [
            "- relations[0].from: missing, expected a string; \"source\" is given, call it \"from\"",
            "- relations[0].to: missing, expected a string; \"target\" is given, call it \"to\"",
            "- relations[0].relationType: missing, expected a string; \"predicate\" is given, call \
             it \"relationType\"",
        ]
    );
    let suggested = |tool: &str, arguments: Value, given: &str, name: &str| {
        let hint = format!("; \"{given}\" is given, call it \"{name}\"");
        let places = places(tool, arguments);
        assert!(
            places.iter().any(|place| place.ends_with(&hint)),
            "{places:?}"
        );
    };
    let entity = |key: &str| json!({"entities": [{"name": "A", key: "t", "observations": []}]});
    for key in [
        "type",
        "entity_type",
        "EntityType",
        "ENTITYTYPE",
        "entitytpye",
        "entity-type",
        "kind",
    ] {
        suggested("create_entities", entity(key), key, "entityType");
    }
    suggested(
        "delete_entities",
        json!({"names": ["A"]}),
        "names",
        "entityNames",
    );
    suggested(
        "delete_entities",
        json!({"entities": ["A"]}),
        "entities",
        "entityNames",
    );
    suggested("open_nodes", json!({"name": "A"}), "name", "names");
    suggested("search_nodes", json!({"q": "A"}), "q", "query");
    suggested(
        "add_observations",
        json!({"observations": [{"entityName": "A", "observations": []}]}),
        "observations",
        "contents",
    );
    suggested(
        "delete_observations",
        json!({"observations": [{"entityName": "A", "observations": []}]}),
        "observations",
        "deletions",
    );
}

#[test]
fn where_nothing_is_close_the_unknown_keys_are_named() {
    check_place(
        "create_relations",
        json!({"relations": [{"a": "A", "b": "B", "to": "B", "relationType": "t"}]}),
        "relations[0].from: missing, expected a string; unknown keys given here: \"a\", \"b\"",
    );
    let many: Map<String, Value> = (0..12).map(|n| (format!("k{n}"), json!(n))).collect();
    check_place(
        "search_nodes",
        Value::Object(many),
        "query: missing, expected a string; unknown keys given here: \"k0\", \"k1\", \"k2\", \
         \"k3\", \"k4\", \"k5\", \"k6\", \"k7\", …",
    );
}

#[test]
fn a_single_item_without_its_array_is_recognised() {
    check_place(
        "add_observations",
        json!({"entityName": "A", "contents": ["x"]}),
        "observations: missing, expected an array of objects with entityName and contents; \
         entityName and contents belong into an object in this array",
    );
    check_place(
        "create_relations",
        json!({"relations": {"from": "A", "to": "B", "relationType": "t"}}),
        "relations: expected an array of objects with from, to and relationType, got an object: \
         {\"from\":\"A\",\"to\":\"B\",\"relationType\":\"t\"}; put it into an array",
    );
}

#[test]
fn a_string_that_was_meant_as_json_is_told_why_it_is_none() {
    check_place(
        "create_entities",
        json!({"entities": "[{\"name\": \"Cy\""}),
        "entities: expected an array of objects with name, entityType and observations, got a \
         string that is not JSON (EOF while parsing an object at line 1 column 14): \
         \"[{\\\"name\\\": \\\"Cy\\\"\"",
    );
    check_place(
        "create_entities",
        json!({"entities": "{\"name\":\"Cy\"}"}),
        "entities: expected an array of objects with name, entityType and observations, got a \
         string that holds an object: \"{\\\"name\\\":\\\"Cy\\\"}\"",
    );
}

#[test]
fn limits_that_are_too_low_are_told_the_lowest() {
    assert_eq!(
        places(
            "read_graph",
            json!({"entityTypes": [], "observationLimit": -1})
        ),
        [
            "- entityTypes: expected at least 1 item, got an empty array; it may be left out",
            "- observationLimit: expected an integer of 0 or more, got a number: -1; it may be \
             left out",
        ]
    );
    check_place(
        "search_nodes",
        json!({"query": "", "limit": 0}),
        "limit: expected an integer of 1 or more, got a number: 0; it may be left out",
    );
}

#[test]
fn a_query_has_at_most_2048_utf_16_code_units() {
    let taken = |query: String| check("search_nodes", json!({"query": query}));
    assert!(taken("x".repeat(2048)).is_ok());
    assert!(taken("é".repeat(2048)).is_ok());
    assert!(taken("🦀".repeat(1024)).is_ok());
    assert!(taken("🦀".repeat(1024) + "x").is_err());
    assert_eq!(
        taken("x".repeat(2049)).unwrap_err(),
        "search_nodes: invalid arguments\n\
         - query: expected at most 2048 UTF-16 code units, got 2049; search for a shorter part of \
         the text"
    );
    // With another bad place, both are told.
    let both = json!({"query": "x".repeat(5000), "limit": 0});
    assert_eq!(places("search_nodes", both).len(), 2);
}

#[test]
fn twenty_places_are_listed_and_the_others_counted() {
    let names = |count: usize| places("open_nodes", json!({"names": vec![1; count]}));
    assert_eq!(names(20).len(), 20);
    assert_eq!(names(21).len(), 21);
    assert_eq!(
        names(21)[19],
        "- names[19]: expected a string, got a number: 1"
    );
    assert_eq!(names(21)[20], "and 1 more bad place");
    assert_eq!(names(1020)[20], "and 1000 more bad places");
}

/// No argument makes the text longer than this.
pub const LONGEST_TEXT: usize = 16 * 1024;

#[test]
fn the_text_stays_short_whatever_came() {
    let big = "€".repeat(1_000_000);
    let key = |key: &str| Value::Object(Map::from_iter([(key.to_owned(), json!(1))]));
    for names in [
        json!(1),
        json!({"a": big}),
        json!(vec![json!({"a": big}); 3]),
        json!(vec![vec![big.as_str()]; 3]),
        json!(vec![key(&big); 3]),
        json!(vec![0; 1_000_000]),
    ] {
        let text = check("open_nodes", json!({"names": names})).unwrap_err();
        assert!(text.len() < 2000, "{} bytes", text.len());
    }
    let many: Map<String, Value> = (0..100_000)
        .map(|n| (format!("{big:.99}{n}"), json!(n)))
        .collect();
    for entities in [
        json!(format!("[{big}")),
        json!(vec![key(&big); 3]),
        json!(vec![many; 3]),
        json!(vec![
            json!({"name": big, "entityType": big, "observation": big});
            3
        ]),
    ] {
        let text = check("create_entities", json!({"entities": entities})).unwrap_err();
        assert!(text.len() < LONGEST_TEXT, "{} bytes", text.len());
    }
}

#[test]
fn a_quoted_sample_is_cut_between_characters() {
    let place = &places("open_nodes", json!({"names": [["€".repeat(100)]]}))[0];
    assert_eq!(
        *place,
        format!(
            "- names[0]: expected a string, got an array: [\"{}…",
            "€".repeat(19)
        )
    );
}

#[test]
fn every_integer_argument_has_a_minimum() {
    // The request types have unsigned integers, so the schema has to say so.
    fn walk(schema: &Value, tool: &str) {
        if schema["type"] == "integer" {
            assert!(schema["minimum"].is_u64(), "{tool}: {schema}");
        }
        for inner in schema["properties"]
            .as_object()
            .into_iter()
            .flat_map(Map::values)
        {
            walk(inner, tool);
        }
        if !schema["items"].is_null() {
            walk(&schema["items"], tool);
        }
    }
    for tool in Tool::ALL {
        walk(
            &serde_json::from_str(tool.input_schema()).unwrap(),
            tool.name(),
        );
    }
}
