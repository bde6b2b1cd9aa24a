//! A cursor over JSON text: finds where the tokens are and checks them to
//! their last byte. Nesting is followed with a stack on the heap, so depth
//! costs memory, not the thread.

use std::borrow::Cow;

use super::strings::{RawString, string_stop};

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
            Some(
                c @ ('“' | '”' | '„' | '‟' | '«' | '»' | '＂' | '‘' | '’' | '‚' | '‛' | '‹' | '›'),
            ) => format!("a typographic quote `{c}`"),
            Some(c @ ('\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}')) => {
                format!("the invisible character U+{:04X}", u32::from(c))
            }
            Some(c) if c == '`' || c.is_control() || (c.is_whitespace() && c != ' ') => {
                format!("U+{:04X}", u32::from(c))
            }
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
