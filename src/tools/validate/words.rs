//! Words for values and schemas.

use std::io;

use serde::Serialize;
use serde_json::Value;

/// How much of a bad value is quoted, in bytes.
const SAMPLE_BYTES: usize = 60;

/// The required keys of an object schema, in words.
pub fn required_keys(schema: &Value) -> String {
    let keys: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    match keys.split_last() {
        None => "no particular keys".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The JSON type of a value, in words.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a value as JSON.
pub fn sample<T: Serialize + ?Sized>(value: &T) -> String {
    let mut beginning = Beginning::default();
    let whole = serde_json::to_writer(&mut beginning, value).is_ok();
    let text = String::from_utf8_lossy(&beginning.bytes);
    if whole {
        text.into_owned()
    } else {
        // The cut may have gone through a character.
        format!("{}…", text.trim_end_matches(char::REPLACEMENT_CHARACTER))
    }
}

/// Takes the first bytes and refuses the rest, so that nothing large is
/// written out only to be cut off.
#[derive(Default)]
struct Beginning {
    bytes: Vec<u8>,
}

impl io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = SAMPLE_BYTES - self.bytes.len();
        if room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(room);
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
