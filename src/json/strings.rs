//! What stands between the quotes of a JSON string, decoded and encoded.

use std::borrow::Cow;

/// A string token: the bytes between the quotes, as they stand in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawString {
    /// Offset of the first byte after the opening quote.
    pub start: usize,
    /// Offset of the closing quote.
    pub end: usize,
    /// Whether there is a backslash in between.
    pub escaped: bool,
}

impl RawString {
    /// The bytes between the quotes; `bytes` is the input it was found in.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..self.end]
    }

    /// The text, decoded as [`unescape`] does.
    pub fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let raw = self.bytes(bytes);
        if self.escaped {
            Cow::Owned(unescape(raw))
        } else {
            String::from_utf8_lossy(raw)
        }
    }
}

/// Decodes what stands between the quotes of a string that [`Scanner::string`](super::Scanner::string)
/// accepted. Surrogate pairs are joined; each lone surrogate, and whatever is
/// not UTF-8 (as [`String::from_utf8_lossy`] counts it), becomes U+FFFD.
pub fn unescape(raw: &[u8]) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(backslash) = memchr::memchr(b'\\', rest) {
        text.push_str(&String::from_utf8_lossy(&rest[..backslash]));
        let letter = rest.get(backslash + 1).copied().unwrap_or(b'\\');
        rest = rest.get(backslash + 2..).unwrap_or_default();
        match letter {
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'n' => text.push('\n'),
            b'r' => text.push('\r'),
            b't' => text.push('\t'),
            b'u' => {
                let unit = code_unit(rest);
                rest = rest.get(4..).unwrap_or_default();
                text.push(character(unit, &mut rest));
            }
            quoted => text.push(char::from(quoted)),
        }
    }
    text.push_str(&String::from_utf8_lossy(rest));
    text
}

/// Whether [`unescape`] shows something as U+FFFD that is something else in
/// the input: a lone surrogate, or bytes that are not UTF-8.
pub fn is_lossy(raw: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(raw) else {
        return true;
    };
    let shown = |text: &str| text.matches(char::REPLACEMENT_CHARACTER).count();
    let mut written = shown(text);
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        let escape = rest.get(backslash + 1..backslash + 6);
        written += usize::from(escape.is_some_and(|escape| escape.eq_ignore_ascii_case("ufffd")));
        // The escaped character is one byte: the grammar allows no other.
        rest = rest.get(backslash + 2..).unwrap_or_default();
    }
    shown(&unescape(raw)) > written
}

/// The character that `unit` begins; takes the low half of a pair from `rest`.
fn character(unit: u32, rest: &mut &[u8]) -> char {
    if (0xD800..0xDC00).contains(&unit) && rest.starts_with(b"\\u") {
        let low = code_unit(&rest[2..]);
        if (0xDC00..0xE000).contains(&low) {
            *rest = rest.get(6..).unwrap_or_default();
            let joined = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return char::from_u32(joined).expect("two surrogate halves make a character");
        }
    }
    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Four hexadecimal digits.
fn code_unit(digits: &[u8]) -> u32 {
    digits.iter().take(4).fold(0, |unit, &digit| {
        unit * 16 + char::from(digit).to_digit(16).unwrap_or(0)
    })
}

/// Writes `text` as a JSON string, quotes included, byte for byte as
/// JavaScript's `JSON.stringify` does: short escapes where there are any,
/// other control characters as lower-case `\u00xx`, everything else as it is.
pub fn escape_into(text: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push('"');
    let mut written = 0;
    loop {
        let stop = string_stop(text.as_bytes(), written);
        out.push_str(&text[written..stop]);
        let Some(&byte) = text.as_bytes().get(stop) else {
            break;
        };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x09 => out.push_str("\\t"),
            0x0A => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            0x0D => out.push_str("\\r"),
            control => {
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(control >> 4)]));
                out.push(char::from(HEX[usize::from(control & 15)]));
            }
        }
        written = stop + 1;
    }
    out.push('"');
}

/// The offset, from `at` on, of the first byte that cannot simply be part of a
/// string: a quote, a backslash or a control character; the length if there is
/// none. Eight bytes at a time, since most of a memory file is strings and
/// many of them are too short for a vectorised search to pay.
#[inline]
pub(super) fn string_stop(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // In each byte's high bit: whether it is zero, exact up to the first hit.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let backslash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let hits = (quote | backslash | control) & HIGH;
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        at += 1;
    }
    at
}
