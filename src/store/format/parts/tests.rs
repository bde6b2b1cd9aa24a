//! Which parts a file falls into, and what is said of the bad ones.

use super::*;

const ADA: &str = r#"{"type":"entity","name":"Ada","entityType":"person","observations":[]}"#;

#[track_caller]
fn check(bytes: impl AsRef<[u8]>, expected: &[(usize, usize, &str)]) {
    let bad = bad_lines(bytes.as_ref());
    let bad: Vec<_> = bad
        .iter()
        .map(|bad| (bad.line, bad.column, bad.reason.as_str()))
        .collect();
    assert_eq!(bad, expected);
}

#[test]
fn lines_count_from_one_and_blank_ones_count() {
    check(
        format!("\n \r\n{ADA}\nx\n"),
        &[(4, 1, "not JSON: expected a value, found `x`")],
    );
}

#[test]
fn columns_are_characters_from_one() {
    check(
        "{\"é😀\":x}",
        &[(1, 7, "not JSON: expected a value, found `x`")],
    );
    check(
        b"{\"\xFF\xFF\":x}",
        &[(1, 7, "not JSON: expected a value, found `x`")],
    );
    check(
        "\u{FEFF}x",
        &[(1, 1, "not JSON: expected a value, found `x`")],
    );
}

#[test]
fn all_bad_lines_are_found_in_one_pass() {
    check(
        format!("{{\n{ADA}\n[\n5\n{ADA}{ADA}\n"),
        &[
            (
                1,
                2,
                "cut off: the line ends where a key in double quotes was expected",
            ),
            (3, 2, "cut off: the line ends where a value was expected"),
            (4, 1, "expected a record (a JSON object), found a number"),
            (
                5,
                ADA.len() + 1,
                "two records on one line: the second one starts here",
            ),
        ],
    );
}

#[test]
fn a_bom_is_passed_over_at_the_start_of_the_file_only() {
    check(format!("\u{FEFF}{ADA}\n"), &[]);
    check(
        format!("\u{FEFF}{ADA}\n\u{FEFF}{ADA}\n"),
        &[(
            2,
            1,
            "not JSON: expected a value, found the invisible character U+FEFF",
        )],
    );
}

#[test]
fn a_cut_off_line_is_named_as_such_before_crlf_too() {
    check(
        "{\"type\":\"ent\r\n",
        &[(1, 13, "cut off: the line ends inside a string")],
    );
}

#[test]
fn a_pretty_printed_document_is_named_once() {
    let array = format!("lines 1 to 3: {ARRAY_DOCUMENT}");
    check(format!("[\n  {ADA}\n]\n"), &[(1, 1, &array)]);
    let graph = format!("lines 2 to 5: {GRAPH_DOCUMENT}");
    check(
        format!("\n{{\n \"entities\": [\n  {ADA}\n]}} \r\n{ADA}\n"),
        &[(2, 1, &graph)],
    );
}

#[test]
fn a_pretty_printed_record_is_named_once() {
    let spread = "lines 1 to 3: one JSON object over several lines";
    check(
        "{\n\"type\": \"entity\", \"name\": \"A\"\n}\n",
        &[(1, 1, spread)],
    );
}

#[test]
fn what_follows_a_document_on_its_last_line_is_named_too() {
    let array = format!("lines 1 to 2: {ARRAY_DOCUMENT}");
    check(
        format!("[\n]{ADA}\n{ADA}\n"),
        &[
            (1, 1, &array),
            (
                2,
                2,
                "a record behind the end of another value, on the same line",
            ),
        ],
    );
}

#[test]
fn a_utf16_file_is_named_once() {
    let utf16: Vec<u8> = format!("\u{FEFF}{ADA}\r\n{ADA}\r\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    check(utf16, &[(1, 1, "the whole file is UTF-16, not UTF-8")]);
}

#[test]
fn many_beginnings_without_an_end_do_not_hang() {
    let bad = bad_lines("[\n".repeat(100_000).as_bytes());
    assert_eq!(bad.len(), 100_000);
}
