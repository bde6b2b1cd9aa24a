//! A line to a message: everything that can be wrong with a line is found here
//! and gets its JSON-RPC error, with the request's id wherever one can be read,
//! so that no client waits for an answer that never comes. What a method wants
//! in its params is not looked at here, but in `server`.

use std::borrow::Cow;

use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde_json::{Map, Value};

use crate::mcp::head::{Head, echo, id_in};

/// What a line says.
#[derive(Debug)]
pub(super) enum Message {
    /// A request; `params` absent or null is the empty object.
    Request {
        /// The client's id.
        id: RequestId,
        /// Any string.
        method: String,
        /// `_meta` included.
        params: Map<String, Value>,
    },
    /// `notifications/cancelled` for this request.
    Cancelled(RequestId),
    /// Nothing that wants an answer or an action: a blank line, another
    /// notification, a stray response.
    Ignored,
    /// An array of messages, which is not served.
    Batch {
        /// The ids of the requests in it, as far as they can be read.
        ids: Vec<Value>,
        /// What is wrong.
        error: ErrorData,
    },
    /// No message; the answer is this error.
    Refused {
        /// The id, as far as one could be read.
        id: Option<Value>,
        /// What is wrong.
        error: ErrorData,
    },
}

/// Reads one message.
pub(super) fn decode(bytes: &[u8]) -> Message {
    let bytes = trim(bytes);
    if bytes.is_empty() {
        return Message::Ignored;
    }
    match serde_json::from_slice(bytes) {
        Ok(value) => understand(value),
        Err(_) => match mend(bytes) {
            Cow::Borrowed(same) => unreadable(same),
            Cow::Owned(mended) => match serde_json::from_slice(&mended) {
                Ok(value) => understand(value),
                Err(_) => unreadable(&mended),
            },
        },
    }
}

/// The answer to a line that was too long to be kept; this much of both its
/// ends is known.
pub(super) fn too_long(start: &[u8], end: &[u8]) -> Message {
    refused(
        id_in(trim(start), trim(end)),
        ErrorCode::INVALID_REQUEST,
        "the line is too long and was skipped\nsplit the request into smaller ones",
    )
}

/// Sorts a line that is JSON.
fn understand(value: Value) -> Message {
    let mut message = match value {
        Value::Object(message) => message,
        Value::Array(messages) => {
            let text = "batches are not served\nsend each message on a line of its own";
            return Message::Batch {
                ids: messages.into_iter().filter_map(id_of_request).collect(),
                error: ErrorData::new(ErrorCode::INVALID_REQUEST, text, None),
            };
        }
        _ => {
            let text = "a message must be a JSON object";
            return refused(None, ErrorCode::INVALID_REQUEST, text);
        }
    };
    let id = message.remove("id");
    let Some(method) = message.remove("method") else {
        if message.contains_key("result") || message.contains_key("error") {
            // This server asks its client nothing, so no response is awaited.
            return Message::Ignored;
        }
        let text = "the message has no method";
        return refused(id.and_then(echo), ErrorCode::INVALID_REQUEST, text);
    };
    let wrong = |text: &str| match &id {
        // A notification is never answered, not even a wrong one.
        None if method.is_string() => Message::Ignored,
        _ => refused(
            id.clone().and_then(echo),
            ErrorCode::INVALID_REQUEST,
            text.to_owned(),
        ),
    };
    if message
        .get("jsonrpc")
        .is_none_or(|version| version != "2.0")
    {
        return wrong("jsonrpc must be \"2.0\"");
    }
    let params = match message.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return wrong("params must be an object"),
    };
    let Value::String(method) = method else {
        return wrong("method must be a string");
    };
    let Some(id) = id else {
        return match params.get("requestId").and_then(request_id) {
            Some(request) if method == "notifications/cancelled" => Message::Cancelled(request),
            _ => Message::Ignored,
        };
    };
    match request_id(&id) {
        Some(id) => Message::Request { id, method, params },
        None => refused(
            echo(id),
            ErrorCode::INVALID_REQUEST,
            "id must be a string or an integer from -2^63 to 2^63-1",
        ),
    }
}

/// The id of a message in a batch, when it is a request.
fn id_of_request(message: Value) -> Option<Value> {
    let Value::Object(mut message) = message else {
        return None;
    };
    let id = message.remove("id").and_then(echo)?;
    message.contains_key("method").then_some(id)
}

/// The answer to a line that `serde_json` cannot turn into a value: no JSON at
/// all, or JSON nested too deep or with a number out of range.
fn unreadable(bytes: &[u8]) -> Message {
    let (head, scanned) = Head::scan(bytes);
    match scanned {
        Ok(()) if head.has_method && head.id.is_none() => Message::Ignored,
        Ok(()) if head.is_response() => Message::Ignored,
        Ok(()) => refused(
            head.id,
            ErrorCode::INVALID_PARAMS,
            "the message cannot be represented: it is nested deeper than 127 levels, or a number \
             in it is out of range",
        ),
        Err(error) => refused(
            id_in(bytes, bytes),
            ErrorCode::PARSE_ERROR,
            format!("the line is not JSON: {error}\nwrite one JSON object a line"),
        ),
    }
}

fn refused(id: Option<Value>, code: ErrorCode, text: impl Into<Cow<'static, str>>) -> Message {
    Message::Refused {
        id,
        error: ErrorData::new(code, text, None),
    }
}

/// The id as MCP allows it. `3.0` is the integer 3.
fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number
            .as_i64()
            .or_else(|| {
                let float = number.as_f64()?;
                // Up to 2^53 a float is exactly one integer.
                let exact = float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
                #[expect(clippy::cast_possible_truncation, reason = "just checked")]
                exact.then_some(float as i64)
            })
            .map(RequestId::Number),
        _ => None,
    }
}

/// Without a byte order mark and blanks on both sides.
fn trim(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(line)
        .trim_ascii()
}

/// Makes what JavaScript and careless programs send representable: invalid
/// UTF-8 and halves of surrogate pairs become U+FFFD. JavaScript's
/// `JSON.stringify` writes such a half for every emoji that was cut in two.
fn mend(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(bytes);
    let mut mended = Vec::new();
    let mut copied = 0;
    let raw = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &raw[at..]) {
        at += found;
        match escaped_unit(&raw[at..]) {
            Some(0xD800..=0xDBFF)
                if matches!(escaped_unit(&raw[at + 6..]), Some(0xDC00..=0xDFFF)) =>
            {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                mended.extend_from_slice(&raw[copied..at]);
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            // A short escape; stepping over both bytes keeps `\\u` from being
            // taken for `\u`.
            None => at = (at + 2).min(raw.len()),
        }
    }
    if copied > 0 {
        mended.extend_from_slice(&raw[copied..]);
        return Cow::Owned(mended);
    }
    match text {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The UTF-16 unit of `\uXXXX` at the start of `bytes`.
fn escaped_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests;
