//! The contract as it is kept from release to release.

use serde_json::{Map, Value, json};

use crate::contract::codegen::manifest::{Manifest, Prompt};
use crate::contract::codegen::schema;

/// Everything of the contract that clients see, with the version that has it.
pub fn contract(version: &str, manifest: &Manifest) -> Value {
    let resource = &manifest.resource;
    let of_sets = manifest.toolsets.iter().flat_map(|set| &set.instructions);
    let instructions = manifest.instructions.iter().chain(of_sets);
    let instructions: Vec<&str> = instructions.map(|part| part.0.trim()).collect();
    let tools = manifest.tools.iter().map(|tool| {
        let mut listed = schema::listed(manifest, tool);
        listed["toolset"] = json!(tool.toolset);
        listed
    });
    let tools: Vec<Value> = tools.collect();
    let toolsets = manifest.toolsets.iter().map(
        |set| json!({"name": set.name, "title": set.title, "description": set.description.trim()}),
    );
    let toolsets: Vec<Value> = toolsets.collect();
    let prompts: Vec<Value> = manifest.prompts.iter().map(prompt).collect();
    json!({
        "version": version,
        "instructions": instructions.join("\n"),
        "resource": {
            "uri": resource.uri,
            "name": resource.name,
            "title": resource.title,
            "description": resource.description.trim(),
            "mimeType": resource.mime_type,
        },
        "toolsets": toolsets,
        "tools": tools,
        "prompts": prompts,
    })
}

fn prompt(prompt: &Prompt) -> Value {
    let arguments = prompt.arguments.0.iter();
    let arguments: Map<String, Value> = arguments
        .map(|(name, own)| (name.clone(), json!({"description": own.description.trim()})))
        .collect();
    json!({
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description.trim(),
        "arguments": arguments,
        "text": prompt.text.trim(),
    })
}
