//! Finds words for arguments that do not fit: every bad place by its path,
//! what was expected, what came, and what was probably meant. Whether they fit
//! is not decided here.
//!
//! A model reads the text and should be able to repair its call from it alone.
//! The arguments may be tens of megabytes of nonsense, so everything that goes
//! into the text is bounded: places listed, samples quoted, keys named.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::super::contract::Tool;
use super::coerce::{coerce, is_required};
use super::hint::{are_small, hint};
use super::words::{kind, required_keys, sample};
use crate::words::and_more_of;

/// How many bad places a text lists; of the others it tells the number.
const LISTED_PLACES: usize = 20;

/// The bad places found so far.
#[derive(Default)]
pub struct Report {
    lines: Vec<String>,
    unlisted: usize,
    /// Whether something has the wrong shape, so that an example helps.
    misshapen: bool,
}

/// A step of a path into the arguments.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Report {
    /// Adds every place of `arguments` that does not fit `schema`.
    pub fn examine(&mut self, schema: &Value, arguments: &Value) {
        self.value(schema, arguments, false, &mut Vec::new());
    }

    /// Adds a place that is wrong in another way than its shape.
    pub fn add(&mut self, line: String) {
        if self.lines.len() < LISTED_PLACES {
            self.lines.push(line);
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds a place of the wrong shape.
    pub fn add_misshapen(&mut self, line: String) {
        self.misshapen = true;
        self.add(line);
    }

    /// Whether no bad place was found.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The whole error text.
    pub fn text(&self, tool: Tool) -> String {
        let outcome = if tool.changes_graph() {
            "; nothing was changed"
        } else {
            ""
        };
        let mut text = format!("{}: invalid arguments{outcome}", tool.name());
        for line in &self.lines {
            text.push_str("\n- ");
            text.push_str(line);
        }
        let shown = self.lines.len();
        if let Some(more) = and_more_of(shown + self.unlisted, shown, "bad place", "bad places") {
            let _ = write!(text, "\n{more}");
        }
        if self.misshapen {
            let _ = write!(
                text,
                "\ncorrect arguments look like this: {}",
                tool.example()
            );
        }
        text
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= LISTED_PLACES
    }

    /// Adds a line made by `word`, which is only called when there is room.
    fn misfit<'a>(&mut self, path: &[Step<'a>], word: impl FnOnce() -> String) {
        self.misshapen = true;
        if self.is_full() {
            self.unlisted += 1;
        } else {
            self.lines.push(format!("{}: {}", Path(path), word()));
        }
    }

    fn value<'a>(
        &mut self,
        schema: &'a Value,
        value: &'a Value,
        optional: bool,
        path: &mut Vec<Step<'a>>,
    ) {
        match (schema["type"].as_str(), value) {
            (Some("object"), Value::Object(given)) => self.object(schema, given, path),
            (Some("array"), Value::Array(list)) => self.array(schema, list, optional, path),
            (Some("string"), Value::String(text)) if !is_of_enum(schema, text) => {
                self.misfit(path, || mismatch(schema, value, optional));
            }
            (Some("string"), Value::String(_)) | (Some("boolean"), Value::Bool(_)) => {}
            (Some("integer"), Value::Number(number)) if !number.is_f64() => {
                let minimum = schema["minimum"].as_u64();
                // What does not fit an unsigned integer is negative.
                let least = number.as_u64();
                if minimum.is_some_and(|minimum| least.is_none_or(|given| given < minimum)) {
                    self.misfit(path, || mismatch(schema, value, optional));
                }
            }
            _ => self.misfit(path, || mismatch(schema, value, optional)),
        }
    }

    fn array<'a>(
        &mut self,
        schema: &'a Value,
        list: &'a [Value],
        optional: bool,
        path: &mut Vec<Step<'a>>,
    ) {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        if (list.len() as u64) < least {
            self.misfit(path, || {
                let items = if least == 1 { "item" } else { "items" };
                let given = match list.len() {
                    0 => "an empty array".to_owned(),
                    length => length.to_string(),
                };
                let way_out = way_out(optional);
                format!("expected at least {least} {items}, got {given}{way_out}")
            });
        }
        for (index, item) in list.iter().enumerate() {
            path.push(Step::Index(index));
            self.value(&schema["items"], item, false, path);
            path.pop();
        }
    }

    fn object<'a>(
        &mut self,
        schema: &'a Value,
        given: &'a Map<String, Value>,
        path: &mut Vec<Step<'a>>,
    ) {
        let Some(properties) = schema["properties"].as_object() else {
            return;
        };
        for (name, property) in properties {
            path.push(Step::Key(name));
            let required = is_required(schema, name);
            match given.get(name) {
                Some(value) => self.value(property, value, !required, path),
                None if required => {
                    let inside = path.len() > 1;
                    self.misfit(path, || {
                        let mut hint = hint(schema, properties, given, name, fits);
                        if hint.is_empty() {
                            hint.push_str(none(property, inside));
                        }
                        format!("missing, expected {}{hint}", wanted(property))
                    });
                }
                None => {}
            }
            path.pop();
        }
    }
}

