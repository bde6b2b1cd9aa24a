//! The memory file line by line, bad lines and documents over many lines
//! included: for error texts, `check` and `repair`. `document` has its own
//! fast loop for files in which every line is good.

use memchr::memchr;

use super::conflict::{Conflict, NoConflict, marker};
use super::line::{
    ARRAY_DOCUMENT, Content, Fault, FaultKind, GRAPH_DOCUMENT, Line, Record, is_blank, read_line,
    read_record,
};
use super::mend::{self, mend};
use super::utf16::Utf16;
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
        budget: bytes.len().saturating_mul(8),
        no_conflict_ends: false,
        within_line: false,
    };
    let mut observations = Vec::new();
    let mut line = 1;
    let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    while start < bytes.len() {
        observations.clear();
        let part = walker.part(start, line, &mut observations);
        let utf16 = matches!(&part.found, Found::Bad(fault) if fault.kind == FaultKind::Utf16);
        start = part.end;
        line = part.last_line;
        // A document over several lines may end in the middle of one; what
        // follows it there is the next part. UTF-16 has its own line ends.
        walker.within_line = !utf16 && bytes.get(start) != Some(&b'\n');
        if !walker.within_line && bytes.get(start) == Some(&b'\n') {
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
    /// Looking for a value over several lines is given up when the attempts
    /// that failed have read the file several times over.
    budget: usize,
    /// Whether it is known that no conflict marker of the last sort is left.
    no_conflict_ends: bool,
    /// Whether the next part begins in the middle of a line.
    within_line: bool,
}

impl Walker<'_> {
    fn part(&mut self, start: usize, line: usize, observations: &mut Vec<RawString>) -> Part {
        let bytes = self.bytes;
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |lf| start + lf);
        let found = match read_line(&bytes[..end], start, observations) {
            Ok(Line::Blank) => Found::Blank,
            Ok(Line::Record(record)) if self.within_line => Found::Bad(Fault {
                at: record.start,
                kind: FaultKind::MoreBehind,
                reason: "a record behind the end of another value, on the same line".to_owned(),
            }),
            Ok(Line::Record(record)) => Found::Record(record),
            Err(fault) => match self.over_lines(start, line, end) {
                Some(part) => return part,
                None => Found::Bad(self.marker_alone(start, end).unwrap_or(fault)),
            },
        };
        Part {
            line,
            last_line: line,
            start,
            end,
            found,
        }
    }

    /// What begins on this line, which is bad by itself, and has to be judged
    /// as a whole.
    fn over_lines(&mut self, start: usize, line: usize, end: usize) -> Option<Part> {
        self.utf16(start, line, end)
            .or_else(|| self.conflict(start, line, end))
            .or_else(|| self.value_over_lines(start, line, end))
    }

    /// Lines in UTF-16, with what stands before them on the first one.
    fn utf16(&self, start: usize, line: usize, end: usize) -> Option<Part> {
        let bytes = self.bytes;
        let found = Utf16::find(bytes, start, end)?;
        let whole = found.start == 0 && found.end == bytes.len();
        let last_line = line + memchr::memchr_iter(b'\n', &bytes[start..found.end]).count();
        // Behind the last line end is the second half of it at most.
        let rest = memchr::memrchr(b'\n', &bytes[start..found.end]).map(|lf| start + lf + 1);
        let ends_there = rest.is_some_and(|rest| bytes[rest..found.end].iter().all(|&b| b == 0));
        let named = last_line - usize::from(ends_there);
        let reason = if whole {
            "the whole file is UTF-16, not UTF-8".to_owned()
        } else if named == line {
            "UTF-16, not UTF-8: this is how some shells append with >>".to_owned()
        } else {
            format!(
                "lines {line} to {named}: UTF-16, not UTF-8: this is how some shells append with >>"
            )
        };
        Some(Part {
            line,
            last_line,
            start,
            end: found.end,
            found: Found::Bad(Fault {
                at: found.start,
                kind: FaultKind::Utf16,
                reason,
            }),
        })
    }

    /// A git conflict whose first marker is this line.
    fn conflict(&mut self, start: usize, line: usize, end: usize) -> Option<Part> {
        let bytes = self.bytes;
        if self.within_line || self.no_conflict_ends || marker(&bytes[start..end]) != Some(b'<') {
            return None;
        }
        let conflict = match Conflict::find(bytes, start) {
            Ok(conflict) => conflict,
            Err(why) => {
                self.no_conflict_ends = why == NoConflict::NoEnd;
                return None;
            }
        };
        let last_line = line + memchr::memchr_iter(b'\n', &bytes[start..conflict.end]).count();
        Some(Part {
            line,
            last_line,
            start,
            end: conflict.end,
            found: Found::Bad(Fault {
                at: start,
                kind: FaultKind::Conflict,
                reason: format!(
                    "lines {line} to {last_line}: {}",
                    conflict.describe(bytes, start, line)
                ),
            }),
        })
    }

    /// What to say of a conflict marker that is left over.
    fn marker_alone(&self, start: usize, end: usize) -> Option<Fault> {
        marker(&self.bytes[start..end]).map(|_| Fault {
            at: start,
            kind: FaultKind::NotJson,
            reason: "a marker of a git conflict, without the others".to_owned(),
        })
    }

    /// The JSON array or object that starts on this line and ends on a later
    /// one, if there is one: good JSON, or what can be made good.
    fn value_over_lines(&mut self, start: usize, line: usize, line_end: usize) -> Option<Part> {
        let bytes = self.bytes;
        let mut scanner = Scanner::new(bytes, start);
        scanner.skip_space();
        let at = scanner.at();
        if self.budget == 0 || at >= line_end || !mend::opens(bytes, at) {
            return None;
        }
        let (end, kind, mended) = match scanner.value() {
            Ok(kind) => (scanner.at(), kind, None),
            Err(error) => {
                self.spend(error.at - start);
                match mend(bytes, at) {
                    Ok(mended) => (mended.end, mended.kind, Some(mended)),
                    Err(read) => {
                        self.spend(read);
                        return None;
                    }
                }
            }
        };
        if end <= line_end {
            self.spend(end - at);
            return None;
        }
        let value = mended
            .as_ref()
            .map_or(&bytes[at..end], |mended| &mended.text);
        let (kind, what) = if kind == Kind::Array {
            (FaultKind::Array, ARRAY_DOCUMENT)
        } else {
            match read_record(value, &mut Scanner::new(value, 0), &mut Vec::new()) {
                Err(fault) if fault.kind == FaultKind::GraphObject => {
                    (FaultKind::GraphObject, GRAPH_DOCUMENT)
                }
                _ if self.holds_records(line_end + 1, end) => {
                    self.spend(end - at);
                    return None;
                }
                _ => (FaultKind::Spread, "one JSON object over several lines"),
            }
        };
        let last_line = line + memchr::memchr_iter(b'\n', &bytes[at..end]).count();
        let mut reason = format!("lines {line} to {last_line}: {what}");
        if let Some(mended) = &mended {
            reason += ", with ";
            reason += &mend::words(&mended.mends);
        }
        // Blanks behind the value are part of it, so that they are not looked
        // at as a line of their own.
        let rest = &bytes[end..];
        let rest = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        let blank = if is_blank(rest) { rest.len() } else { 0 };
        Some(Part {
            line,
            last_line,
            start,
            end: end + blank,
            found: Found::Bad(Fault { at, kind, reason }),
        })
    }

    /// Whether one of the whole lines in `bytes[start..end]` is an entity or a
    /// relation by itself: then two programs wrote at once, and what looks like
    /// one value are the halves of another's around it.
    fn holds_records(&self, mut start: usize, end: usize) -> bool {
        let mut observations = Vec::new();
        while let Some(lf) = memchr(b'\n', &self.bytes[start..end]) {
            observations.clear();
            let line = read_line(&self.bytes[..start + lf], start, &mut observations);
            if let Ok(Line::Record(record)) = line
                && record.content != Content::Other
            {
                return true;
            }
            start += lf + 1;
        }
        false
    }

    fn spend(&mut self, bytes: usize) {
        self.budget = self.budget.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests;
