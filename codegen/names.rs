//! Rust names for what the manifest names.

/// `read_graph` as `ReadGraph`.
pub fn pascal(name: &str) -> String {
    let mut pascal = String::new();
    for part in name.split('_') {
        let mut letters = part.chars();
        pascal.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        pascal.push_str(letters.as_str());
    }
    pascal
}

/// `entityType` as `entity_type`, `HTTPServer` as `http_server`.
pub fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let word_ends = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let acronym_ends = before.is_some_and(|c| c.is_ascii_uppercase())
            && letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && (word_ends || acronym_ends) {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    // Rust warns of an underscore at the end or of two in a row.
    let parts: Vec<&str> = snake.split('_').filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// The Rust enum of a property with an `enum`, in the struct of this name.
pub fn enum_name(owner: &str, property: &str) -> String {
    format!("{owner}{}", pascal(&snake(property)))
}

/// A snake-case word as a Rust identifier.
pub fn identifier(word: &str) -> String {
    if NEVER_RAW.contains(&word) {
        format!("{word}_")
    } else if KEYWORDS.contains(&word) {
        format!("r#{word}")
    } else {
        word.to_owned()
    }
}

/// Keywords that no `r#` makes an identifier.
pub const NEVER_RAW: [&str; 3] = ["crate", "self", "super"];

#[rustfmt::skip]
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];
