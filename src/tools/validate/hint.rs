//! Guesses what was meant: a key under another name, an item without its
//! array. How the guess is worded into the report is decided here too, where
//! it stands is not.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::coerce::is_required;
use super::words::{required_keys, sample};

/// How many of an object's unknown keys are looked at and, of these, named.
const EXAMINED_KEYS: usize = 32;
const NAMED_KEYS: usize = 8;
/// A longer key is no misspelling of any of ours.
const MAX_KEY_BYTES: usize = 40;
/// Values of at most this many bytes, roughly, are tried out.
const TRIED_BYTES: usize = 100_000;

/// What was probably meant instead of the missing property `name`. `fits` says
/// whether a value, coerced, is what a schema wants.
pub fn hint(
    schema: &Value,
    properties: &Map<String, Value>,
    given: &Map<String, Value>,
    name: &str,
    fits: impl Fn(&Value, &Value) -> bool,
) -> String {
    let unknown: Vec<&str> = given
        .keys()
        .filter(|key| !properties.contains_key(*key))
        .take(EXAMINED_KEYS)
        .map(String::as_str)
        .collect();
    if unknown.is_empty() {
        return String::new();
    }
    let property = &properties[name];
    let items = &property["items"];
    if items["type"] == "object"
        && are_small(given.values())
        && fits(items, &Value::Object(given.clone()))
    {
        return format!(
            "; {} belong into an object in this array",
            required_keys(items)
        );
    }
    let missing: Vec<&str> = properties
        .keys()
        .filter(|known| is_required(schema, known) && !given.contains_key(*known))
        .map(String::as_str)
        .collect();
    let alone = unknown.len() == 1;
    let could_be = |key: &str| looks_like(property, &given[key], alone);
    if let Some(key) = meant(&missing, &unknown, name, could_be) {
        return format!("; \"{key}\" is given, call it \"{name}\"");
    }
    let mut named = String::new();
    for key in unknown.iter().take(NAMED_KEYS) {
        let comma = if named.is_empty() { "" } else { ", " };
        let _ = write!(named, "{comma}{}", sample(key));
    }
    let more = if unknown.len() > NAMED_KEYS {
        ", …"
    } else {
        ""
    };
    format!("; unknown keys given here: {named}{more}")
}

/// The unknown key that stands for the missing property `name`: the one that
/// reads most like it, and like no other missing property more; failing that,
/// the only one left whose value `could_be` it.
fn meant<'a>(
    missing: &[&str],
    unknown: &[&'a str],
    name: &str,
    could_be: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let best_property = |key: &str| {
        let best = missing
            .iter()
            .copied()
            .max_by_key(|known| likeness(key, known));
        best.filter(|known| likeness(key, known) > 0)
    };
    let named_like = unknown
        .iter()
        .copied()
        .filter(|key| best_property(key) == Some(name))
        .max_by_key(|key| likeness(key, name));
    if named_like.is_some() {
        return named_like;
    }
    let mut left = unknown
        .iter()
        .copied()
        .filter(|key| best_property(key).is_none() && could_be(key));
    let only = left.next();
    only.filter(|_| left.next().is_none())
}

/// What graphs elsewhere call our keys.
const SYNONYMS: [(&str, &str); 5] = [
    ("source", "from"),
    ("subject", "from"),
    ("target", "to"),
    ("object", "to"),
    ("predicate", "relationType"),
];

/// How much two keys look alike, 0 when they do not.
fn likeness(key: &str, known: &str) -> usize {
    if key.len() > MAX_KEY_BYTES {
        return 0;
    }
    if SYNONYMS.contains(&(key, known)) {
        return 100;
    }
    let (key, known) = (words(key), words(known));
    let (key_plain, known_plain) = (key.concat(), known.concat());
    let distance = strsim::osa_distance(&key_plain, &known_plain);
    let longer = key_plain.chars().count().max(known_plain.chars().count());
    let has_words_of = |all: &[String], some: &[String]| {
        !some.is_empty() && all.windows(some.len()).any(|part| part == some)
    };
    if distance == 0 {
        1000
    } else if distance * 3 <= longer {
        900 - distance
    } else if has_words_of(&known, &key) || has_words_of(&key, &known) {
        // `name` for `entityName`, `toEntity` for `to`.
        500 - distance
    } else {
        0
    }
}

/// `entityName`, `entity_name` and `Entity-Name` as `entity`, `name`.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in key.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && after_lower) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the value has the type that the schema wants, by its first item
/// where that is an array. An empty array looks like any, or like none.
fn looks_like(schema: &Value, value: &Value, empty_too: bool) -> bool {
    match (schema["type"].as_str(), value) {
        (Some("array"), Value::Array(list)) => match list.first() {
            Some(first) => looks_like(&schema["items"], first, empty_too),
            None => empty_too,
        },
        (Some("array"), Value::String(_)) => schema["items"]["type"] == "string",
        (Some("string"), Value::String(_))
        | (Some("object"), Value::Object(_))
        | (Some("integer"), Value::Number(_))
        | (Some("boolean"), Value::Bool(_)) => true,
        _ => false,
    }
}

/// Whether the values together are small enough to be tried out.
pub fn are_small<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    let mut room = TRIED_BYTES;
    values.into_iter().all(|value| is_small(value, &mut room))
}

/// Whether the value takes no more than `room`, which shrinks by what it takes.
fn is_small(value: &Value, room: &mut usize) -> bool {
    const NODE: usize = 8;
    let own = match value {
        Value::String(text) => NODE + text.len(),
        _ => NODE,
    };
    let Some(left) = room.checked_sub(own) else {
        return false;
    };
    *room = left;
    match value {
        Value::Array(list) => list.iter().all(|item| is_small(item, room)),
        Value::Object(object) => object.iter().all(|(key, item)| {
            *room = room.saturating_sub(key.len());
            is_small(item, room)
        }),
        _ => true,
    }
}
