//! Stretches of UTF-16 in a file that should be UTF-8: all of it, as some
//! editors save, or lines that a shell on Windows appended with `>>`, with a
//! byte order mark or without.

use memchr::memchr;

/// A stretch of UTF-16.
#[derive(Debug, Clone, Copy)]
pub struct Utf16 {
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last one: behind a line end of its own, or where the
    /// file ends or UTF-8 goes on.
    pub end: usize,
    unit: ReadUnit,
}

type ReadUnit = fn([u8; 2]) -> u16;

impl Utf16 {
    /// The stretch that begins on the line `bytes[start..end]`, which cannot be
    /// read; perhaps behind something else, since many programs leave out the
    /// file's last line end.
    pub fn find(bytes: &[u8], start: usize, end: usize) -> Option<Utf16> {
        let mut candidates: Vec<(usize, ReadUnit)> = Vec::new();
        match bytes[start..] {
            [0xFF, 0xFE, ..] => candidates.push((start, u16::from_le_bytes)),
            [0xFE, 0xFF, ..] => candidates.push((start, u16::from_be_bytes)),
            _ => {}
        }
        if let Some(nul) = memchr(0, &bytes[start..end]) {
            let nul = start + nul;
            let before = |mark: &[u8], at: usize| {
                let at = at.checked_sub(start)?;
                let marked = bytes[start..start + at].ends_with(mark);
                Some(start + at - if marked { mark.len() } else { 0 })
            };
            let little = nul.checked_sub(1).and_then(|at| before(b"\xFF\xFE", at));
            let big = before(b"\xFE\xFF", nul);
            candidates.extend(little.map(|at| (at, u16::from_le_bytes as ReadUnit)));
            candidates.extend(big.map(|at| (at, u16::from_be_bytes as ReadUnit)));
        }
        candidates
            .into_iter()
            .map(|(start, unit)| Utf16 {
                start,
                end: bytes.len(),
                unit,
            })
            .find(|found| found.begins_like_json(bytes))
            .map(|found| found.up_to_its_end(bytes))
    }

    /// The text as UTF-8. A half of a surrogate pair without the other becomes
    /// its escape, which says the same in a JSON string; an odd last byte stays.
    pub fn decode(&self, bytes: &[u8]) -> Vec<u8> {
        let bytes = &bytes[self.start..self.end];
        let (pairs, odd) = bytes.as_chunks::<2>();
        let mut text = Vec::with_capacity(bytes.len());
        for character in char::decode_utf16(pairs.iter().map(|&pair| (self.unit)(pair))) {
            match character {
                Ok(character) => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Err(half) => {
                    let half = format!("\\u{:04x}", half.unpaired_surrogate());
                    text.extend_from_slice(half.as_bytes());
                }
            }
        }
        text.extend_from_slice(odd);
        text
    }

    fn at(&self, bytes: &[u8], at: usize) -> Option<u16> {
        let pair = bytes.get(at..)?.first_chunk::<2>()?;
        Some((self.unit)(*pair))
    }

    /// Whether the first characters, behind a mark, are ASCII, and the very
    /// first one such as a record begins with.
    fn begins_like_json(&self, bytes: &[u8]) -> bool {
        let mark = usize::from(self.at(bytes, self.start) == Some(0xFEFF)) * 2;
        let first: Vec<u16> = (0..4)
            .map_while(|place| self.at(bytes, self.start + mark + 2 * place))
            .collect();
        let is_ascii = first.iter().all(|&unit| (1..0x80).contains(&unit));
        let begins = first.first().and_then(|&unit| u8::try_from(unit).ok());
        let begins = begins.is_some_and(|byte| b"{[\"\t\r\n ".contains(&byte) || mark > 0);
        first.len() > 1 && is_ascii && begins
    }

    fn up_to_its_end(self, bytes: &[u8]) -> Utf16 {
        let mut at = self.start;
        while let Some(unit) = self.at(bytes, at) {
            at += 2;
            if unit == u16::from(b'\n') && !self.goes_on(bytes, at) {
                return Utf16 { end: at, ..self };
            }
            // Of what follows in UTF-8 nothing may be taken for UTF-16, also
            // behind half a character.
            let is_half = bytes.get(at).is_some_and(|&byte| byte != 0);
            let last = at + usize::from(is_half);
            if let Some(end) = (at..=last).find(|&end| utf8_begins(bytes, end)) {
                return Utf16 { end, ..self };
            }
        }
        self
    }

    /// Whether the line at `at` is UTF-16 too: one in UTF-8 holds no NUL.
    fn goes_on(&self, bytes: &[u8], at: usize) -> bool {
        let line = &bytes[at..bytes.len().min(at + 64)];
        let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
        let first = self.at(bytes, at);
        first.is_some_and(|unit| unit < 0x80) || memchr(0, line).is_some()
    }
}

/// Whether the text goes on in UTF-8 here. UTF-16 of a JSON text has a NUL in
/// most places; where it has none, in Chinese for instance, its bytes are good
/// UTF-8 for so long by an accident that does not happen.
fn utf8_begins(bytes: &[u8], at: usize) -> bool {
    const LONG: usize = 32;
    let window = bytes
        .get(at..bytes.len().min(at + LONG))
        .unwrap_or_default();
    let is_text = |text: &[u8]| {
        text.iter().all(|&byte| byte >= b' ' || byte == b'\n')
            && memchr::memchr_iter(b'\n', text).count() <= 2
    };
    let is_utf8 = |text: &[u8]| match std::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    !window.is_empty() && is_text(window) && is_utf8(window)
}
