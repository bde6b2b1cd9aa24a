//! Whether a tool's example is what its `inputSchema` asks for. The words that a
//! schema can have are few, and a JSON Schema library would double what a build
//! has to compile; the tests let one judge the examples too.

use serde_json::Value;

use super::values::quoted;

/// Finds the first place of `value` that does not fit `schema`: the steps that
/// lead there, and what is wrong.
pub fn misfit(schema: &Value, value: &Value) -> Option<(Vec<String>, String)> {
    let mut path = Vec::new();
    let message = look(schema, value, &mut path).err()?;
    Some((path, message))
}

fn look(schema: &Value, value: &Value, path: &mut Vec<String>) -> Result<(), String> {
    match (schema["type"].as_str(), value) {
        (Some("object"), Value::Object(given)) => {
            let properties = schema["properties"].as_object();
            let properties = properties.expect("an object schema has properties");
            let required = schema["required"].as_array().into_iter().flatten();
            for name in required.filter_map(Value::as_str) {
                if !given.contains_key(name) {
                    return Err(format!("missing `{name}`, which is required"));
                }
            }
            for (name, value) in given {
                path.push(name.clone());
                let Some(property) = properties.get(name) else {
                    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                    let known = quoted(&known);
                    return Err(format!("no property `{name}`, expected one of {known}"));
                };
                look(property, value, path)?;
                path.pop();
            }
            Ok(())
        }
        (Some("array"), Value::Array(items)) => {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            if (items.len() as u64) < least {
                return Err(format!(
                    "{} items, at least {least} are wanted",
                    items.len()
                ));
            }
            for (index, item) in items.iter().enumerate() {
                path.push(format!("[{index}]"));
                look(&schema["items"], item, path)?;
                path.pop();
            }
            Ok(())
        }
        (Some("integer"), Value::Number(number)) if number.is_u64() => {
            let least = schema["minimum"].as_u64().unwrap_or(0);
            match number.as_u64() {
                Some(number) if number < least => {
                    Err(format!("{number}, at least {least} is wanted"))
                }
                _ => Ok(()),
            }
        }
        (Some("string"), Value::String(text)) if schema["enum"].is_array() => {
            let known = schema["enum"].as_array().into_iter().flatten();
            let known: Vec<&str> = known.filter_map(Value::as_str).collect();
            if known.contains(&text.as_str()) {
                return Ok(());
            }
            let known = quoted(&known);
            Err(format!("unknown value `{text}`, expected one of {known}"))
        }
        (Some("string"), Value::String(_)) | (Some("boolean"), Value::Bool(_)) => Ok(()),
        (wanted, _) => {
            let wanted = wanted.expect("a schema says its type");
            let article = if wanted.starts_with(['a', 'i', 'o']) {
                "an"
            } else {
                "a"
            };
            Err(format!("expected {article} {wanted}, got `{value}`"))
        }
    }
}
