//! Characters that word processors, phones and input methods put where JSON
//! wants a plain one.

/// What a character stands for in text that was JSON once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// A quote of the double sort, not `"` itself.
    Double,
    /// A quote of the single sort, or `'`.
    Single,
    /// Looks like a blank, or like nothing at all.
    Blank,
    /// A minus sign or a dash.
    Minus,
    /// The full-width form of this character of JSON's.
    Wide(u8),
    /// Any other.
    Other,
}

/// The glyph at byte `at`, which is not ASCII or is `'`, and how many bytes it
/// takes. A byte that is not UTF-8 is taken for Windows-1252, in which the
/// same programs save.
pub fn glyph(bytes: &[u8], at: usize) -> (Glyph, usize) {
    let found = first_char(&bytes[at..]);
    let (character, length) = found.unwrap_or_else(|| (of_windows_1252(bytes[at]), 1));
    (of(character), length)
}

fn first_char(bytes: &[u8]) -> Option<(char, usize)> {
    let length = match bytes.first()? {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
    Some((text.chars().next()?, length))
}

fn of_windows_1252(byte: u8) -> char {
    match byte {
        0x82 => '\u{201A}',
        0x84 => '\u{201E}',
        0x91 => '\u{2018}',
        0x92 => '\u{2019}',
        0x93 => '\u{201C}',
        0x94 => '\u{201D}',
        0x96 => '\u{2013}',
        latin_1 => char::from(latin_1),
    }
}

fn of(character: char) -> Glyph {
    match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '〝' | '〞' | '＂' => {
            Glyph::Double
        }
        '\'' | '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' | '＇' => Glyph::Single,
        '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => Glyph::Blank,
        '‐'..='―' | '−' | '－' => Glyph::Minus,
        '：' | '，' | '［' | '］' | '｛' | '｝' => {
            // The full-width forms follow ASCII's order from U+FF01, `!`, on.
            let ascii = u32::from(character) - 0xFF01 + u32::from('!');
            Glyph::Wide(u8::try_from(ascii).expect("these are ASCII's"))
        }
        other if other.is_whitespace() => Glyph::Blank,
        _ => Glyph::Other,
    }
}
