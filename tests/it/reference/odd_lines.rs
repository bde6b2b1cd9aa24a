//! Lines of a memory file as people and other programs write them: every
//! oddity that both servers define.

use serde_json::{Value, json};

use crate::support::random::Random;

/// A line that both servers read as this record, and ours keeps.
pub fn write_oddly(random: &mut Random, record: &Value, file: &mut Vec<u8>) {
    let mut members: Vec<(String, String)> = record
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    if random.percent(20) {
        // A repeated key, of which the last one counts.
        let (name, _) = random.pick(&members).clone();
        members.insert(0, (name, r#""earlier""#.to_owned()));
    }
    if random.percent(20) {
        let extra = random
            .pick(&[
                "null",
                "[1,2,{}]",
                "{\"type\":\"entity\"}",
                "-0.0e5",
                "\"\\u2028\"",
            ])
            .to_string();
        members.push((
            random
                .pick(&["id", "__proto__", "createdAt", ""])
                .to_string(),
            extra,
        ));
    }
    let repeats = members[1..].iter().any(|(name, _)| *name == members[0].0);
    if random.percent(25) && !repeats {
        members.rotate_left(1 + random.below(2));
    }
    let (gap, colon) = *random.pick(&[("", ":"), ("", ":"), (" ", ": "), ("\t", "\t:  ")]);
    let body: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{gap}{}{colon}{value}", json!(name)))
        .collect();
    let mut line = format!("{{{}{gap}}}", body.join(","));
    if random.percent(20) {
        line = line.replace('/', "\\/");
    }
    if random.percent(20) {
        line = escape_all(&line);
    }
    let mut bytes = line.into_bytes();
    if random.percent(8)
        && let Some(at) = bytes.iter().rposition(|byte| byte.is_ascii_lowercase())
    {
        // Inside the last string, or in a name that nobody knows then.
        let broken = *random.pick::<&[u8]>(&[b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf"]);
        let inside_value = bytes[..at].iter().filter(|byte| **byte == b'"').count() % 2 == 1
            && bytes[..at].windows(2).all(|pair| pair != b"\\u");
        if inside_value && !bytes[at..].contains(&b':') && bytes[at - 1] != b'\\' {
            bytes.splice(at..at, broken.iter().copied());
        }
    }
    if random.percent(15) {
        file.extend_from_slice(
            random
                .pick(&[
                    "\n",
                    "  \n",
                    "\t\r\n",
                    "\u{feff}\n",
                    "\u{a0}\n",
                    "\u{2028}\n",
                ])
                .as_bytes(),
        );
    }
    if random.percent(10) {
        file.extend_from_slice(
            b"{\"type\":\"note\",\"name\":\"Ada\",\"text\":[1, 2]}\n{\"name\":\"typeless\"}\n",
        );
    }
    file.extend_from_slice(random.pick(&["", "", "", " ", "\t"]).as_bytes());
    file.extend_from_slice(&bytes);
    file.extend_from_slice(
        random
            .pick(&["\n", "\n", "\n", "\r\n", "  \n", "\t\n"])
            .as_bytes(),
    );
    if random.percent(10) {
        let copy = file.clone();
        let last = copy
            .trim_ascii_end()
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap()
            .to_vec();
        file.extend_from_slice(&last);
        file.push(b'\n');
    }
}

/// The same JSON with every character beyond ASCII as an upper-case escape.
fn escape_all(json: &str) -> String {
    let mut escaped = String::new();
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04X}"));
            }
        }
    }
    escaped
}
