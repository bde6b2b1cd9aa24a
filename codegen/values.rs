//! What one value of the manifest can say about itself, checked while
//! serde_yaml reads it, because only then is its position known.

use std::cell::RefCell;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::names::NEVER_RAW;

/// A mapping whose order counts.
#[derive(Debug)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(Vec::new())
    }
}

impl<T> Ordered<T> {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(Ordered<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of names")
            }
            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Ordered<T>, A::Error> {
                while let Some(name) = map.next_key_seed(Checked(property_name))? {
                    if self.0.get(&name).is_some() {
                        let message = format!("duplicate name `{name}`, every name is used once");
                        return Err(de::Error::custom(message));
                    }
                    self.0.0.push((name, map.next_value()?));
                }
                Ok(self.0)
            }
        }
        deserializer.deserialize_map(Entries(Ordered(Vec::new())))
    }
}

/// In the schema for editors: any mapping of property names.
#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Ordered<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("MappingOf{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
            "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_]{0,39}$"},
        })
    }
}

/// What [`is_name`] takes, for editors.
#[cfg(test)]
pub const NAME_PATTERN: &str = "^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$";

/// What [`type_name`] takes, for editors: a JSON Schema cannot know which shared
/// types there are.
#[cfg(test)]
pub const TYPE_PATTERN: &str = "^(string|boolean|integer|array|[A-Z][A-Za-z0-9]*)$";

/// Reads a string and checks it while its position is known.
struct Checked(fn(&str) -> Result<(), String>);

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Checked {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        (self.0)(text).map_err(E::custom)?;
        Ok(text.to_owned())
    }
}

pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|text| {
        if text.trim().is_empty() {
            return Err("an empty text, say something".to_owned());
        }
        Ok(())
    })
    .deserialize(deserializer)
}

pub fn some_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    text(deserializer).map(Some)
}

pub fn title<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|title| {
        if title.trim().is_empty() || title.chars().count() > 50 {
            return Err("a title has 1 to 50 characters".to_owned());
        }
        Ok(())
    })
    .deserialize(deserializer)
}

pub fn tool_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|name| is_name(name, "read_graph")).deserialize(deserializer)
}

pub fn toolset_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|name| {
        if name == "all" {
            return Err("\"all\" stands for every toolset, choose another".to_owned());
        }
        is_name(name, "memory")
    })
    .deserialize(deserializer)
}

/// A name in snake case. Each part starts with a letter, so that two names
/// never become one Rust name.
fn is_name(name: &str, such_as: &str) -> Result<(), String> {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if name.len() > 40 || !name.split('_').all(part) {
        return Err(format!(
            "{name:?} is no identifier, allowed are words of a-z and 0-9 joined by `_`, such as `{such_as}`, at most 40 characters"
        ));
    }
    if NEVER_RAW.contains(&name) {
        return Err(format!("{name:?} is no identifier, Rust reserves it"));
    }
    Ok(())
}

/// The values of an `enum`, each checked where it stands.
pub fn enum_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Values;
    impl<'de> Visitor<'de> for Values {
        type Value = Vec<String>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list such as `[text, words]`")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let mut values = Vec::new();
            while let Some(value) =
                list.next_element_seed(Checked(|value| is_name(value, "words")))?
            {
                values.push(value);
            }
            if values.is_empty() {
                return Err(de::Error::custom("no value, an `enum` has at least one"));
            }
            Ok(values)
        }
    }
    deserializer.deserialize_seq(Values)
}

fn property_name(name: &str) -> Result<(), String> {
    let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.len() > 40 || !letters || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(format!(
            "name {name:?} is no identifier, allowed are a-z, A-Z, 0-9 and `_` after a letter, at most 40 characters"
        ));
    }
    Ok(())
}

pub fn type_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Checked(|kind| {
        KNOWN_TYPES.with_borrow(|shared| {
            if PRIMITIVES.contains(&kind) || shared.iter().any(|name| name == kind) {
                return Ok(());
            }
            let mut allowed = PRIMITIVES.to_vec();
            allowed.extend(shared.iter().map(String::as_str));
            Err(format!(
                "unknown type `{kind}`, expected one of {}",
                quoted(&allowed)
            ))
        })
    })
    .deserialize(deserializer)
}

pub fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

const PRIMITIVES: [&str; 4] = ["string", "boolean", "integer", "array"];

/// Says which shared types there are, before anything names one.
pub fn set_known_types(names: Vec<String>) {
    KNOWN_TYPES.set(names);
}

thread_local! {
    /// The names of the shared types, read ahead of everything else: serde
    /// offers no other way to let a scalar's check know them.
    static KNOWN_TYPES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}
