//! What is wrong with a memory file, read as the server reads it, and what is
//! worth knowing of it.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::json::{RawString, is_lossy};
use crate::store::format::document::too_large;
use crate::store::format::line::{self, FaultKind, Record};
use crate::store::format::parts::{BOM, BadLine, Found, Part, column, walk};
use crate::store::format::salvage::{plan, with_type};

/// What is to be said of a memory file. Lines and columns count from 1, columns
/// in characters.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The file's size.
    pub bytes: usize,
    /// Its lines, blank ones too.
    pub lines: usize,
    /// What the server would read of it, were there no bad lines.
    #[serde(flatten)]
    pub counts: Counts,
    /// What fails every tool until it is repaired.
    pub bad_lines: Vec<Bad>,
    /// Records with strings that hold something that is no text; it is shown
    /// as U+FFFD, and the bytes are kept.
    pub lossy_text: Vec<Lossy>,
    /// Names that several entities share.
    pub duplicate_entities: Vec<Duplicate>,
    /// Relations that lead from or to a name that no entity has.
    pub dangling_relations: Vec<Dangling>,
    /// Lines with objects of another type, which are kept and not shown.
    pub unknown_records: Vec<usize>,
    /// Those of them that have no type but an entity's or a relation's fields;
    /// repair gives them the type.
    pub untyped_records: Vec<usize>,
    /// Whether the file starts with a byte order mark; the next write drops it.
    pub byte_order_mark: bool,
    /// Lines that end with CR LF; the next write ends them with LF.
    pub carriage_returns: usize,
    /// Lines with nothing on them; the next write drops them.
    pub blank_lines: usize,
    /// What it would hold after a repair; none where there is nothing to
    /// repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_repair: Option<Counts>,
    /// Whether repair would leave nothing of it, and so refuses.
    pub saves_nothing: bool,
    /// Whether it is larger than the server reads; nothing else is known then.
    pub too_large: bool,
}

/// How many records a file holds.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Entity records.
    pub entities: usize,
    /// Observations of all of them.
    pub observations: usize,
    /// Relation records.
    pub relations: usize,
    /// Objects of another type; their lines are listed beside.
    #[serde(skip)]
    pub unknown_records: usize,
}

impl Counts {
    fn add(&mut self, record: &Record, observations: &[RawString]) {
        match record.content {
            line::Content::Entity { .. } => {
                self.entities += 1;
                self.observations += observations.len();
            }
            line::Content::Relation { .. } => self.relations += 1,
            line::Content::Other => self.unknown_records += 1,
        }
    }

    fn memory(&self) -> usize {
        self.entities + self.relations
    }
}

/// A line, or several that belong together, that cannot be read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bad {
    /// The line, or the first one.
    pub line: usize,
    /// The last line.
    pub last_line: usize,
    /// The column.
    pub column: usize,
    /// The sort of trouble.
    pub kind: &'static str,
    /// What is wrong.
    pub reason: String,
    /// How many records repair would save of it.
    pub saved: usize,
    /// How many bytes of it repair would set aside.
    pub set_aside: usize,
}

/// A record with strings that are no text.
#[derive(Debug, Serialize)]
pub struct Lossy {
    /// The line.
    pub line: usize,
    /// The column of the first such string.
    pub column: usize,
    /// How many there are in this record.
    pub strings: usize,
}

/// A name that several entities share.
#[derive(Debug, Serialize)]
pub struct Duplicate {
    /// The name.
    pub name: String,
    /// The lines of the entities.
    pub lines: Vec<usize>,
    /// Whether one of them holds something that is no text, so that they are
    /// perhaps not the same name.
    pub lossy: bool,
}

/// A relation without an entity at one of its ends, or both.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dangling {
    /// The line.
    pub line: usize,
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// What it says.
    pub relation_type: String,
    /// The names that no entity has.
    pub missing: Vec<String>,
}

impl Report {
    /// Looks at every line of the file, and says to `progress` how many bytes
    /// are done.
    pub fn of(bytes: &[u8], mut progress: impl FnMut(usize)) -> Report {
        if let Some(bad) = too_large(bytes.len()) {
            return Report::too_large(bytes.len(), bad);
        }
        let mut report = Report {
            bytes: bytes.len(),
            lines: bytes.split_inclusive(|&byte| byte == b'\n').count(),
            byte_order_mark: bytes.starts_with(BOM),
            carriage_returns: memchr::memmem::find_iter(bytes, b"\r\n").count(),
            ..Report::default()
        };
        let mut names: HashMap<String, (Vec<usize>, bool)> = HashMap::new();
        let mut relations = Vec::new();
        walk(bytes, |part, observations| {
            progress(part.end);
            match part.found {
                Found::Blank => report.blank_lines += 1,
                Found::Bad(_) => report.bad_lines.extend(Bad::of(&part, bytes)),
                Found::Record(record) => {
                    report.record(bytes, &part, record, observations);
                    match record.content {
                        line::Content::Entity { name, .. } => {
                            let (lines, lossy) =
                                names.entry(name.text(bytes).into_owned()).or_default();
                            lines.push(part.line);
                            *lossy |= is_lossy(name.bytes(bytes));
                        }
                        line::Content::Relation {
                            from,
                            to,
                            relation_type,
                        } => relations.push((part.line, [from, to, relation_type])),
                        line::Content::Other => {}
                    }
                }
            }
        });
        for (line, parts) in relations {
            let [from, to, relation_type] = parts.map(|raw| raw.text(bytes));
            let mut missing: Vec<String> = [&from, &to]
                .into_iter()
                .filter(|name| !names.contains_key(&***name))
                .map(|name| name.clone().into_owned())
                .collect();
            missing.dedup();
            if !missing.is_empty() {
                report.dangling_relations.push(Dangling {
                    line,
                    from: from.into_owned(),
                    to: to.into_owned(),
                    relation_type: relation_type.into_owned(),
                    missing,
                });
            }
        }
        report.duplicate_entities = names
            .into_iter()
            .filter(|(_, (lines, _))| lines.len() > 1)
            .map(|(name, (lines, lossy))| Duplicate { name, lines, lossy })
            .collect();
        report
            .duplicate_entities
            .sort_by_key(|duplicate| duplicate.lines[0]);
        if !report.bad_lines.is_empty() || !report.untyped_records.is_empty() {
            report.ask_repair(bytes);
        }
        report
    }

