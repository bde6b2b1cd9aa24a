//! `prompts/list` and `prompts/get`. What a prompt says is the manifest's.

use rmcp::model::ErrorData;
use serde_json::{Map, Value, json};

use super::error::{invalid_params, shown};
use crate::tools::validate::kind;
use crate::tools::{Prompt, Served};

type Params = Map<String, Value>;

/// The value of `prompts` in `prompts/list`.
pub(super) fn list(served: &Served) -> Value {
    served.prompts().map(listed).collect()
}

fn listed(prompt: &Prompt) -> Value {
    let arguments = prompt.arguments.iter().map(|argument| {
        json!({
            "name": argument.name,
            "description": argument.description,
            "required": true,
        })
    });
    let mut listed = json!({
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
    });
    let arguments: Vec<Value> = arguments.collect();
    if !arguments.is_empty() {
        listed["arguments"] = arguments.into();
    }
    listed
}

/// What `prompts/get` answers.
pub(super) fn get(served: &Served, params: &Params) -> Result<Value, ErrorData> {
    let Some(Value::String(name)) = params.get("name") else {
        return Err(invalid_params(
            "prompts/get without params.name\nname the prompt to get, a string",
        ));
    };
    let Some(prompt) = served.prompts().find(|prompt| prompt.name == name) else {
        let reason = served.reason_against_prompt(name);
        let reason = reason.map_or(String::new(), |reason| format!("\n{reason}"));
        let names: Vec<&str> = served.prompts().map(|prompt| prompt.name).collect();
        let known = match names.is_empty() {
            true => "this server has no prompts".to_owned(),
            false => format!("the prompts are {}", names.join(", ")),
        };
        let name = shown(name);
        return Err(invalid_params(format!(
            "unknown prompt: {name}{reason}\n{known}"
        )));
    };
    let none = Map::new();
    let given = match params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(given)) => given,
        Some(other) => {
            return Err(invalid_params(format!(
                "arguments of the prompt {name} must be an object, not {}",
                kind(other)
            )));
        }
    };
    for argument in prompt.arguments {
        let wrong = match given.get(argument.name) {
            None | Some(Value::Null) => "is missing".to_owned(),
            Some(Value::String(text)) if text.trim().is_empty() => "is empty".to_owned(),
            Some(Value::String(_)) => continue,
            Some(other) => format!("must be a string, not {}", kind(other)),
        };
        return Err(invalid_params(format!(
            "the prompt {name} cannot be filled in: the argument {} {wrong}\n\
             it says: {}",
            argument.name, argument.description
        )));
    }
    let value = |name: &str| given[name].as_str().unwrap_or_default().to_owned();
    Ok(json!({
        "description": prompt.description,
        "messages": [{
            "role": "user",
            "content": {"type": "text", "text": prompt.filled(value)},
        }],
    }))
}
