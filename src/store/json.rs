//! JSON over bytes: finds where the tokens are, decodes and writes strings.
//! What the tokens mean in a memory file is `line.rs`'s business.
//!
//! Why not serde_json: a record keeps its bytes, so the reader needs to know
//! *where* each string stands, escaped ones too, and serde_json hands out a
//! place only for strings without escapes. It also rejects lone surrogates and
//! text that is not UTF-8, which the memory file may hold
//! (docs/behaviour.md, "The memory file"), accepts raw control characters in
//! ignored strings, which it may not, and counts its error columns in bytes.
//! Nesting is followed with a stack on the heap, so depth costs memory, not
//! the thread.

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

/// What kind of value stands somewhere, for error texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `"…"`
    String,
    /// `1`, `-2.5e3`
    Number,
    /// `true` or `false`
    Boolean,
    /// `null`
    Null,
    /// `[…]`
    Array,
    /// `{…}`
    Object,
}

impl Kind {
    /// With its article: "a string", "null", …
    pub fn words(self) -> &'static str {
        match self {
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Boolean => "a boolean",
            Kind::Null => "null",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// The input is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset of the place; the input's length when it ended too early.
    pub at: usize,
    /// What is wrong there, lower case, no full stop.
    pub reason: Cow<'static, str>,
}

impl JsonError {
    /// Boxed, so that the results of reading a token stay small: millions are
    /// read for each one that is wrong.
    fn new(at: usize, reason: impl Into<Cow<'static, str>>) -> Box<Self> {
        Box::new(JsonError {
            at,
            reason: reason.into(),
        })
    }
}

/// A cursor over JSON text. The methods that read a token expect the cursor on
/// its first byte and leave it behind its last.
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Starts at byte `at` of `bytes`; offsets stay those of `bytes`.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Scanner { bytes, at }
    }

    /// The cursor's byte offset.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The byte at the cursor, none at the end.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips what JSON allows between tokens.
    #[inline]
    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over `byte` if it is next.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over all of `text` if it is next.
    #[inline]
    pub fn eat_all(&mut self, text: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Steps over `byte`, or says that `wanted` was expected.
    #[inline]
    pub fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<(), Box<JsonError>> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.unexpected(wanted))
        }
    }

    /// Says that `wanted` was expected at the cursor.
    #[cold]
    pub fn unexpected(&self, wanted: &'static str) -> Box<JsonError> {
        let reason = match self.peek() {
            None => format!("the text ends where {wanted} was expected"),
            Some(_) => format!("expected {wanted}, found {}", self.here()),
        };
        JsonError::new(self.at, reason)
    }

    /// The character at the cursor, quoted, for error texts.
    fn here(&self) -> String {
        let rest = &self.bytes[self.at..self.bytes.len().min(self.at + 4)];
        let first = String::from_utf8_lossy(rest).chars().next();
        match first {
            None => "the end".to_owned(),
            Some(char::REPLACEMENT_CHARACTER) if !rest.starts_with("\u{FFFD}".as_bytes()) => {
                format!("the byte 0x{:02x}, which is not UTF-8", rest[0])
            }
            Some(c) if c == '`' || c.is_control() || (c.is_whitespace() && c != ' ') => {
                format!("U+{:04X}", u32::from(c))
            }
            Some('\u{FEFF}') => "U+FEFF".to_owned(),
            Some(c) => format!("`{c}`"),
        }
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> Result<RawString, Box<JsonError>> {
        self.expect(b'"', "a string in double quotes")?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at = string_stop(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => {
                    let end = self.at;
                    self.at += 1;
                    return Ok(RawString {
                        start,
                        end,
                        escaped,
                    });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(control) => {
                    return Err(JsonError::new(
                        self.at,
                        format!("control character U+{control:04X} in a string, not escaped"),
                    ));
                }
                None => return Err(JsonError::new(self.at, "the text ends inside a string")),
            }
        }
    }

    /// Reads a string whose opening quote is behind the cursor. None when it is
    /// no good one; [`string`](Self::string) then says why.
    #[inline]
    pub fn rest_of_string(&mut self) -> Option<RawString> {
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at = string_stop(self.bytes, self.at);
            match self.peek()? {
                b'"' => {
                    let end = self.at;
                    self.at += 1;
                    return Some(RawString {
                        start,
                        end,
                        escaped,
                    });
                }
                b'\\' => {
                    escaped = true;
                    self.escape().ok()?;
                }
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Box<JsonError>> {
        let start = self.at;
        let end = self.bytes.len();
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek() {
                        Some(digit) if digit.is_ascii_hexdigit() => self.at += 1,
                        Some(_) => {
                            return Err(JsonError::new(
                                start,
                                "\\u is not followed by four hexadecimal digits",
                            ));
                        }
                        None => return Err(JsonError::new(end, "the text ends inside a string")),
                    }
                }
            }
            Some(_) => {
                let reason = format!("a backslash before {} is no escape", self.here());
                return Err(JsonError::new(start, reason));
            }
            None => return Err(JsonError::new(end, "the text ends inside a string")),
        }
        Ok(())
    }

    /// Reads any value, checks it to its last byte and says of which kind it
    /// is.
    pub fn value(&mut self) -> Result<Kind, Box<JsonError>> {
        match self.peek() {
            Some(b'{' | b'[') => self.nested(),
            _ => self.scalar(),
        }
    }

    /// An array or object, without recursion: `open` holds the closing
    /// brackets that are still to come.
    fn nested(&mut self) -> Result<Kind, Box<JsonError>> {
        let kind = if self.peek() == Some(b'[') {
            Kind::Array
        } else {
            Kind::Object
        };
        let mut open: Vec<u8> = Vec::new();
        loop {
            // The cursor is on a value.
            match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    self.skip_space();
                    if !self.eat(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                Some(b'{') => {
                    self.at += 1;
                    self.skip_space();
                    if !self.eat(b'}') {
                        open.push(b'}');
                        self.key()?;
                        continue;
                    }
                }
                _ => {
                    self.scalar()?;
                }
            }
            // A value is complete: close what ends here, or go on behind a comma.
            loop {
                let Some(&closing) = open.last() else {
                    return Ok(kind);
                };
                self.skip_space();
                if self.eat(closing) {
                    open.pop();
                    continue;
                }
                if closing == b'}' {
                    self.expect(b',', "`,` or `}`")?;
                    self.skip_space();
                    self.key()?;
                } else {
                    self.expect(b',', "`,` or `]`")?;
                    self.skip_space();
                }
                break;
            }
        }
    }

    /// Reads a key, its colon and the blanks around it.
    #[inline]
    pub fn key(&mut self) -> Result<RawString, Box<JsonError>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.string()?;
        self.skip_space();
        self.expect(b':', "`:` after the key")?;
        self.skip_space();
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Kind, Box<JsonError>> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| Kind::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| Kind::Number),
            Some(b't') => self.literal("true").map(|()| Kind::Boolean),
            Some(b'f') => self.literal("false").map(|()| Kind::Boolean),
            Some(b'n') => self.literal("null").map(|()| Kind::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn literal(&mut self, word: &'static str) -> Result<(), Box<JsonError>> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else if word.as_bytes().starts_with(rest) {
            Err(JsonError::new(
                self.bytes.len(),
                format!("the text ends inside `{word}`"),
            ))
        } else {
            Err(self.unexpected("a value"))
        }
    }

    fn number(&mut self) -> Result<(), Box<JsonError>> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        } else if let Some(b'0'..=b'9') = self.peek() {
            return Err(JsonError::new(self.at, "a number must not start with 0"));
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Box<JsonError>> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected("a digit"));
        }
        Ok(())
    }
}

