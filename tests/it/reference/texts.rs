//! Texts for random calls: odd ones, and such as differ by little.

use crate::support::random::Random;

/// A few texts, among them some that differ by little.
pub fn world(random: &mut Random, size: usize) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    while texts.len() < size {
        let text = match texts.last() {
            Some(last) if random.percent(25) => match random.below(4) {
                0 => last.to_uppercase(),
                1 => last.to_lowercase(),
                2 => format!("{last} "),
                _ => last.chars().rev().collect(),
            },
            _ => text(random),
        };
        texts.push(text);
    }
    texts
}

/// One of the world's texts, seldom another.
pub fn one_of(random: &mut Random, known: &[String]) -> String {
    match random.percent(92) {
        true => random.pick(known).clone(),
        false => text(random),
    }
}

/// Any text, odd ones more often than in life.
pub fn text(random: &mut Random) -> String {
    match random.below(100) {
        0..55 => random.pick(ODD).to_string(),
        55..97 => {
            let length = random.below(9);
            random.list(length, character).into_iter().collect()
        }
        _ => {
            let piece: String = random.list(5, character).into_iter().collect();
            piece.repeat(200 + random.below(3000))
        }
    }
}

fn character(random: &mut Random) -> char {
    let (first, last) = *random.pick(&[
        (0x20, 0x7e),
        (0x20, 0x7e),
        (0x00, 0x1f),
        (0x7f, 0xff),
        (0x100, 0x24f),
        (0x300, 0x36f),
        (0x370, 0x3ff),
        (0x400, 0x52f),
        (0x590, 0x6ff),
        (0x10a0, 0x10ff),
        (0x1c80, 0x1cbf),
        (0x1e00, 0x1fff),
        (0x2000, 0x206f),
        (0x2100, 0x218f),
        (0x2c00, 0x2dff),
        (0xa640, 0xa7ff),
        (0xab30, 0xabbf),
        (0xfe00, 0xffff),
        (0x10400, 0x105ff),
        (0x10c80, 0x10d8f),
        (0x118a0, 0x118df),
        (0x16e40, 0x16eff),
        (0x1e900, 0x1e95f),
        (0x1f300, 0x1faff),
        (0x0000, 0x10ffff),
    ]);
    loop {
        let code = first + random.below((last - first + 1) as usize) as u32;
        if let Some(character) = char::from_u32(code) {
            return character;
        }
    }
}

const ODD: &[&str] = &[
    "",
    " ",
    "Ada",
    "ada",
    "ADA",
    " Ada",
    "Ada ",
    "Zo\u{eb}",
    "Zoe\u{308}",
    "stra\u{df}e",
    "STRASSE",
    "\u{1e9e}",
    "\u{130}stanbul",
    "istanbul",
    "i\u{307}",
    "\u{131}I",
    "\u{39f}\u{394}\u{3a5}\u{3a3}\u{3a3}\u{395}\u{3a5}\u{3a3}",
    "\u{3bf}\u{3b4}\u{3cd}\u{3c3}\u{3c2}",
    "\u{3a3}",
    "A\u{3a3}",
    "A\u{3a3}.",
    "A\u{3a3}\u{301}",
    "A\u{3a3}B",
    "\u{3a3}\u{3a3}",
    "A.\u{3a3}",
    "A\u{ad}\u{3a3}\u{ad}",
    "\u{1f9b8}\u{1f3fd}\u{200d}\u{2640}\u{fe0f}",
    "\u{1f98a}",
    "e\u{301}\u{327}",
    "\0",
    "a\0b",
    "\u{1}\u{1f}\u{8}\u{c}",
    "\t",
    "two\nlines",
    "\r\n",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}",
    "\u{85}",
    "\u{a0}",
    "\u{7f}",
    "\u{9f}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{10ffff}",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "null",
    "undefined",
    "true",
    "0",
    "-1",
    "1e400",
    "[]",
    "[\"a\",\"b\"]",
    "[1]",
    "[[\"a\"]]",
    "{}",
    "{\"a\":1}",
    "\"",
    "\\",
    "\\\"",
    "\\u0041",
    "\\ud800",
    "/",
    "</script>",
    ".*",
    "%s",
    "$&",
    "${HOME}",
    "\u{5e9}\u{5dc}",
    "\u{645}\u{631}",
    "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}",
    "\u{65e5}\u{672c}",
    "\u{1d49c}",
    "\u{fb01}",
    "\u{1c4}",
    "\u{1c5}",
    "\u{1c6}",
    "\u{212a}",
    "\u{212b}",
    "\u{202e}abc",
    "\u{200b}",
    "\u{13a0}",
    "\u{ab70}",
    "\u{1c90}",
    "\u{10400}",
    "\u{10d50}",
    "\u{1c89}",
    "\u{a7cb}",
    "\u{1e921}",
    "likes tea",
    "Likes Tea.",
    "works at Acme",
    "person",
    "knows",
];
