//! Bad lines taken apart: values one after the other, what is good in them, and
//! garbage.

use super::super::line::{Content, FaultKind, read_record};
use super::super::mend::{self, mend};
use super::Salvager;
use super::pieces::{elements, members, on_one_line, read, skip_separators};
use super::typed::{Context, Typed, add_type};
use crate::json::{Kind, Scanner};

impl Salvager {
    /// Takes apart the bad lines `bytes[start..end]`: JSON values one after the
    /// other, commas or blanks between them, and garbage.
    pub(super) fn part(&mut self, bytes: &[u8], start: usize, end: usize) {
        let bytes = &bytes[..end];
        let mut at = start;
        // A line of nothing but beginnings must not take for ever.
        let mut budget = 16 * (end - start) + 4096;
        loop {
            at = skip_separators(bytes, at);
            if at == end {
                return;
            }
            let mut scanner = Scanner::new(bytes, at);
            let value = match bytes[at] {
                b'{' | b'[' if budget > 0 => scanner.value().ok(),
                _ => None,
            };
            budget = budget.saturating_sub(scanner.at() - at + 1);
            if let Some(kind) = value {
                self.value(&bytes[at..scanner.at()], kind);
                at = scanner.at();
            } else if budget > 0
                && let Some(behind) = self.mended(bytes, at, &mut budget)
            {
                at = behind;
            } else if budget > 0
                && let Some(inside) = self.unfinished_array(bytes, at)
            {
                at = inside;
            } else {
                let good = good_tail(bytes, at + 1).unwrap_or(end);
                self.reject(&bytes[at..good]);
                at = good;
            }
        }
    }

    /// An array or object that is JSON once it is mended. Gives the place behind
    /// it, if there is one.
    fn mended(&mut self, bytes: &[u8], at: usize, budget: &mut usize) -> Option<usize> {
        if !mend::opens(bytes, at) {
            return None;
        }
        match mend(bytes, at) {
            Ok(mended) => {
                let is_object = mended.kind == Kind::Object;
                match read(&mended.text) {
                    // What is no record even so keeps its own bytes.
                    Err(fault) if is_object && fault.kind != FaultKind::GraphObject => {
                        self.reject(&bytes[at..mended.end]);
                    }
                    _ => {
                        self.value(&mended.text, mended.kind);
                        self.mends.extend(mended.mends);
                    }
                }
                *budget = budget.saturating_sub(mended.end - at);
                Some(mended.end)
            }
            Err(read) => {
                *budget = budget.saturating_sub(read);
                None
            }
        }
    }

    /// The complete records at the start of an array that is not complete.
    /// Gives the place behind them, if there were any.
    fn unfinished_array(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let mut scanner = Scanner::new(bytes, start);
        if !scanner.eat(b'[') {
            return None;
        }
        let mut behind = None;
        loop {
            scanner.skip_space();
            let at = scanner.at();
            if scanner.peek() != Some(b'{') || scanner.value().is_err() {
                return behind;
            }
            self.element(&bytes[at..scanner.at()], Context::Any);
            behind = Some(scanner.at());
            scanner.skip_space();
            if !scanner.eat(b',') {
                return behind;
            }
        }
    }

    /// A complete array or object.
    fn value(&mut self, value: &[u8], kind: Kind) {
        if kind == Kind::Object {
            return self.element(value, Context::Any);
        }
        for (start, end) in elements(value) {
            self.element(&value[start..end], Context::Any);
        }
    }

    /// A complete value that should be a record, or a whole graph.
    fn element(&mut self, value: &[u8], context: Context) {
        match read(value) {
            Ok(Content::Other) => match add_type(value, context) {
                Typed::Record(record) => self.keep(&on_one_line(&record)),
                Typed::Unknown => self.keep(&on_one_line(value)),
                Typed::Neither => self.reject(value),
            },
            Ok(_) => self.keep(&on_one_line(value)),
            Err(fault) if fault.kind == FaultKind::GraphObject && context != Context::Any => {
                self.reject(value);
            }
            Err(fault) if fault.kind == FaultKind::GraphObject => self.graph(value),
            Err(_) => self.reject(value),
        }
    }

    /// `{"entities": […], "relations": […]}`, and whatever else it holds.
    fn graph(&mut self, value: &[u8]) {
        for (key, start, end) in members(value) {
            let member = &value[start..end];
            let context = match &*key.text(value) {
                "entities" => Context::Entities,
                "relations" => Context::Relations,
                _ => {
                    self.reject(&[b"{", &value[key.start - 1..end], b"}"].concat());
                    continue;
                }
            };
            if member.first() != Some(&b'[') {
                self.reject(&[b"{", &value[key.start - 1..end], b"}"].concat());
                continue;
            }
            for (start, end) in elements(member) {
                self.element(&member[start..end], context);
            }
        }
    }
}

/// The place, from `from` on, from which there is nothing but whole entities
/// and relations up to the end: what another process appended to a line that
/// was cut off.
fn good_tail(bytes: &[u8], from: usize) -> Option<usize> {
    // See above.
    let mut budget = 16 * (bytes.len() - from) + 4096;
    for brace in memchr::memchr_iter(b'{', &bytes[from..]) {
        let start = from + brace;
        let mut at = start;
        loop {
            at = skip_separators(bytes, at);
            if at == bytes.len() {
                return Some(start);
            }
            let mut scanner = Scanner::new(bytes, at);
            let record = read_record(bytes, &mut scanner, &mut Vec::new());
            budget = budget.saturating_sub(scanner.at() - at + 1);
            match record {
                Ok(record) if record.content != Content::Other => at = record.end,
                _ => break,
            }
        }
        if budget == 0 {
            return None;
        }
    }
    None
}
