//! Random damage: what `repair` writes always loads, and loses nothing.

use mcp_memory::store::format::parts::{Found, bad_lines, walk};
use mcp_memory::store::format::salvage;
use proptest::prelude::*;

use super::place::{ADA, KNOWS, text};

fn utf16() -> impl Strategy<Value = fn(u16) -> [u8; 2]> {
    prop_oneof![
        Just(u16::to_le_bytes as fn(u16) -> [u8; 2]),
        Just(u16::to_be_bytes as fn(u16) -> [u8; 2]),
    ]
}

fn in_utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

/// Pieces of damaged files.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => Just(ADA.as_bytes().to_vec()),
        2 => Just(KNOWS.as_bytes().to_vec()),
        6 => Just(b"\n".to_vec()),
        1 => (0..ADA.len()).prop_map(|end| ADA.as_bytes()[..end].to_vec()),
        1 => (0..ADA.len()).prop_map(|start| ADA.as_bytes()[start..].to_vec()),
        1 => Just(b"[".to_vec()),
        1 => Just(b"]".to_vec()),
        1 => Just(b",".to_vec()),
        1 => Just(b"{\"entities\":[".to_vec()),
        1 => Just(b"],\"relations\":[".to_vec()),
        1 => Just(b"}".to_vec()),
        1 => Just(b"{\"type\":\"entity\",\r\n \"name\":\"\\n\"\n}".to_vec()),
        1 => Just(b"\"".to_vec()),
        1 => Just(b"{\"name\":\"A\",\"entityType\":\"\\ud800\"}".to_vec()),
        1 => Just(ADA.replace('"', "“").into_bytes()),
        1 => Just(ADA.replace('"', "'").into_bytes()),
        1 => Just(ADA.replace("likes tea", "likes\ttea\n").into_bytes()),
        1 => Just("“".as_bytes().to_vec()),
        1 => Just(b"<<<<<<< a\n".to_vec()),
        1 => Just(b"\n=======\n".to_vec()),
        1 => Just(b"||||||| base\n".to_vec()),
        1 => Just(b"\n>>>>>>> b\n".to_vec()),
        1 => utf16().prop_map(|unit| in_utf16(&format!("{ADA}\r\n"), unit)),
        1 => utf16().prop_map(|unit| in_utf16(ADA, unit)),
        1 => utf16().prop_map(|unit| in_utf16("\u{FEFF}", unit)),
        1 => Just(b"{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\n".to_vec()),
        1 => Just(b"]}\n".to_vec()),
        1 => Just(b"\r\n \xEF\xBB\xBF\xC2\xA0".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ]
}

/// Pieces of damaged files that hold a name each.
fn lost_piece() -> impl Strategy<Value = String> {
    let cut = (0..ADA.len()).prop_map(|end| ADA[..end].to_owned());
    prop_oneof![
        2 => Just(ADA.to_owned()),
        1 => Just(ADA.replace('"', "“")),
        1 => Just(ADA.replace('"', "'")),
        1 => Just(ADA.replace("likes tea", "\ttea\n\\U NaN")),
        1 => Just(ADA.replace(':', "：").replace(',', "，")),
        1 => Just(ADA.replace(']', ",],")),
        1 => Just("{\"name\":\"Ada\",\"observations\":[]}".to_owned()),
        1 => Just("{\"type\":\"entity\",\"name\":\"Ada\",\"observations\":[\n".to_owned()),
        1 => Just("]}".to_owned()),
        1 => Just("[Ada, {\"entities\":[".to_owned()),
        1 => Just("<<<<<<< Ada\n".to_owned()),
        1 => Just("=======".to_owned()),
        1 => Just(">>>>>>> a".to_owned()),
        2 => cut,
    ]
}

proptest! {
    #![proptest_config(crate::support::cases(2000))]

    #[test]
    fn what_repair_writes_always_loads(
        pieces in proptest::collection::vec(piece(), 0..14),
        merge: bool,
    ) {
        let file = pieces.concat();
        let plan = salvage::plan(&file, merge);
        prop_assert_eq!(bad_lines(&plan.output), vec![], "{}", text(&file));
        prop_assert_eq!(plan.steps.len(), bad_lines(&file).len());
        let again = salvage::plan(&plan.output, false);
        prop_assert!(again.is_nothing());
        prop_assert_eq!(&again.output, &plan.output);
        if merge {
            return Ok(());
        }
        // Good lines come out as they were, in their order.
        let mut output = plan.output.split(|&byte| byte == b'\n');
        let mut missing = Vec::new();
        walk(&file, |part, _| {
            if let Found::Record(record) = part.found
                && !plan.typed.contains(&part.line)
                && !output.any(|line| line == &file[record.start..record.end])
            {
                missing.push(part.line);
            }
        });
        prop_assert_eq!(missing, Vec::<usize>::new(), "{}", text(&file));
    }

    /// Every name that somebody wrote is somewhere, whatever stands around it.
    #[test]
    fn nothing_that_was_written_is_lost(
        pieces in proptest::collection::vec((lost_piece(), any::<bool>()), 0..14),
    ) {
        let mut file = Vec::new();
        for (number, (piece, ends)) in pieces.iter().enumerate() {
            file.extend(piece.replace("Ada", &format!("Ada{number}.")).into_bytes());
            if *ends {
                file.push(b'\n');
            }
        }
        let plan = salvage::plan(&file, false);
        let dropped = plan.steps.iter().flat_map(|step| &step.dropped);
        let dropped: Vec<u8> = dropped.flatten().copied().collect();
        let kept = text(&plan.output) + &text(&plan.rejected) + &text(&dropped);
        let names = |text: &str| {
            let parts: Vec<_> = text.split("Ada").skip(1).map(|part| part.split_once('.')).collect();
            let mut names: Vec<_> = parts.into_iter().flatten().map(|(name, _)| name.to_owned()).collect();
            names.sort();
            names
        };
        prop_assert_eq!(names(&kept), names(&text(&file)), "{}", text(&file));
        prop_assert_eq!(bad_lines(&plan.output), vec![]);
    }

    #[test]
    fn random_bytes_are_repaired(bytes: Vec<u8>) {
        let plan = salvage::plan(&bytes, true);
        prop_assert_eq!(bad_lines(&plan.output), vec![]);
    }
}

#[test]
fn long_lines_of_nothing_but_beginnings_do_not_hang() {
    for piece in [
        "[",
        "{",
        "[{},",
        "{\"a\":",
        "{\"type\":\"entity\",\"name\":\"A\"",
        "[{}",
        "\u{A0}x",
        "<<<<<<< a\n",
        "<<<<<<< a\n=======\n",
        "=======\n",
        "{“a”:“",
        "[“",
        "{'a':",
        "{\"a\":[\n",
        "{\"a\":\n\"",
        "{\0",
        "{\0\"\0x",
        "{\0\"\0\n\0x\n",
        "\u{FFFE}",
        "“,",
        "“ ",
    ] {
        let file = piece.repeat(100_000);
        let plan = salvage::plan(file.as_bytes(), false);
        assert!(bad_lines(&plan.output).is_empty());
    }
    let halves = "{\"a\":[\n".repeat(50_000) + ADA + "\n" + &"]}\n".repeat(50_000);
    assert_eq!(salvage::plan(halves.as_bytes(), false).memory, 1);
}
