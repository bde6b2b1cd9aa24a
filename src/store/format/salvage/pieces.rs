//! Pieces of JSON text that was read before: the elements of an array, the
//! members of an object, a record on one line.

use super::super::line::{Content, Fault, is_blank, read_record};
use super::super::mend::{Glyph, glyph};
use crate::json::{RawString, Scanner};

/// What a complete value says as a record.
pub(super) fn read(value: &[u8]) -> Result<Content, Fault> {
    let mut scanner = Scanner::new(value, 0);
    read_record(value, &mut scanner, &mut Vec::new()).map(|record| record.content)
}

/// Skips what may stand between two records that share a line: commas, and
/// blanks of all sorts, also those that cannot be seen.
pub(super) fn skip_separators(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        at += match bytes[at] {
            b',' => 1,
            0x80.. => match glyph(bytes, at) {
                (Glyph::Blank, length) => length,
                _ => break,
            },
            // No blank of ASCII takes more than one byte.
            _ if is_blank(&bytes[at..=at]) => 1,
            _ => break,
        };
    }
    at
}

/// The places of the values in a complete array.
pub(super) fn elements(array: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new(array, 1);
    scanner.skip_space();
    while !scanner.eat(b']') {
        let start = scanner.at();
        scanner.value().expect("the array was read before");
        found.push((start, scanner.at()));
        scanner.skip_space();
        scanner.eat(b',');
        scanner.skip_space();
    }
    found
}

/// The keys of a complete object with the places of their values.
pub(super) fn members(object: &[u8]) -> Vec<(RawString, usize, usize)> {
    let mut found = Vec::new();
    if object.first() != Some(&b'{') {
        return found;
    }
    let mut scanner = Scanner::new(object, 1);
    scanner.skip_space();
    while !scanner.eat(b'}') {
        let key = scanner.key().expect("the object was read before");
        let start = scanner.at();
        scanner.value().expect("the object was read before");
        found.push((key, start, scanner.at()));
        scanner.skip_space();
        scanner.eat(b',');
        scanner.skip_space();
    }
    found
}

/// A record without the line ends between its tokens, and then without the
/// blanks that went with them.
pub(super) fn on_one_line(record: &[u8]) -> Vec<u8> {
    if !record.contains(&b'\n') {
        return record.to_vec();
    }
    let mut line = Vec::with_capacity(record.len());
    let mut at = 0;
    while at < record.len() {
        match record[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'"' => {
                let mut scanner = Scanner::new(record, at);
                scanner.string().expect("the record was read before");
                line.extend_from_slice(&record[at..scanner.at()]);
                at = scanner.at();
            }
            other => {
                line.push(other);
                at += 1;
            }
        }
    }
    line
}