/// How a list inside an item says that there is nothing: models that have
/// nothing to say leave it out. A call whose own list is empty has no point.
fn none(schema: &Value, inside: bool) -> &'static str {
    let may_be_empty = schema["type"] == "array" && schema["minItems"].is_null();
    if inside && may_be_empty {
        " ([] for none)"
    } else {
        ""
    }
}

/// Expected this, got that.
fn mismatch(schema: &Value, value: &Value, optional: bool) -> String {
    let wanted = wanted(schema);
    let way_out = way_out(optional);
    let structured = matches!(schema["type"].as_str(), Some("array" | "object"));
    let given = match value {
        Value::Null => "null".to_owned(),
        Value::Array(list) if list.is_empty() => "an empty array".to_owned(),
        // A string that holds the wanted JSON would have been taken for it.
        Value::String(text) if structured && text.trim_start().starts_with(['[', '{']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(held) => format!("a string that holds {}: {}", kind(&held), sample(value)),
                Err(error) => format!("a string that is not JSON ({error}): {}", sample(value)),
            }
        }
        _ => format!("{}: {}", kind(value), sample(value)),
    };
    let remedy = if schema["type"] == "array" && fits(&schema["items"], value) {
        "; put it into an array"
    } else if schema["type"] == "integer" && is_quoted_integer(value) {
        "; write it without quotes"
    } else {
        ""
    };
    format!("expected {wanted}, got {given}{remedy}{way_out}")
}

fn is_quoted_integer(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.trim().parse::<u64>().is_ok()
}

fn way_out(optional: bool) -> &'static str {
    if optional { "; it may be left out" } else { "" }
}

/// What a schema wants, in words.
fn wanted(schema: &Value) -> String {
    match schema["type"].as_str().unwrap_or("value") {
        "array" => match schema["items"]["type"].as_str().unwrap_or("value") {
            "object" => format!(
                "an array of objects with {}",
                required_keys(&schema["items"])
            ),
            items => format!("an array of {items}s"),
        },
        "object" => format!("an object with {}", required_keys(schema)),
        "integer" => match schema["minimum"].as_u64() {
            Some(minimum) => format!("an integer of {minimum} or more"),
            None => "an integer".to_owned(),
        },
        "string" if schema["enum"].is_array() => match &values(schema)[..] {
            [only] => sample(only),
            several => {
                let several: Vec<String> = several.iter().map(sample).collect();
                format!("one of {}", several.join(", "))
            }
        },
        other => format!("a {other}"),
    }
}

/// What a string can be where the schema has an `enum`.
fn values(schema: &Value) -> Vec<&Value> {
    schema["enum"].as_array().into_iter().flatten().collect()
}

fn is_of_enum(schema: &Value, text: &str) -> bool {
    schema["enum"].is_null() || values(schema).into_iter().any(|value| value == text)
}

/// Whether the value, coerced, is what the schema wants. A large value is not
/// worth the trial.
fn fits(schema: &Value, value: &Value) -> bool {
    if !are_small([value]) {
        return false;
    }
    let mut value = value.clone();
    coerce(schema, &mut value);
    let mut report = Report::default();
    report.examine(schema, &value);
    report.is_empty()
}

/// Prints `entities[0].observations`.
struct Path<'a>(&'a [Step<'a>]);

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if at == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(values: Value, given: Value, expected: &str) {
        let property = json!({"type": "string", "enum": values});
        let schema = json!({"type": "object", "properties": {"match": property}});
        let arguments = json!({"match": given});
        let mut report = Report::default();
        report.examine(&schema, &arguments);
        assert_eq!(report.lines.join("\n"), expected);
    }

    #[test]
    fn a_string_is_one_of_the_values_that_it_can_have() {
        let two = json!(["text", "words"]);
        check(two.clone(), json!("words"), "");
        check(
            two.clone(),
            json!("Words"),
            "match: expected one of \"text\", \"words\", got a string: \"Words\"; it may be left out",
        );
        check(
            two,
            json!(3),
            "match: expected one of \"text\", \"words\", got a number: 3; it may be left out",
        );
        check(
            json!(["text"]),
            json!(""),
            "match: expected \"text\", got a string: \"\"; it may be left out",
        );
    }
}