/// The offset, from `at` on, of the first byte that cannot simply be part of a
/// string: a quote, a backslash or a control character; the length if there is
/// none. Eight bytes at a time, since most of a memory file is strings and
/// many of them are too short for a vectorised search to pay.
#[inline]
fn string_stop(bytes: &[u8], mut at: usize) -> usize {
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

/// Decodes what stands between the quotes of a string that [`Scanner::string`]
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scan(bytes: &[u8]) -> Result<Kind, Box<JsonError>> {
        let mut scanner = Scanner::new(bytes, 0);
        scanner.skip_space();
        let kind = scanner.value()?;
        scanner.skip_space();
        if scanner.peek().is_some() {
            return Err(scanner.unexpected("the end"));
        }
        Ok(kind)
    }

    #[track_caller]
    fn wrong(input: &[u8], at: usize, reason: &str) {
        let error = scan(input).unwrap_err();
        assert_eq!((error.at, &*error.reason), (at, reason));
    }

    #[test]
    fn errors_say_where_and_what() {
        wrong(b"", 0, "the text ends where a value was expected");
        wrong(b"undefined", 0, "expected a value, found `u`");
        wrong(b"nul", 3, "the text ends inside `null`");
        wrong(b"nulx", 0, "expected a value, found `n`");
        wrong(b"01", 1, "a number must not start with 0");
        wrong(b"-", 1, "the text ends where a digit was expected");
        wrong(b"1.x", 2, "expected a digit, found `x`");
        wrong(b"[1 2]", 3, "expected `,` or `]`, found `2`");
        wrong(b"[1,]", 3, "expected a value, found `]`");
        wrong(b"{\"a\" 1}", 5, "expected `:` after the key, found `1`");
        wrong(b"{'a':1}", 1, "expected a key in double quotes, found `'`");
        wrong(
            b"{\"a\":1",
            6,
            "the text ends where `,` or `}` was expected",
        );
        wrong(b"[\"a", 3, "the text ends inside a string");
        wrong(b"\"\\", 2, "the text ends inside a string");
        wrong(b"\"\\u12", 5, "the text ends inside a string");
        wrong(b"\"\\x41\"", 1, "a backslash before `x` is no escape");
        wrong(
            b"\"\\u12x4\"",
            1,
            "\\u is not followed by four hexadecimal digits",
        );
        wrong(
            b"\"a\tb\"",
            2,
            "control character U+0009 in a string, not escaped",
        );
        wrong(
            b"\"12345678\x00\"",
            9,
            "control character U+0000 in a string, not escaped",
        );
        wrong(
            b"[\xFF]",
            1,
            "expected a value, found the byte 0xff, which is not UTF-8",
        );
        wrong("1\u{A0}".as_bytes(), 1, "expected the end, found U+00A0");
    }

    #[test]
    fn any_depth_is_read() {
        let deep = [vec![b'['; 200_000], vec![b']'; 200_000]].concat();
        assert_eq!(scan(&deep), Ok(Kind::Array));
        let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(scan(objects.as_bytes()), Ok(Kind::Object));
    }

    #[test]
    fn strings_need_not_be_utf8() {
        assert_eq!(scan(b"\"\xFF\xC3\""), Ok(Kind::String));
    }

    #[track_caller]
    fn decodes(raw: &[u8], text: &str) {
        assert_eq!(unescape(raw), text);
    }

    #[test]
    fn escapes_are_decoded() {
        decodes(br#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t");
        decodes(br"\u00e9A\u00E9", "éAé");
        decodes(br"\ud83d\ude00", "😀");
        decodes("é\\u0041é".as_bytes(), "éAé");
    }

    #[test]
    fn lone_surrogates_and_bad_utf8_become_replacement_characters() {
        decodes(br"\ud83d", "\u{FFFD}");
        decodes(br"\ude00\ud83d", "\u{FFFD}\u{FFFD}");
        decodes(br"\ud83d\ud83d\ude00", "\u{FFFD}😀");
        decodes(br"\ud83d\u0041", "\u{FFFD}A");
        decodes(b"a\xFFb\\nc\xE2\x82", "a\u{FFFD}b\nc\u{FFFD}");
    }

    #[test]
    fn lossy_is_what_is_shown_as_something_else() {
        for raw in [&b"\xFF"[..], br"\ud800", br"\\\udc00x", br"\ufffd\ud800"] {
            assert!(is_lossy(raw), "{}", raw.escape_ascii());
        }
        for raw in ["\u{FFFD}", r"\ufffd\uFFFD", r"\\ud800", r"\ud83d\ude00", ""] {
            assert!(!is_lossy(raw.as_bytes()), "{raw}");
        }
    }

    #[test]
    fn strings_are_written_as_json_stringify_does() {
        let mut out = String::new();
        escape_into(
            "a/\u{7f}\u{2028}é😀\u{8}\t\n\u{c}\r\"\\\u{0}\u{1f}\u{b}",
            &mut out,
        );
        assert_eq!(
            out,
            "\"a/\u{7f}\u{2028}é😀\\b\\t\\n\\f\\r\\\"\\\\\\u0000\\u001f\\u000b\""
        );
    }

    /// Pieces that make nearly valid JSON likely.
    fn json_like() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just(","),
            Just(":"),
            Just("\"a\""),
            Just("\"\\u12aF\\n\""),
            Just("\"\\ud800\""),
            Just("\""),
            Just("\\"),
            Just("-1"),
            Just("0"),
            Just("1e400"),
            Just(".5"),
            Just("E+"),
            Just("true"),
            Just("null"),
            Just(" "),
            Just("\n"),
            Just("é"),
            Just("\"a\":"),
        ];
        prop_oneof![
            proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat()),
            any::<String>(),
            "[\\[\\]{}\",:0-9eE.+-]{0,8}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// One difference: raw control characters, which serde_json lets pass
        /// in what it ignores and JSON does not.
        #[test]
        fn accepts_what_serde_json_accepts(text in json_like()) {
            let controls = text.chars().any(|c| c < ' ');
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let ours = scan(text.as_bytes()).is_ok();
            prop_assert!(ours == theirs || (theirs && controls), "{text:?}");
        }

        #[test]
        fn never_panics(bytes: Vec<u8>) {
            if let Err(error) = scan(&bytes) {
                prop_assert!(error.at <= bytes.len());
            }
        }

        #[test]
        fn what_is_written_is_read_back(text: String) {
            let mut out = String::new();
            escape_into(&text, &mut out);
            prop_assert_eq!(&out, &serde_json::to_string(&text).unwrap());
            let token = Scanner::new(out.as_bytes(), 0).string().unwrap();
            prop_assert_eq!(token.text(out.as_bytes()), text);
        }

        #[test]
        fn a_string_stops_at_its_first_special_byte(bytes: Vec<u8>, at in 0usize..20) {
            let naive = (at..bytes.len())
                .find(|&i| bytes[i] == b'"' || bytes[i] == b'\\' || bytes[i] < 0x20)
                .unwrap_or(bytes.len().max(at));
            prop_assert_eq!(string_stop(&bytes, at), naive);
        }
    }
}