    /// All there is to say of a file of so many bytes, which nothing reads.
    fn too_large(bytes: usize, bad: BadLine) -> Report {
        Report {
            bytes,
            bad_lines: vec![Bad {
                line: bad.line,
                last_line: bad.line,
                column: bad.column,
                kind: "too large",
                reason: bad.reason,
                saved: 0,
                set_aside: 0,
            }],
            too_large: true,
            ..Report::default()
        }
    }

    /// Says of each bad line what repair would make of it, by repair's own
    /// plan, and what the file would hold then. What is true only until then
    /// is not noted.
    fn ask_repair(&mut self, bytes: &[u8]) {
        let plan = plan(bytes, false);
        for (bad, step) in self.bad_lines.iter_mut().zip(&plan.steps) {
            bad.saved = step.saved;
            bad.set_aside = step.rejected;
        }
        self.saves_nothing = plan.saves_nothing();
        let mut after = Counts::default();
        let mut names = HashSet::new();
        walk(&plan.output, |part, observations| {
            if let Found::Record(record) = part.found {
                after.add(&record, observations);
                if let line::Content::Entity { name, .. } = record.content {
                    names.insert(name.text(&plan.output).into_owned());
                }
            }
        });
        self.after_repair = Some(after);
        for relation in &mut self.dangling_relations {
            relation.missing.retain(|name| !names.contains(name));
        }
        self.dangling_relations
            .retain(|relation| !relation.missing.is_empty());
    }

    /// Whether there is something in the file, and neither an entity nor a
    /// relation among it, not even after a repair.
    pub fn is_without_memory(&self) -> bool {
        let something = !self.bad_lines.is_empty() || self.counts.unknown_records > 0;
        something && self.after_repair.as_ref().unwrap_or(&self.counts).memory() == 0
    }

    fn record(&mut self, bytes: &[u8], part: &Part, record: Record, observations: &[RawString]) {
        let mut strings = Vec::new();
        self.counts.add(&record, observations);
        match record.content {
            line::Content::Entity {
                name, entity_type, ..
            } => {
                strings.push(name);
                strings.extend(entity_type);
                strings.extend(observations);
            }
            line::Content::Relation {
                from,
                to,
                relation_type,
            } => strings.extend([from, to, relation_type]),
            line::Content::Other => {
                self.unknown_records.push(part.line);
                if with_type(&bytes[record.start..record.end]).is_some() {
                    self.untyped_records.push(part.line);
                }
            }
        }
        let mut lossy = strings.iter().filter(|raw| is_lossy(raw.bytes(bytes)));
        if let Some(first) = lossy.next() {
            self.lossy_text.push(Lossy {
                line: part.line,
                column: column(bytes, first.start),
                strings: 1 + lossy.count(),
            });
        }
    }
}

impl Bad {
    fn of(part: &Part, bytes: &[u8]) -> Option<Bad> {
        let BadLine {
            line,
            column,
            reason,
        } = part.bad_line(bytes)?;
        let Found::Bad(fault) = &part.found else {
            return None;
        };
        Some(Bad {
            line,
            last_line: part.last_line,
            column,
            kind: match fault.kind {
                FaultKind::CutOff => "cut off",
                FaultKind::MoreBehind => "several records on a line",
                FaultKind::Array | FaultKind::GraphObject => "whole document",
                FaultKind::Spread => "record over several lines",
                FaultKind::Utf16 => "encoding",
                FaultKind::Conflict => "git conflict",
                FaultKind::Shape => "no record",
                FaultKind::NotJson => "not JSON",
            },
            reason,
            saved: 0,
            set_aside: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::format::document::MAX_BYTES;

    #[test]
    fn a_file_larger_than_is_read_is_a_bad_line() {
        assert_eq!(too_large(MAX_BYTES), None);
        let bad = too_large(MAX_BYTES + 1).unwrap();
        let report = Report::too_large(MAX_BYTES + 1, bad);
        assert!(report.too_large);
        assert_eq!(
            report.bad_lines[0].reason,
            "the file has 2147483649 bytes, more than the 2147483648 that can be read"
        );
    }
}
