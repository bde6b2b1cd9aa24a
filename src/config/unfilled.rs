//! Paths that nobody meant: what a client was to fill in and left as it is, and
//! what a shell or a browser would have understood and this program is not.
//!
//! What no path can mean is refused, because a file of that odd name would be
//! made somewhere and the memory would seem to be empty. What could be a path
//! all the same is only warned about.

/// What is wrong with a path, and what to write in its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    /// Goes on from "the path of the memory file …".
    pub(super) what: String,
    /// What to do, a line of its own.
    pub(super) advice: String,
}

const NOT_REPLACED: &str =
    "the client did not replace it; write the path out in the client's configuration";

/// What templates are written with, wherever it stands.
const MARKS: [&str; 4] = ["${", "$(", "{{", "#{"];

/// What programs print where they have no value.
const NO_VALUES: [&str; 4] = ["undefined", "null", "None", "[object Object]"];

/// What no path can mean. `given` is what was written, before any rule.
pub(super) fn refusal(given: &str) -> Option<Trouble> {
    let trouble = |what: String, advice: String| Some(Trouble { what, advice });
    if given.trim() != given {
        return trouble(
            format!("begins or ends with a blank: {given:?}"),
            "remove the blank; it is often left by a file of variables or by pasting".to_owned(),
        );
    }
    if let Some(bare) = without_quotes(given) {
        return trouble(
            "still has quotes around it".to_owned(),
            format!("no shell reads this, so they are part of the path; write it without: {bare}"),
        );
    }
    if MARKS.iter().any(|mark| given.contains(mark)) {
        return trouble(
            "still holds a placeholder".to_owned(),
            NOT_REPLACED.to_owned(),
        );
    }
    let components = || given.split(['/', '\\']);
    if let Some(name) = components().find(|name| is_template(name)) {
        return trouble(
            format!("still holds the placeholder {name}"),
            NOT_REPLACED.to_owned(),
        );
    }
    let mut rest = components();
    let first = rest.next().unwrap_or_default();
    let rest = rest.collect::<Vec<_>>().join("/");
    // A directory of such a name can be reached.
    let literal = || format!("for a file or directory of that name: ./{given}");
    if let Some(name) = first.strip_prefix("$env:").or(first.strip_prefix('$'))
        && is_name(name)
    {
        let instead = match name {
            "HOME" | "USERPROFILE" if !rest.is_empty() => format!(", for example ~/{rest}"),
            _ => String::new(),
        };
        return trouble(
            format!("begins with the variable {first}"),
            format!(
                "no shell reads this, so nothing replaced it; write the path out{instead}\n{}",
                literal()
            ),
        );
    }
    if first == "__dirname" || (NO_VALUES.contains(&first) && !first.is_empty()) {
        return trouble(
            format!("begins with {first}, which a program left there"),
            format!(
                "write the path out in the client's configuration\n{}",
                literal()
            ),
        );
    }
    if first.starts_with('~') && first != "~" && first != given {
        return trouble(
            format!("begins with {first}, another user's home directory"),
            format!(
                "only ~/ is understood here, your own; write the path out\n{}",
                literal()
            ),
        );
    }
    if cfg!(not(windows)) && given.starts_with("~\\") {
        return trouble(
            "is written as on Windows".to_owned(),
            format!("write ~/{rest}"),
        );
    }
    if cfg!(not(windows)) && has_drive(given) {
        return trouble(
            "is one of Windows, and this system has no drives".to_owned(),
            "write the path as this system knows it (inside WSL, C:\\ is /mnt/c/)".to_owned(),
        );
    }
    if let Some((scheme, _)) = given.split_once("://")
        && is_scheme(scheme)
    {
        return trouble(
            format!("is an address ({scheme}://), not a path"),
            "write an absolute path; of addresses only file:/// and localhost are understood"
                .to_owned(),
        );
    }
    None
}

/// What was probably meant to be replaced by hand: an example's path.
pub(super) fn suspicion(given: &str) -> Option<String> {
    let components: Vec<&str> = given.split(['/', '\\']).collect();
    let is_example = |name: &str| {
        let plain = name.to_lowercase().replace('-', "_");
        let plain = plain.strip_prefix("your").unwrap_or_default();
        let plain = plain.strip_prefix('_').unwrap_or(plain);
        let words = [
            "user",
            "username",
            "name",
            "path",
            "home",
            "directory",
            "folder",
            "project",
        ];
        words.contains(&plain)
    };
    if let Some(name) = components.iter().find(|name| is_example(name)) {
        return Some((*name).to_owned());
    }
    if components.windows(2).any(|pair| pair == ["path", "to"]) {
        return Some("path/to".to_owned());
    }
    let variable = components.iter().skip(1).find(|name| {
        let name = name.strip_prefix('$').unwrap_or_default();
        is_name(name) && !name.contains(|letter: char| letter.is_ascii_lowercase())
    });
    variable.map(|name| (*name).to_owned())
}

/// `file:///` and `file://localhost/` as a path, with what is written `%20`
/// there as it is. `None`: it is no such address.
pub(super) fn of_address(given: &str) -> Option<String> {
    let scheme = given.get(..7)?;
    let rest = scheme
        .eq_ignore_ascii_case("file://")
        .then(|| &given[7..])?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    // Before a drive's letter the slash is the address's, not the path's.
    let path = match &path[1..] {
        drive if cfg!(windows) && has_drive(drive) => drive,
        _ => path,
    };
    let path = percent_encoding::percent_decode_str(path).decode_utf8();
    path.ok().map(Into::into)
}

fn without_quotes(given: &str) -> Option<&str> {
    let pairs = [
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("“", "”"),
        ("‘", "’"),
        ("„", "“"),
    ];
    for (open, close) in pairs {
        let inner = given
            .strip_prefix(open)
            .and_then(|it| it.strip_suffix(close));
        if let Some(inner) = inner {
            return Some(inner);
        }
    }
    // One of two, where the other was taken for part of something else.
    let bare = given.trim_matches(['"', '“', '”']);
    (bare != given).then_some(bare)
}

/// Whether a whole component is a template's: `%NAME%`, `{NAME}`, `<name>`.
fn is_template(component: &str) -> bool {
    let within = |open: char, close: char| {
        component
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
    };
    within('%', '%').is_some_and(is_name)
        || within('{', '}').is_some_and(is_name)
        || within('<', '>').is_some_and(|name| !name.is_empty())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_scheme(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
}

fn has_drive(path: &str) -> bool {
    let path = path.as_bytes();
    path.len() >= 3 && path[0].is_ascii_alphabetic() && path[1] == b':' && b"/\\".contains(&path[2])
}
