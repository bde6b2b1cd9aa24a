//! What holds of all arguments, on generated ones: whatever came, it is refused
//! with words or the tool takes it.

use std::cell::RefCell;
use std::sync::Arc;

use mcp_memory::store::{Document, Snapshot};
use mcp_memory::tools::handlers::MemoryHandlers;
use mcp_memory::tools::{self, Tool, ToolError, Work, validate};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Map, Value};

use super::wording::LONGEST_TEXT;

/// Hands validated arguments to the tool itself, as generated code does: without
/// a look, so that it panics where they are no request.
fn run(tool: Tool, validated: Value) {
    thread_local! {
        static MEMORY: RefCell<Document> = RefCell::default();
    }
    let work = tools::work(&Arc::new(MemoryHandlers::default()), tool, validated);
    let outcome = MEMORY.with_borrow_mut(|memory| match work {
        Work::Read(look) => look(&Snapshot::from(memory.clone())),
        Work::Change(mut change) => {
            let outcome = change(memory.graph_mut());
            memory.apply_changes();
            outcome
        }
    });
    match outcome {
        // Of what the schema allows, a graph still refuses entities that it
        // does not have.
        Ok(_) | Err(ToolError::Graph(_)) => {}
        Err(error) => panic!("{}: {error}", tool.name()),
    }
}

fn any_number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3..9i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3..9i32).prop_map(|n| Value::from(f64::from(n))),
        any::<f64>().prop_map(Value::from),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_number(),
        ".{0,12}".prop_map(Value::from),
        r#"[\[\]{}",:0-9a ]{0,12}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![
            "[a-z]{0,4}",
            prop::sample::select(vec![
                "name",
                "names",
                "entities",
                "observations",
                "to",
                "query"
            ])
            .prop_map(str::to_owned),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Values that fit the schema, often; or nearly; or as JSON in a string.
fn near(schema: &Value) -> BoxedStrategy<Value> {
    let fitting = match schema["type"].as_str().unwrap() {
        "object" => {
            let mut object = Just(Map::new()).boxed();
            for (name, property) in schema["properties"].as_object().unwrap() {
                let name = name.clone();
                object = (object, prop::option::weighted(0.9, near(property)))
                    .prop_map(move |(mut object, value)| {
                        value.map(|value| object.insert(name.clone(), value));
                        object
                    })
                    .boxed();
            }
            (
                object,
                prop::option::weighted(0.1, ("[a-z]{1,9}", any_json())),
            )
                .prop_map(|(mut object, unknown)| {
                    object.extend(unknown);
                    Value::Object(object)
                })
                .boxed()
        }
        "array" => prop::collection::vec(near(&schema["items"]), 0..4)
            .prop_map(Value::from)
            .boxed(),
        "integer" => any_number().boxed(),
        "string" if schema["enum"].is_array() => {
            let values = schema["enum"].as_array().unwrap().clone();
            prop_oneof![
                4 => prop::sample::select(values),
                1 => ".{0,9}".prop_map(Value::from),
            ]
            .boxed()
        }
        "string" => ".{0,9}".prop_map(Value::from).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        other => panic!("unknown type {other}"),
    };
    prop_oneof![
        12 => fitting.clone(),
        2 => fitting.prop_map(|value| Value::from(value.to_string())),
        1 => any_json(),
    ]
    .boxed()
}

fn near_arguments() -> impl Strategy<Value = (Tool, Value)> {
    prop::sample::select(Tool::ALL.to_vec()).prop_flat_map(|tool| {
        let schema: Value = serde_json::from_str(tool.input_schema()).unwrap();
        (Just(tool), near(&schema))
    })
}

/// What holds whatever the arguments are. Says whether they were taken.
#[track_caller]
fn check_any(tool: Tool, arguments: Value) -> bool {
    let Value::Object(object) = arguments else {
        return false;
    };
    match validate::arguments(tool, Some(object)) {
        Ok(taken) => {
            let schema = serde_json::from_str(tool.input_schema()).unwrap();
            assert!(jsonschema::is_valid(&schema, &taken), "{taken}");
            let again = validate::arguments(tool, taken.as_object().cloned());
            assert_eq!(again.unwrap(), taken, "what was taken is taken as it is");
            run(tool, taken);
            true
        }
        Err(error) => {
            let text = error.to_string();
            let start = format!("{}: invalid arguments", tool.name());
            assert!(text.starts_with(&start), "{text}");
            assert!(text.len() < LONGEST_TEXT, "{text}");
            // A JSON pointer is what is printed when the report found no words.
            assert!(text.contains("\n- ") && !text.contains("\n- /"), "{text}");
            false
        }
    }
}

#[test]
fn the_generated_arguments_are_often_taken() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut taken = 0;
    for _ in 0..500 {
        let (tool, arguments) = near_arguments().new_tree(&mut runner).unwrap().current();
        taken += usize::from(check_any(tool, arguments));
    }
    assert!((100..400).contains(&taken), "{taken} of 500");
}

proptest! {
    #[test]
    fn what_was_validated_is_what_the_tool_takes((tool, arguments) in near_arguments()) {
        check_any(tool, arguments);
    }

    #[test]
    fn any_json_is_taken_or_refused_with_words(arguments in any_json()) {
        for tool in Tool::ALL {
            check_any(*tool, arguments.clone());
        }
    }
}
