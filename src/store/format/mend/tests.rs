//! What is mended, each with the smallest text that shows it; and what is not,
//! because it could be meant in two ways.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(text: impl AsRef<[u8]>, json: &str, expected: &[Mend]) {
    let text = text.as_ref();
    let mended = mend(text, 0).unwrap();
    assert_eq!(String::from_utf8_lossy(&mended.text), json);
    assert_eq!(mended.mends.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(mended.end, text.len());
}

#[track_caller]
fn check_not(text: &str) {
    assert!(mend(text.as_bytes(), 0).is_err(), "{text}");
}

#[test]
fn json_stays_as_it_is() {
    for json in [
        r#"{"a":[1,-2.5e3,true,null,"x\"\u0041\n",{}],"b":"it’s “so”, he said"}"#,
        "[ ]",
        "{ \"a\" :\t[\r\n] }",
    ] {
        check(json, json, &[]);
    }
}

#[test]
fn typographic_quotes_of_every_shape_are_plain_ones() {
    for (open, close) in [
        ("“", "”"),
        ("”", "”"),
        ("„", "“"),
        ("«", "»"),
        ("»", "«"),
        ("‘", "’"),
        ("‚", "‘"),
        ("‹", "›"),
        ("＂", "＂"),
        ("\"", "”"),
        ("“", "\""),
    ] {
        let text = format!("{{{open}a{close}:{open}it is{close} , {open}b{close}:[]}}");
        check(
            text,
            r#"{"a":"it is" , "b":[]}"#,
            &[Mend::TypographicQuotes],
        );
    }
    check(
        b"{\x93a\x94:\x93caf\xE9\x94}".map(|byte| byte),
        "{\"a\":\"caf\u{FFFD}\"}",
        &[Mend::TypographicQuotes],
    );
}

#[test]
fn a_quote_that_belongs_to_what_is_said_stays() {
    check(
        "{“a”:“he said “yes” and it’s \\“fine\\””}",
        "{\"a\":\"he said “yes” and it’s \\\"fine\\\"\"}",
        &[Mend::TypographicQuotes],
    );
    check(
        "{'a':'say \"hi\", it\\'s \\x1b'}",
        r#"{"a":"say \"hi\", it's \u001b"}"#,
        &[Mend::SingleQuotes],
    );
}

#[test]
fn control_characters_in_strings_are_escaped() {
    check("[\"a\tb\u{1}\"]", r#"["a\tb\u0001"]"#, &[Mend::Controls]);
    check("[\"a\r\nb\"]", r#"["a\r\nb"]"#, &[Mend::LineEnds]);
}

#[test]
fn words_and_numbers_of_other_languages_are_mended() {
    check(
        "[NaN,Infinity,-Infinity]",
        r#"["NaN","Infinity","-Infinity"]"#,
        &[Mend::NotANumber],
    );
    check(
        "[True,False,None]",
        "[true,false,null]",
        &[Mend::PythonWords],
    );
    check("[–5,−1.5]", "[-5,-1.5]", &[Mend::Dashes]);
}

#[test]
fn commas_blanks_and_wide_punctuation_are_mended() {
    check("[1,,2,]", "[1,2]", &[Mend::Commas]);
    check("{\"a\":1, }", "{\"a\":1 }", &[Mend::Commas]);
    check("[\u{A0}1\u{200B},\u{3000}2]", "[1,2]", &[Mend::Blanks]);
    check(
        "｛“a”：［1，2］｝",
        "{\"a\":[1,2]}",
        &[Mend::TypographicQuotes, Mend::WidePunctuation],
    );
}

#[test]
fn a_backslash_that_begins_no_escape_is_doubled() {
    check(
        r#"["C:\Users\x","\u12"]"#,
        r#"["C:\\Users\\x","\\u12"]"#,
        &[Mend::Backslashes],
    );
}

#[test]
fn what_could_be_meant_in_two_ways_is_not_mended() {
    // Two records, the first one cut off.
    check_not("{“name”:“Ad{“name”:“Bo”,“type”:“entity”}");
    check_not("{'name':'Ad{'name':'Bo','type':'entity'}");
    check_not("{\"name\":\"Ad{\"name\":\"Bo\",\"type\":\"entity\"}");
    check_not("{\"name\":\"Ad\n{\"name\":\"Bo\",\"type\":\"entity\"}");
    for text in [
        "[,]",
        "[1 2]",
        "{\"a\" 1}",
        "{a:1}",
        "[\"a\" \"b\"]",
        "[…]",
        "“a”",
        "[",
    ] {
        check_not(text);
    }
}

proptest! {
    #[test]
    fn what_is_mended_is_json(text in "[\\[\\]{}:,\"'“”‘’\\\\nN\\-–5\u{A0}\n\t a]{0,24}") {
        if let Ok(mended) = mend(text.as_bytes(), 0) {
            let mut scanner = Scanner::new(&mended.text, 0);
            prop_assert_eq!(scanner.value(), Ok(mended.kind));
            prop_assert_eq!(scanner.at(), mended.text.len());
            let again = mend(&mended.text, 0).unwrap();
            prop_assert_eq!(again.text, mended.text);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(mut bytes: Vec<u8>) {
        bytes.insert(0, b'{');
        let _ = mend(&bytes, 0);
    }
}
