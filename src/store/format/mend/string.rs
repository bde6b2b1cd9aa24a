//! Strings in whatever quotes.
//!
//! A quote of another shape than `"` may end a string, or may be part of what
//! it says. It ends it where JSON could go on behind it; and a string that
//! seems to hold the beginning of another record was cut off, and is none.

use super::{Glyph, Mend, Mender, glyph};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    /// `"`
    Plain,
    Double,
    Single,
}

impl Mender<'_> {
    /// Reads a string that is a key or a value.
    pub(super) fn string(&mut self, is_key: bool) -> Option<()> {
        let (quote, length) = match (self.peek()?, self.glyph()) {
            (b'"', _) => (Quote::Plain, 1),
            (_, Some((Glyph::Double, length))) => (Quote::Double, length),
            (_, Some((Glyph::Single, length))) => (Quote::Single, length),
            _ => return None,
        };
        self.replace_quote(length);
        loop {
            match self.peek()? {
                b'"' if quote == Quote::Single => {
                    self.text.extend_from_slice(b"\\\"");
                    self.at += 1;
                }
                b'"' => {
                    self.push(1);
                    return Some(());
                }
                b'\\' => self.escape(quote)?,
                b'{' if quote != Quote::Plain && self.a_quote_follows(self.at + 1) => return None,
                control @ 0..0x20 => self.control(control),
                b'\'' | 0x80.. => {
                    let (found, length) = glyph(self.bytes, self.at);
                    if self.may_end(quote, found) && self.json_goes_on(self.at + length, is_key) {
                        self.replace_quote(length);
                        return Some(());
                    }
                    self.push(length);
                }
                _ => self.push(1),
            }
        }
    }

    /// Steps over a quote and writes a plain one.
    fn replace_quote(&mut self, length: usize) {
        match self.bytes[self.at] {
            b'"' => {}
            b'\'' => {
                self.mends.insert(Mend::SingleQuotes);
            }
            _ => {
                self.mends.insert(Mend::TypographicQuotes);
            }
        }
        self.at += length;
        self.text.push(b'"');
    }

    fn may_end(&self, quote: Quote, found: Glyph) -> bool {
        match quote {
            Quote::Plain => self.plain_ends_with_any && found == Glyph::Double,
            Quote::Double => found == Glyph::Double,
            Quote::Single => found == Glyph::Single,
        }
    }

    /// Whether what stands at `at`, behind blanks, is what JSON has behind a
    /// key or a value.
    fn json_goes_on(&self, mut at: usize, is_key: bool) -> bool {
        loop {
            let (byte, length) = match self.bytes.get(at) {
                None => return false,
                Some(0x80..) => match glyph(self.bytes, at) {
                    (Glyph::Wide(byte), length) => (byte, length),
                    (Glyph::Blank, length) => (b' ', length),
                    _ => return false,
                },
                Some(&byte) => (byte, 1),
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => at += length,
                b':' => return is_key,
                b',' | b']' | b'}' => return !is_key,
                _ => return false,
            }
        }
    }

    fn a_quote_follows(&self, at: usize) -> bool {
        match self.bytes.get(at) {
            Some(b'"') => true,
            Some(b'\'' | 0x80..) => {
                matches!(glyph(self.bytes, at).0, Glyph::Double | Glyph::Single)
            }
            _ => false,
        }
    }

    /// Writes a control character as JSON does.
    fn control(&mut self, control: u8) {
        let is_line_end = matches!(control, b'\r' | b'\n');
        self.mends.insert(if is_line_end {
            Mend::LineEnds
        } else {
            Mend::Controls
        });
        self.text.extend_from_slice(escaped(control).as_bytes());
        self.at += 1;
    }

    /// Reads a backslash and what it escapes.
    fn escape(&mut self, quote: Quote) -> Option<()> {
        let next = *self.bytes.get(self.at + 1)?;
        let digits = |from: usize, count: usize| {
            let digits = self.bytes.get(self.at + from..self.at + from + count);
            digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        };
        match next {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.push(2),
            b'u' if digits(2, 4).is_some() => self.push(6),
            // Python's own escapes, in its own quotes.
            b'\'' if quote == Quote::Single => {
                self.text.push(b'\'');
                self.at += 2;
            }
            b'x' if quote == Quote::Single && digits(2, 2).is_some() => {
                self.text.extend_from_slice(b"\\u00");
                self.at += 2;
                self.push(2);
            }
            0x80.. if quote == Quote::Double => match glyph(self.bytes, self.at + 1) {
                // An escaped quote that was changed like all others.
                (Glyph::Double, length) => {
                    self.text.extend_from_slice(b"\\\"");
                    self.at += 1 + length;
                }
                _ => self.double(),
            },
            _ => self.double(),
        }
        Some(())
    }

    fn double(&mut self) {
        self.text.extend_from_slice(b"\\\\");
        self.at += 1;
        self.mends.insert(Mend::Backslashes);
    }
}

fn escaped(control: u8) -> String {
    let mut text = String::new();
    crate::json::escape_into(char::from(control).encode_utf8(&mut [0; 4]), &mut text);
    text.trim_matches('"').to_owned()
}
