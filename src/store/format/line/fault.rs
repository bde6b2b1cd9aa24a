//! What is wrong with a line that holds no record, in words.

use crate::json::{JsonError, Kind, Scanner};

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The byte at which it goes wrong.
    pub at: usize,
    /// The sort of trouble.
    pub kind: FaultKind,
    /// What is wrong, lower case, no full stop.
    pub reason: String,
}

/// Sorts of trouble that are mended in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The line ends too early; what follows may be on the next lines.
    CutOff,
    /// A good object, and behind it something else on the same line.
    MoreBehind,
    /// A whole graph in another shape: an array.
    Array,
    /// A whole graph in another shape: `{"entities": […], "relations": […]}`.
    GraphObject,
    /// One object over several lines.
    Spread,
    /// In another encoding: the whole file, or some lines.
    Utf16,
    /// Both sides of a git conflict, between markers.
    Conflict,
    /// JSON, but not what a record looks like.
    Shape,
    /// Not JSON.
    NotJson,
}

/// What to say of an array where a record should be.
pub const ARRAY_DOCUMENT: &str = "a JSON array, not one record a line";
/// What to say of an object that holds a whole graph.
pub const GRAPH_DOCUMENT: &str = "a whole graph in one object (\"entities\", \"relations\"), \
     not one record a line";

pub(super) fn shape(at: usize, reason: String) -> Fault {
    Fault {
        at,
        kind: FaultKind::Shape,
        reason,
    }
}

#[cold]
pub(super) fn odd_observations(at: usize, kind: Kind) -> Fault {
    let found = kind.words();
    shape(
        at,
        format!("expected an array of strings for \"observations\", found {found}"),
    )
}

#[cold]
pub(super) fn not_json(bytes: &[u8], error: JsonError) -> Fault {
    let JsonError { at, reason } = error;
    if at < bytes.len() {
        return Fault {
            at,
            kind: FaultKind::NotJson,
            reason: format!("not JSON: {reason}"),
        };
    }
    Fault {
        at,
        kind: FaultKind::CutOff,
        reason: format!(
            "cut off: {}",
            reason.replace("the text ends", "the line ends")
        ),
    }
}

/// Something that starts with neither a brace nor nothing at all.
#[cold]
pub(super) fn no_object(bytes: &[u8], mut scanner: Scanner) -> Fault {
    let at = scanner.at();
    let kind = match scanner.value() {
        Ok(kind) => kind,
        Err(error) => return not_json(bytes, *error),
    };
    scanner.skip_space();
    if kind == Kind::Array {
        if scanner.peek().is_some() {
            return more_behind(&scanner);
        }
        return Fault {
            at,
            kind: FaultKind::Array,
            reason: ARRAY_DOCUMENT.to_owned(),
        };
    }
    if scanner.peek().is_some() {
        return not_json(bytes, *scanner.unexpected("the end of the line"));
    }
    shape(
        at,
        format!("expected a record (a JSON object), found {}", kind.words()),
    )
}

#[cold]
pub(super) fn more_behind(scanner: &Scanner) -> Fault {
    let reason = if scanner.peek() == Some(b'{') {
        "two records on one line: the second one starts here".to_owned()
    } else {
        let error = scanner.unexpected("the end of the line");
        format!("something follows the record: {}", error.reason)
    };
    Fault {
        at: scanner.at(),
        kind: FaultKind::MoreBehind,
        reason,
    }
}
