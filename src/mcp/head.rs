//! The head of a message that cannot be turned into a value, because it is no
//! JSON, too long, too deep or holds too large a number: which id the answer
//! has to carry.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The outermost members of a message, read without building anything, so that
/// no depth and no number is too much.
#[derive(Default)]
pub(super) struct Head {
    /// The last id that was seen, if it is a string or a number.
    pub(super) id: Option<Value>,
    /// Whether there is a method.
    pub(super) has_method: bool,
    has_outcome: bool,
}

impl Head {
    /// What was seen, and whether all of `bytes` is one JSON value.
    pub(super) fn scan(bytes: &[u8]) -> (Head, serde_json::Result<()>) {
        let mut head = Head::default();
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let scanned = (&mut head).deserialize(&mut json).and_then(|()| json.end());
        (head, scanned)
    }

    /// Whether it has a result or an error, and no method.
    pub(super) fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }
}

impl<'de> DeserializeSeed<'de> for &mut Head {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Head {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            match key.as_str() {
                "id" => self.id = members.next_value::<Scalar>()?.0.and_then(echo),
                key => {
                    self.has_method |= key == "method";
                    self.has_outcome |= key == "result" || key == "error";
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A string or number; everything else is read over.
struct Scalar(Option<Value>);

impl<'de> serde::Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.into())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.into())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.into())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(text.into())))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Scalar, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Scalar, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }
}

/// The id of a request that cannot be parsed whole, from its first or last
/// bytes: writers put the id either before `params` or at the very end.
pub(super) fn id_in(start: &[u8], end: &[u8]) -> Option<Value> {
    // The scan stops with an error where the JSON does; what it saw before
    // that counts.
    let (head, _) = Head::scan(start);
    if head.is_response() {
        return None;
    }
    head.id.or_else(|| id_at_end(end))
}

/// The id in `…,"id":7}`, when it is the last member of the outermost object.
/// Inside a string its quotes would be escaped, and inside another object more
/// than one brace would follow.
fn id_at_end(bytes: &[u8]) -> Option<Value> {
    let at = memchr::memmem::rfind(bytes, b"\"id\"")?;
    let before = bytes[..at].trim_ascii_end();
    let value = bytes[at + 4..].trim_ascii_start().strip_prefix(b":")?;
    let value = value.strip_suffix(b"}")?;
    if !before.ends_with(b",") {
        return None;
    }
    serde_json::from_slice(value).ok().and_then(echo)
}

/// What may stand as the id of an error: strings and numbers.
pub(super) fn echo(id: Value) -> Option<Value> {
    (id.is_string() || id.is_number()).then_some(id)
}
