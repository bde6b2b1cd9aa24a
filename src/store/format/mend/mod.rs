//! Text that is JSON but for what word processors, hands and other languages'
//! printers make of it: read once more, with forbearance, and written as JSON.
//!
//! The text comes out as it is but for what had to be changed, and what that
//! was is told. Wherever the text could be meant in two ways it is not mended:
//! a record that is set aside can still be read by a person, one that was
//! guessed wrong looks right.

mod glyph;
mod string;

use std::collections::BTreeSet;

use crate::json::{Kind, Scanner};
pub use glyph::{Glyph, glyph};

/// A sort of change that makes JSON of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mend {
    /// `"` for a quote of another shape.
    TypographicQuotes,
    /// `"` for `'`.
    SingleQuotes,
    /// A blank that JSON does not know, or an invisible mark, left out.
    Blanks,
    /// A line end inside a string, escaped.
    LineEnds,
    /// Another control character inside a string, escaped.
    Controls,
    /// A backslash that begins no escape, doubled.
    Backslashes,
    /// A comma with nothing behind it, left out.
    Commas,
    /// `:` for `：` and the like.
    WidePunctuation,
    /// `-` for a dash.
    Dashes,
    /// `NaN` and `Infinity`, which are no JSON numbers, as strings.
    NotANumber,
    /// `true`, `false` and `null` for Python's words.
    PythonWords,
}

impl Mend {
    /// What was mended, as the end of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Mend::TypographicQuotes => "typographic quotes",
            Mend::SingleQuotes => "single quotes",
            Mend::Blanks => "blanks that JSON does not know",
            Mend::LineEnds => "line ends inside strings",
            Mend::Controls => "raw control characters",
            Mend::Backslashes => "backslashes that begin no escape",
            Mend::Commas => "commas too many",
            Mend::WidePunctuation => "full-width punctuation",
            Mend::Dashes => "dashes in place of minus signs",
            Mend::NotANumber => "NaN or Infinity, now in quotes",
            Mend::PythonWords => "True, False or None",
        }
    }
}

/// What was changed in a text, each sort once.
pub type Mends = BTreeSet<Mend>;

/// "typographic quotes, commas too many"
pub fn words(mends: &Mends) -> String {
    let words: Vec<&str> = mends.iter().map(|mend| mend.words()).collect();
    words.join(", ")
}

/// A text made JSON.
#[derive(Debug)]
pub struct Mended {
    /// The array or object.
    pub text: Vec<u8>,
    /// Which of the two.
    pub kind: Kind,
    /// Where the original ends.
    pub end: usize,
    /// What was changed.
    pub mends: Mends,
}

/// Mends the array or object that begins at `bytes[at]`.
///
/// # Errors
/// How many bytes were read in vain.
pub fn mend(bytes: &[u8], at: usize) -> Result<Mended, usize> {
    let mut read = 0;
    // A text in which only one quote of a pair was changed reads the second
    // way only; one that quotes somebody inside plain quotes the first.
    for plain_ends_with_any in [false, true] {
        let mut mender = Mender {
            bytes,
            at,
            text: Vec::new(),
            mends: Mends::new(),
            plain_ends_with_any,
        };
        if let Some(kind) = mender.nested() {
            return Ok(Mended {
                text: mender.text,
                kind,
                end: mender.at,
                mends: mender.mends,
            });
        }
        read += mender.at - at;
    }
    Err(read)
}

/// Whether an array or object may begin at `bytes[at]`.
pub fn opens(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'{' | b'[' => true,
        0x80.. => matches!(glyph(bytes, at).0, Glyph::Wide(b'{' | b'[')),
        _ => false,
    }
}

struct Mender<'a> {
    bytes: &'a [u8],
    at: usize,
    text: Vec<u8>,
    mends: Mends,
    /// Whether a string that begins with `"` may end with a typographic quote.
    plain_ends_with_any: bool,
}

