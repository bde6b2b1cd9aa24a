//! Turns what models really send into what they meant, guided by the schema
//! and in place. What still does not fit afterwards is left for the check.

use serde_json::{Map, Value};

/// Integers above this one limit nothing. It is the largest up to which
/// JavaScript counts exactly.
const NO_LIMIT: u64 = 1 << 53;

/// Applies the rules of [`super::arguments`] at every depth. The schema's
/// depth bounds the recursion.
pub fn coerce(schema: &Value, value: &mut Value) {
    match schema["type"].as_str() {
        Some("object") => coerce_object(schema, value),
        Some("array") => coerce_array(schema, value),
        Some("integer") => coerce_integer(value),
        _ => {}
    }
}

fn coerce_object(schema: &Value, value: &mut Value) {
    if let Value::String(text) = value
        && let Ok(object) = serde_json::from_str::<Map<String, Value>>(text)
    {
        *value = Value::Object(object);
    }
    let (Value::Object(given), Some(properties)) = (value, schema["properties"].as_object()) else {
        return;
    };
    for (name, property) in properties {
        match given.get_mut(name) {
            Some(Value::Null) if !is_required(schema, name) => {
                given.shift_remove(name);
            }
            Some(value) => coerce(property, value),
            None => {}
        }
    }
}

fn coerce_array(schema: &Value, value: &mut Value) {
    let items = &schema["items"];
    let of_strings = items["type"] == "string";
    if let Value::String(text) = value {
        let parsed = serde_json::from_str::<Vec<Value>>(text).ok();
        let parsed = parsed.filter(|list| !of_strings || list.iter().all(Value::is_string));
        if let Some(list) = parsed {
            *value = Value::Array(list);
        } else if of_strings {
            *value = Value::Array(vec![value.take()]);
        }
    }
    if let Value::Array(list) = value
        && !of_strings
    {
        for item in list {
            coerce(items, item);
        }
    }
}

fn coerce_integer(value: &mut Value) {
    let Value::Number(number) = value else {
        return;
    };
    if let Some(integer) = number.as_u64() {
        if integer > NO_LIMIT {
            *value = Value::from(NO_LIMIT);
        }
    } else if let Some(float) = number.as_f64()
        && number.is_f64()
        && float.fract() == 0.0
    {
        let no_limit = NO_LIMIT as f64;
        if float >= 0.0 {
            *value = Value::from(float.min(no_limit) as u64);
        } else if float >= -no_limit {
            *value = Value::from(float as i64);
        }
    }
}

/// Whether the object schema lists the property as required.
pub fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|required| required.iter().any(|known| known == name))
}
