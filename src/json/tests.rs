//! The scanner against serde_json and against itself.

use proptest::prelude::*;

use super::scanner::*;
use super::strings::*;

fn scan(bytes: &[u8]) -> Result<Kind, Box<JsonError>> {
    let mut scanner = Scanner::new(bytes, 0);
    scanner.skip_space();
    let kind = scanner.value()?;
    scanner.skip_space();
    if scanner.peek().is_some() {
        return Err(scanner.unexpected("the end"));
    }
    Ok(kind)
}

#[track_caller]
fn wrong(input: &[u8], at: usize, reason: &str) {
    let error = scan(input).unwrap_err();
    assert_eq!((error.at, &*error.reason), (at, reason));
}

#[test]
fn errors_say_where_and_what() {
    wrong(
        "{“a”:1}".as_bytes(),
        1,
        "expected a key in double quotes, found a typographic quote `“`",
    );
    wrong(b"", 0, "the text ends where a value was expected");
    wrong(b"undefined", 0, "expected a value, found `u`");
    wrong(b"nul", 3, "the text ends inside `null`");
    wrong(b"nulx", 0, "expected a value, found `n`");
    wrong(b"01", 1, "a number must not start with 0");
    wrong(b"-", 1, "the text ends where a digit was expected");
    wrong(b"1.x", 2, "expected a digit, found `x`");
    wrong(b"[1 2]", 3, "expected `,` or `]`, found `2`");
    wrong(b"[1,]", 3, "expected a value, found `]`");
    wrong(b"{\"a\" 1}", 5, "expected `:` after the key, found `1`");
    wrong(b"{'a':1}", 1, "expected a key in double quotes, found `'`");
    wrong(
        b"{\"a\":1",
        6,
        "the text ends where `,` or `}` was expected",
    );
    wrong(b"[\"a", 3, "the text ends inside a string");
    wrong(b"\"\\", 2, "the text ends inside a string");
    wrong(b"\"\\u12", 5, "the text ends inside a string");
    wrong(b"\"\\x41\"", 1, "a backslash before `x` is no escape");
    wrong(
        b"\"\\u12x4\"",
        1,
        "\\u is not followed by four hexadecimal digits",
    );
    wrong(
        b"\"a\tb\"",
        2,
        "control character U+0009 in a string, not escaped",
    );
    wrong(
        b"\"12345678\x00\"",
        9,
        "control character U+0000 in a string, not escaped",
    );
    wrong(
        b"[\xFF]",
        1,
        "expected a value, found the byte 0xff, which is not UTF-8",
    );
    wrong("1\u{A0}".as_bytes(), 1, "expected the end, found U+00A0");
}

#[test]
fn any_depth_is_read() {
    let deep = [vec![b'['; 200_000], vec![b']'; 200_000]].concat();
    assert_eq!(scan(&deep), Ok(Kind::Array));
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    assert_eq!(scan(objects.as_bytes()), Ok(Kind::Object));
}

#[test]
fn strings_need_not_be_utf8() {
    assert_eq!(scan(b"\"\xFF\xC3\""), Ok(Kind::String));
}

#[track_caller]
fn decodes(raw: &[u8], text: &str) {
    assert_eq!(unescape(raw), text);
}

#[test]
fn escapes_are_decoded() {
    decodes(br#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t");
    decodes(br"\u00e9A\u00E9", "éAé");
    decodes(br"\ud83d\ude00", "😀");
    decodes("é\\u0041é".as_bytes(), "éAé");
}

#[test]
fn lone_surrogates_and_bad_utf8_become_replacement_characters() {
    decodes(br"\ud83d", "\u{FFFD}");
    decodes(br"\ude00\ud83d", "\u{FFFD}\u{FFFD}");
    decodes(br"\ud83d\ud83d\ude00", "\u{FFFD}😀");
    decodes(br"\ud83d\u0041", "\u{FFFD}A");
    decodes(b"a\xFFb\\nc\xE2\x82", "a\u{FFFD}b\nc\u{FFFD}");
}

#[test]
fn lossy_is_what_is_shown_as_something_else() {
    for raw in [&b"\xFF"[..], br"\ud800", br"\\\udc00x", br"\ufffd\ud800"] {
        assert!(is_lossy(raw), "{}", raw.escape_ascii());
    }
    for raw in ["\u{FFFD}", r"\ufffd\uFFFD", r"\\ud800", r"\ud83d\ude00", ""] {
        assert!(!is_lossy(raw.as_bytes()), "{raw}");
    }
}

#[test]
fn strings_are_written_as_json_stringify_does() {
    let mut out = String::new();
    escape_into(
        "a/\u{7f}\u{2028}é😀\u{8}\t\n\u{c}\r\"\\\u{0}\u{1f}\u{b}",
        &mut out,
    );
    assert_eq!(
        out,
        "\"a/\u{7f}\u{2028}é😀\\b\\t\\n\\f\\r\\\"\\\\\\u0000\\u001f\\u000b\""
    );
}

/// Pieces that make nearly valid JSON likely.
fn json_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"\\u12aF\\n\""),
        Just("\"\\ud800\""),
        Just("\""),
        Just("\\"),
        Just("-1"),
        Just("0"),
        Just("1e400"),
        Just(".5"),
        Just("E+"),
        Just("true"),
        Just("null"),
        Just(" "),
        Just("\n"),
        Just("é"),
        Just("\"a\":"),
    ];
    prop_oneof![
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()),
        any::<String>(),
        "[\\[\\]{}\",:0-9eE.+-]{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// One difference: raw control characters, which serde_json lets pass
    /// in what it ignores and JSON does not.
    #[test]
    fn accepts_what_serde_json_accepts(text in json_like()) {
        let controls = text.chars().any(|c| c < ' ');
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        let ours = scan(text.as_bytes()).is_ok();
        prop_assert!(ours == theirs || (theirs && controls), "{text:?}");
    }

    #[test]
    fn never_panics(bytes: Vec<u8>) {
        if let Err(error) = scan(&bytes) {
            prop_assert!(error.at <= bytes.len());
        }
    }

    #[test]
    fn what_is_written_is_read_back(text: String) {
        let mut out = String::new();
        escape_into(&text, &mut out);
        prop_assert_eq!(&out, &serde_json::to_string(&text).unwrap());
        let token = Scanner::new(out.as_bytes(), 0).string().unwrap();
        prop_assert_eq!(token.text(out.as_bytes()), text);
    }

    #[test]
    fn a_string_stops_at_its_first_special_byte(bytes: Vec<u8>, at in 0usize..20) {
        let naive = (at..bytes.len())
            .find(|&i| bytes[i] == b'"' || bytes[i] == b'\\' || bytes[i] < 0x20)
            .unwrap_or(bytes.len().max(at));
        prop_assert_eq!(string_stop(&bytes, at), naive);
    }
}
