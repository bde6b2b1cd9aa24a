//! Names and texts that a generator stumbles over: what comes of them compiles,
//! is formatted, and says on the wire what the manifest says.

use std::sync::Arc;

use mcp_memory::graph::Graph;
use mcp_memory::store::Snapshot;
use mcp_memory::tools::{Body, Outcome, ToolError, Work};
use serde_json::{Value, json};

use super::codegen::{generate, manifest::Manifest};
use super::{committed, formatted};

/// What `src/tools/contract.rs` has around the generated code.
#[allow(dead_code)]
mod generated {
    use std::sync::Arc;

    use mcp_memory::graph::Graph;
    use mcp_memory::store::Snapshot;
    use mcp_memory::tools::{Outcome, Resource, ToolError, Work};
    use serde_json::Value;

    // Those of the library name its own tools.
    #[derive(Debug)]
    pub struct Paragraph {
        pub toolset: Option<Toolset>,
        pub text: &'static str,
        pub tools: &'static [Tool],
    }

    pub struct Prompt {
        pub name: &'static str,
        pub title: &'static str,
        pub description: &'static str,
        pub arguments: &'static [Argument],
        pub text: &'static str,
        pub tools: &'static [Tool],
    }

    pub struct Argument {
        pub name: &'static str,
        pub description: &'static str,
    }

    macro_rules! generated {
        ($name:literal) => {
            $name
        };
    }

    include!("../../../snapshots/nasty/tools.rs");
}

use generated::{
    FortyCharactersAreTheLongestNameItRequest, Handlers, INSTRUCTIONS, MoveRequest, PROMPTS,
    RESOURCE, Tool, Toolset, work,
};

fn manifest() -> Manifest {
    Manifest::parse(include_str!("../../../snapshots/nasty/tools.yaml")).unwrap()
}

#[test]
fn nasty_names_give_the_committed_copy_that_is_compiled_here() {
    let files = generate(&manifest()).unwrap();
    let (_, rust) = files.iter().find(|(name, _)| name == "tools.rs").unwrap();
    committed("nasty/tools.rs", &formatted(rust));
}

#[test]
fn nasty_names_are_the_manifest_s_on_the_wire() {
    let arguments = json!({
        "async": {
            "type": "a",
            "self": "b",
            "HTTPServer": "c",
            "url2Path": true,
            "match": "h2_o",
            "snake_case_": 3,
            "fortyCharactersAreTheLongestNameThereIs1": [["d"], []],
        },
        "box": [{ "type": "e", "self": "f" }],
    });
    let request: MoveRequest = serde_json::from_value(arguments.clone()).unwrap();
    assert_eq!(request.r#async.self_, "b");
    assert_eq!(request.r#async.http_server.as_deref(), Some("c"));
    assert_eq!(request.r#async.r#match, Some(generated::BoxMatch::H2O));
    assert_eq!(serde_json::to_value(&request).unwrap(), arguments);
}

#[test]
fn nasty_texts_are_the_manifest_s() {
    let manifest = manifest();
    let [general, of_the_set] = INSTRUCTIONS else {
        panic!("{INSTRUCTIONS:?}");
    };
    assert_eq!(general.text, manifest.instructions[0].0);
    assert_eq!((general.toolset, general.tools), (None, &[][..]));
    assert_eq!(of_the_set.text, manifest.toolsets[0].instructions[0].0);
    assert_eq!(of_the_set.toolset, Some(Toolset::Type));
    assert_eq!(of_the_set.tools, [Tool::Move]);
    assert_eq!(Toolset::DEFAULT, Toolset::Type);
    assert_eq!(Toolset::Type.title(), manifest.toolsets[0].title);
    assert_eq!(
        Toolset::Type.description(),
        manifest.toolsets[0].description
    );
    let longest = Tool::FortyCharactersAreTheLongestNameIt;
    assert_eq!(longest.toolset(), Toolset::Some);
    let [prompt, other] = PROMPTS else {
        panic!("two prompts");
    };
    let said = &manifest.prompts[0];
    assert_eq!(
        (prompt.name, prompt.title, prompt.description, prompt.text),
        (&*said.name, &*said.title, &*said.description, &*said.text)
    );
    assert_eq!(prompt.tools, [Tool::Move]);
    let arguments = prompt.arguments.iter();
    let arguments: Vec<_> = arguments.map(|it| (it.name, it.description)).collect();
    assert_eq!(arguments, [("self", "A \"keyword\""), ("type", "Another")]);
    assert!(other.arguments.is_empty() && other.tools.is_empty());
    assert_eq!(RESOURCE.uri, manifest.resource.uri);
    assert_eq!(Tool::Move.title(), manifest.tools[0].title);
    assert_eq!(Tool::READ_ONLY, [Tool::Move]);
}

/// Answers with the Rust value it was given.
struct Echo;

impl Handlers for Echo {
    fn r#move(&self, _: &Snapshot, request: &MoveRequest) -> Result<Outcome, ToolError> {
        Ok(Outcome::showing(&request.r#async.r#type, None))
    }

    fn forty_characters_are_the_longest_name_it(
        &self,
        _: &mut Graph,
        request: &FortyCharactersAreTheLongestNameItRequest,
    ) -> Result<Outcome, ToolError> {
        Ok(Outcome::showing(&format!("{request:?}"), None))
    }
}

#[test]
fn work_hands_the_arguments_to_the_tool_s_method_and_a_read_only_tool_no_graph_to_change() {
    let echo = Arc::new(Echo);
    let arguments: Value = json!({ "async": { "type": "a", "self": "b" }, "unknown": 1 });
    let Work::Read(read) = work(&echo, Tool::Move, arguments) else {
        panic!("the tool is read-only");
    };
    let outcome = read(&Snapshot::default()).unwrap();
    assert_eq!(written(&outcome.text), "\"a\"");
    let longest = Tool::FortyCharactersAreTheLongestNameIt;
    let Work::Change(mut change) = work(&echo, longest, json!({})) else {
        panic!("the tool is not read-only");
    };
    let outcome = change(&mut Graph::default()).unwrap();
    let name = "\"FortyCharactersAreTheLongestNameItRequest\"";
    assert_eq!(written(&outcome.text), name);
}

fn written(text: &Body) -> String {
    let mut bytes = Vec::new();
    text.write_plain(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
