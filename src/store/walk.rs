//! The memory file line by line, bad lines and documents over many lines
//! included: for error texts, `check` and `repair`. `document.rs` has its own
//! fast loop for files in which every line is good.

use memchr::memchr;

use super::error::BadLine;
use super::json::{Kind, RawString, Scanner};
use super::line::{
    ARRAY_DOCUMENT, Fault, FaultKind, GRAPH_DOCUMENT, Line, Record, read_line, read_record,
};

/// The UTF-8 byte order mark, which may stand at the start of a file.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A part of the file: a line, or the lines of one JSON value.
#[derive(Debug)]
pub struct Part {
    /// Number of its line, or of the first one, from 1.
    pub line: usize,
    /// Number of its last line.
    pub last_line: usize,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte, its LF not included.
    pub end: usize,
    /// What it holds.
    pub found: Found,
}

/// What a part of the file holds.
#[derive(Debug)]
pub enum Found {
    /// Nothing.
    Blank,
    /// A record. Its observations are in the list that is passed beside it.
    Record(Record),
    /// Something that is no record on a line of its own.
    Bad(Fault),
}

/// Calls `visit` for each part of the file, in order, with the observations of
/// the record in it.
pub fn walk(bytes: &[u8], mut visit: impl FnMut(Part, &[RawString])) {
    let mut walker = Walker {
        bytes,
        // Looking for a value over several lines is given up when the attempts
        // that failed have read the file several times over.
        budget: bytes.len().saturating_mul(8),
    };
    if let Some(part) = utf16(bytes) {
        return visit(part, &[]);
    }
    let mut observations = Vec::new();
    let mut line = 1;
    let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    while start < bytes.len() {
        observations.clear();
        let part = walker.part(start, line, &mut observations);
        start = part.end;
        line = part.last_line;
        // A document over several lines may end in the middle of one; what
        // follows it there is the next part.
        if bytes.get(start) == Some(&b'\n') {
            start += 1;
            line += 1;
        }
        visit(part, &observations);
    }
}

/// All bad lines of the file, in order.
pub fn bad_lines(bytes: &[u8]) -> Vec<BadLine> {
    let mut bad = Vec::new();
    walk(bytes, |part, _| bad.extend(part.bad_line(bytes)));
    bad
}

impl Part {
    /// The part as an error names it, if it is bad.
    pub fn bad_line(&self, bytes: &[u8]) -> Option<BadLine> {
        let Found::Bad(fault) = &self.found else {
            return None;
        };
        Some(BadLine {
            line: self.line,
            column: column(bytes, fault.at),
            reason: fault.reason.clone(),
        })
    }
}

/// The whole file as one part, when it is UTF-16, as some Windows programs
/// save text: a byte order mark and a first character from ASCII.
fn utf16(bytes: &[u8]) -> Option<Part> {
    let ((0xFF, 0xFE, _, 0) | (0xFE, 0xFF, 0, _)) = (
        *bytes.first()?,
        *bytes.get(1)?,
        *bytes.get(2)?,
        *bytes.get(3)?,
    ) else {
        return None;
    };
    Some(Part {
        line: 1,
        last_line: 1 + memchr::memchr_iter(b'\n', bytes).count(),
        start: 0,
        end: bytes.len(),
        found: Found::Bad(Fault {
            at: 0,
            kind: FaultKind::Utf16,
            reason: "the whole file is UTF-16, not UTF-8".to_owned(),
        }),
    })
}

/// The column of byte `at` in its line, in characters from 1. A BOM at the
/// file's start is none.
pub fn column(bytes: &[u8], at: usize) -> usize {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |lf| lf + 1);
    let before = &bytes[start..at];
    let before = match before.strip_prefix(BOM) {
        Some(rest) if start == 0 => rest,
        _ => before,
    };
    String::from_utf8_lossy(before).chars().count() + 1
}

struct Walker<'a> {
    bytes: &'a [u8],
    budget: usize,
}

impl Walker<'_> {
    fn part(&mut self, start: usize, line: usize, observations: &mut Vec<RawString>) -> Part {
        let bytes = self.bytes;
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |lf| start + lf);
        let within_line = start > 0 && bytes[start - 1] != b'\n' && !bytes[..start].eq(BOM);
        let found = match read_line(&bytes[..end], start, observations) {
            Ok(Line::Blank) => Found::Blank,
            Ok(Line::Record(record)) if within_line => Found::Bad(Fault {
                at: record.start,
                kind: FaultKind::MoreBehind,
                reason: "a record behind the end of another value, on the same line".to_owned(),
            }),
            Ok(Line::Record(record)) => Found::Record(record),
            Err(fault) => {
                if fault.kind == FaultKind::CutOff
                    && let Some(part) = self.value_over_lines(start, line, end)
                {
                    return part;
                }
                Found::Bad(fault)
            }
        };
        Part {
            line,
            last_line: line,
            start,
            end,
            found,
        }
    }

    /// The JSON array or object that starts on this line and ends on a later
    /// one, if there is one.
    fn value_over_lines(&mut self, start: usize, line: usize, line_end: usize) -> Option<Part> {
        let mut scanner = Scanner::new(self.bytes, start);
        scanner.skip_space();
        let at = scanner.at();
        if self.budget == 0 || at >= line_end || !matches!(self.bytes[at], b'{' | b'[') {
            return None;
        }
        let kind = match scanner.value() {
            Ok(kind) => kind,
            Err(error) => {
                self.budget = self.budget.saturating_sub(error.at - start);
                return None;
            }
        };
        let end = scanner.at();
        let last_line = line + memchr::memchr_iter(b'\n', &self.bytes[at..end]).count();
        let (kind, what) = if kind == Kind::Array {
            (FaultKind::Array, ARRAY_DOCUMENT)
        } else {
            match read_record(
                self.bytes,
                &mut Scanner::new(self.bytes, at),
                &mut Vec::new(),
            ) {
                Err(fault) if fault.kind == FaultKind::GraphObject => {
                    (FaultKind::GraphObject, GRAPH_DOCUMENT)
                }
                _ => (FaultKind::Spread, "one JSON object over several lines"),
            }
        };
        // Blanks behind the value are part of it, so that they are not looked
        // at as a line of their own.
        let rest = &self.bytes[end..];
        let rest = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        let blank = if super::line::is_blank(rest) {
            rest.len()
        } else {
            0
        };
        Some(Part {
            line,
            last_line,
            start,
            end: end + blank,
            found: Found::Bad(Fault {
                at,
                kind,
                reason: format!("lines {line} to {last_line}: {what}"),
            }),
        })
    }
}

#[cfg(test)]
mod tests {
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
            &[(2, 1, "not JSON: expected a value, found U+FEFF")],
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
}