impl Mender<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The glyph at the cursor, where no plain ASCII stands.
    fn glyph(&self) -> Option<(Glyph, usize)> {
        match self.peek()? {
            b'\'' | 0x80.. => Some(glyph(self.bytes, self.at)),
            _ => None,
        }
    }

    fn push(&mut self, length: usize) {
        let end = self.at + length;
        self.text.extend_from_slice(&self.bytes[self.at..end]);
        self.at = end;
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.push(1),
                Some(b'\x0B' | b'\x0C' | 0) => {
                    self.at += 1;
                    self.mends.insert(Mend::Blanks);
                }
                _ => match self.glyph() {
                    Some((Glyph::Blank, length)) => {
                        self.at += length;
                        self.mends.insert(Mend::Blanks);
                    }
                    _ => return,
                },
            }
        }
    }

    /// Steps over this character of JSON's, in whatever width, without writing
    /// it.
    fn eat(&mut self, byte: u8) -> bool {
        if self.peek() == Some(byte) {
            self.at += 1;
            return true;
        }
        match self.glyph() {
            Some((Glyph::Wide(wide), length)) if wide == byte => {
                self.at += length;
                self.mends.insert(Mend::WidePunctuation);
                true
            }
            _ => false,
        }
    }

    /// Steps over the character and writes it.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.eat(byte);
        if found {
            self.text.push(byte);
        }
        found
    }

    /// An array or object, without recursion: `open` holds the closing
    /// brackets that are still to come.
    fn nested(&mut self) -> Option<Kind> {
        let mut open: Vec<u8> = Vec::new();
        let mut kind = None;
        loop {
            let opens = if self.take(b'[') {
                Some((b']', Kind::Array))
            } else if self.take(b'{') {
                Some((b'}', Kind::Object))
            } else {
                None
            };
            match opens {
                Some((closing, sort)) => {
                    kind = kind.or(Some(sort));
                    self.skip_blanks();
                    if !self.take(closing) {
                        open.push(closing);
                        if closing == b'}' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                None if open.is_empty() => return None,
                None => self.scalar()?,
            }
            // A value is complete: close what ends here, or go on behind a
            // comma.
            loop {
                let Some(&closing) = open.last() else {
                    return kind;
                };
                self.skip_blanks();
                if self.take(closing) {
                    open.pop();
                    continue;
                }
                if !self.eat(b',') {
                    return None;
                }
                let comma = self.text.len();
                self.text.push(b',');
                self.skip_blanks();
                while self.eat(b',') {
                    self.mends.insert(Mend::Commas);
                    self.skip_blanks();
                }
                if self.take(closing) {
                    self.text.remove(comma);
                    self.mends.insert(Mend::Commas);
                    open.pop();
                    continue;
                }
                if closing == b'}' {
                    self.key()?;
                }
                break;
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        self.string(true)?;
        self.skip_blanks();
        self.take(b':').then_some(())?;
        self.skip_blanks();
        Some(())
    }

    fn scalar(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        for (word, json, mend) in [
            (&b"True"[..], "true", Mend::PythonWords),
            (b"False", "false", Mend::PythonWords),
            (b"None", "null", Mend::PythonWords),
            (b"NaN", "\"NaN\"", Mend::NotANumber),
            (b"Infinity", "\"Infinity\"", Mend::NotANumber),
            (b"-Infinity", "\"-Infinity\"", Mend::NotANumber),
        ] {
            if rest.starts_with(word) {
                self.at += word.len();
                self.text.extend_from_slice(json.as_bytes());
                self.mends.insert(mend);
                return Some(());
            }
        }
        match (self.peek()?, self.glyph()) {
            (b'"', _) | (_, Some((Glyph::Double | Glyph::Single, _))) => return self.string(false),
            (_, Some((Glyph::Minus, length))) if matches!(rest.get(length), Some(b'0'..=b'9')) => {
                self.at += length;
                self.text.push(b'-');
                self.mends.insert(Mend::Dashes);
            }
            _ => {}
        }
        let mut scanner = Scanner::new(self.bytes, self.at);
        let read = scanner.value();
        let length = scanner.at() - self.at;
        read.ok()?;
        self.push(length);
        Some(())
    }
}

#[cfg(test)]
mod tests;
