//! Names and texts that a generator stumbles over: what comes of them compiles,
//! is formatted, and says on the wire what the manifest says.

use serde_json::{Value, json};

use super::manifest::codegen::{generate, manifest::Manifest};
use super::{committed, formatted};

/// What `src/tools/contract.rs` has around the generated code.
#[allow(dead_code)]
mod generated {
    use serde::de::DeserializeOwned;
    use serde_json::Value;

    pub struct Outcome(pub String);
    #[derive(Debug)]
    pub struct ToolError;
    pub struct Resource {
        pub uri: &'static str,
        pub name: &'static str,
        pub title: &'static str,
        pub description: &'static str,
        pub mime_type: &'static str,
    }

    macro_rules! generated {
        ($name:literal) => {
            $name
        };
    }

    include!("../../../snapshots/nasty/tools.rs");

    fn request<R: DeserializeOwned>(arguments: Value) -> R {
        serde_json::from_value(arguments).unwrap()
    }
}

use generated::*;

fn manifest() -> Manifest {
    Manifest::parse(include_str!("../../../snapshots/nasty/tools.yaml")).unwrap()
}

#[test]
fn nasty_names_give_the_committed_copy_that_is_compiled_here() {
    let files = generate(&manifest()).unwrap();
    let (_, rust) = files.iter().find(|(name, _)| name == "tools.rs").unwrap();
    committed("nasty/tools.rs", rust);
    formatted("nasty/tools.rs");
}

#[test]
fn nasty_names_are_the_manifest_s_on_the_wire() {
    let arguments = json!({
        "async": {
            "type": "a",
            "self": "b",
            "HTTPServer": "c",
            "url2Path": true,
            "snake_case_": 3,
            "fortyCharactersAreTheLongestNameThereIs1": [["d"], []],
        },
        "box": [{ "type": "e", "self": "f" }],
    });
    let request: MoveRequest = serde_json::from_value(arguments.clone()).unwrap();
    assert_eq!(request.r#async.self_, "b");
    assert_eq!(request.r#async.http_server.as_deref(), Some("c"));
    assert_eq!(serde_json::to_value(&request).unwrap(), arguments);
}

#[test]
fn nasty_texts_are_the_manifest_s() {
    let manifest = manifest();
    assert_eq!(INSTRUCTIONS, manifest.instructions);
    assert_eq!(RESOURCE.uri, manifest.resource.uri);
    assert_eq!(Tool::Move.title(), manifest.tools[0].title);
    assert_eq!(Tool::READ_ONLY, [Tool::Move]);
}

/// Answers with the Rust value it was given.
struct Echo;

impl Tools for Echo {
    async fn r#move(&self, request: MoveRequest) -> Result<Outcome, ToolError> {
        Ok(Outcome(request.r#async.r#type))
    }

    async fn forty_characters_are_the_longest_name_it(
        &self,
        request: FortyCharactersAreTheLongestNameItRequest,
    ) -> Result<Outcome, ToolError> {
        Ok(Outcome(format!("{request:?}")))
    }
}

#[tokio::test]
async fn dispatch_hands_the_arguments_to_the_tool_s_method() {
    let arguments: Value = json!({ "async": { "type": "a", "self": "b" }, "unknown": 1 });
    let outcome = dispatch(&Echo, Tool::Move, arguments).await.unwrap();
    assert_eq!(outcome.0, "a");
    let longest = Tool::FortyCharactersAreTheLongestNameIt;
    let outcome = dispatch(&Echo, longest, json!({})).await.unwrap();
    assert_eq!(outcome.0, "FortyCharactersAreTheLongestNameItRequest");
}
