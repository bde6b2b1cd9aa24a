//! The rules of reading a line, one at a time.

#![allow(clippy::unwrap_used)]

use super::*;
use serde_json::json;

#[track_caller]
fn refusal(line: &[u8]) -> (Option<Value>, i32) {
    match decode(line) {
        Message::Refused { id, error } => (id, error.code.0),
        Message::Batch { ids, error } => (ids.into_iter().next(), error.code.0),
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
fn params(line: &[u8]) -> Value {
    match decode(line) {
        Message::Request { params, .. } => Value::Object(params),
        other => panic!("no request: {other:?}"),
    }
}

#[test]
fn malformed_json_is_a_parse_error_with_the_id_where_it_can_be_found() {
    assert_eq!(refusal(b"nonsense"), (None, -32700));
    assert_eq!(refusal(br#"{"id":5,"method":"#), (Some(json!(5)), -32700));
    assert_eq!(
        refusal(br#"{"method":'ping',"jsonrpc":"2.0","id":"a"}"#),
        (Some(json!("a")), -32700)
    );
    assert_eq!(refusal(br#"{"params":{"id":5}"#), (None, -32700));
    assert_eq!(refusal(br#"{"params":{bad,"id":5}}"#), (None, -32700));
    // The id of a response belongs to nobody here.
    assert_eq!(refusal(br#"{"id":5,"result":{"#), (None, -32700));
    assert_eq!(refusal(br#"{"id":1}{"id":2}"#).1, -32700);
}

#[test]
fn json_of_the_wrong_shape_is_an_invalid_request_with_the_id() {
    for line in [
        "[]",
        "5",
        "\"x\"",
        "null",
        "{}",
        r#"{"method":5,"jsonrpc":"2.0"}"#,
    ] {
        assert_eq!(refusal(line.as_bytes()), (None, -32600), "{line}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
        r#"{"id":7,"method":"ping"}"#,
    ] {
        assert_eq!(refusal(line.as_bytes()), (Some(json!(7)), -32600), "{line}");
    }
}

#[test]
fn ids_are_strings_and_integers_and_any_other_number_is_echoed() {
    let id = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for good in [
        "0",
        "-1",
        "9223372036854775807",
        "3.0",
        // Up to 2^53 every integer is a float of its own.
        "9007199254740992.0",
        "-9007199254740992.0",
        "\"\"",
        "\"\\u0000\"",
    ] {
        let line = id(good);
        let message = decode(line.as_bytes());
        assert!(matches!(message, Message::Request { .. }), "{good}");
    }
    for odd in [
        "9223372036854775808",
        "9007199254740994.0",
        "-9007199254740994.0",
        "1.5",
        "1e300",
    ] {
        let (echoed, code) = refusal(id(odd).as_bytes());
        assert_eq!(code, -32600);
        assert_eq!(
            echoed.unwrap().as_f64().unwrap(),
            odd.parse::<f64>().unwrap()
        );
    }
    for bad in ["null", "true", "{}", "[1]"] {
        assert_eq!(refusal(id(bad).as_bytes()), (None, -32600), "{bad}");
    }
}

#[test]
fn half_surrogates_and_invalid_utf_8_become_replacement_characters() {
    let with = |text: &[u8]| {
        let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":""#.to_vec();
        line.extend_from_slice(text);
        line.extend_from_slice(br#""}}"#);
        params(&line)["t"].as_str().unwrap().to_owned()
    };
    assert_eq!(with(br"\ud800"), "\u{FFFD}");
    assert_eq!(with(br"a\udc00b"), "a\u{FFFD}b");
    assert_eq!(with(br"\ud83d\ude00\ud83d"), "\u{1F600}\u{FFFD}");
    assert_eq!(with(br"\ud83d\ud83d\ude00"), "\u{FFFD}\u{1F600}");
    assert_eq!(with(br"\ud800\u0041"), "\u{FFFD}A");
    assert_eq!(with(br"\\ud800\ud800"), "\\ud800\u{FFFD}");
    assert_eq!(with(b"\xFF\\ud800"), "\u{FFFD}\u{FFFD}");
    assert_eq!(with(b"caf\xE9"), "caf\u{FFFD}");
}

#[test]
fn json_that_cannot_be_represented_is_refused_with_the_id() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"m","params":{{"a":{}1{}}},"id":9}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    assert_eq!(refusal(deep.as_bytes()), (Some(json!(9)), -32602));
    let large = br#"{"jsonrpc":"2.0","id":9,"method":"m","params":{"a":1e400}}"#;
    assert_eq!(refusal(large), (Some(json!(9)), -32602));
}

#[test]
fn a_long_line_is_refused_with_an_id_from_either_end() {
    let refusal = |start: &str, end: &str| {
        let (start, end) = (start.as_bytes(), end.as_bytes());
        match too_long(start, end) {
            Message::Refused { id, error } => (id, error.code.0),
            other => panic!("not refused: {other:?}"),
        }
    };
    let start = r#"{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"xx"#;
    assert_eq!(refusal(start, "xx\"}}"), (Some(json!(3)), -32600));
    let start = r#"{"method":"m","params":{"a":"xx"#;
    let end = r#"xx"}, "jsonrpc":"2.0", "id" : "k"}"#;
    assert_eq!(refusal(start, end), (Some(json!("k")), -32600));
    assert_eq!(refusal(start, r#"xx","id":4}}"#), (None, -32600));
    assert_eq!(
        refusal(start, "xx\",\"id\":4} \t\r"),
        (Some(json!(4)), -32600)
    );
    assert_eq!(refusal(start, r#"xx,\"id\":4}"#), (None, -32600));
}

#[test]
fn blank_lines_notifications_and_responses_want_no_answer() {
    for line in [
        "",
        " \r",
        "\u{FEFF}",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1e999}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
    ] {
        let message = decode(line.as_bytes());
        assert!(matches!(message, Message::Ignored), "{line}: {message:?}");
    }
}

#[test]
fn a_byte_order_mark_and_blanks_around_a_message_are_skipped() {
    let line =
        b"\xEF\xBB\xBF \t{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":null,\"x\":1}\r";
    assert_eq!(params(line), json!({}));
}

proptest::proptest! {
    #[test]
    fn a_request_is_never_ignored_whatever_its_params_hold(
        parts in proptest::collection::vec(
            proptest::sample::select(vec![
                "\\", "\\u", "d83d", "\\ud83d", "\\ude00", "\"", "\\\"", "{", "}", "[", "]", ",",
                ":", "1e999", "x", "\u{FFFD}", "\u{1}", " ",
            ]),
            0..12,
        ),
        broken in proptest::collection::vec(proptest::num::u8::ANY, 0..3),
    ) {
        let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"t":""#.to_vec();
        line.extend_from_slice(parts.concat().as_bytes());
        line.extend(broken.into_iter().filter(|byte| *byte != b'\n'));
        line.extend_from_slice(br#""}}"#);
        match decode(&line) {
            Message::Request { id, .. } => proptest::prop_assert_eq!(id, RequestId::Number(1)),
            Message::Refused { id, .. } => proptest::prop_assert_eq!(id, Some(json!(1))),
            other => panic!("{other:?} from {}", String::from_utf8_lossy(&line)),
        }
    }
}
