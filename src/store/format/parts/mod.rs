//! The memory file line by line, bad lines and documents over many lines
//! included: for error texts, `check` and `repair`. `document` has its own
//! fast loop for files in which every line is good.

use memchr::memchr;

use super::line::{
    ARRAY_DOCUMENT, Fault, FaultKind, GRAPH_DOCUMENT, Line, Record, is_blank, read_line,
    read_record,
};
use crate::json::{Kind, RawString, Scanner};

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

/// A line of the memory file that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The line's number, from 1, blank lines counted.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// What is wrong, lower case, no full stop.
    pub reason: String,
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
        let blank = if is_blank(rest) { rest.len() } else { 0 };
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
mod tests;
