//! What word processors, merges, shells and other languages do to a memory
//! file, each named for what it is, and mended where it can be meant in one way
//! only.

use super::place::{ADA, BO, KNOWS, Place, text};
use super::repair::{check_repair, repaired};

/// What check says of the file, and what repair says that it did.
fn said(file: impl AsRef<[u8]>) -> (String, String) {
    let place = Place::with(file);
    let report = text(&place.run(&["check"]).stdout);
    let said = text(&place.run(&["repair"]).stdout);
    assert_eq!(
        place.run(&["check"]).status.code(),
        Some(0),
        "{report}{said}"
    );
    (report, said)
}

#[track_caller]
fn check_said(file: impl AsRef<[u8]>, report: &str, repair: &str) {
    let (reported, repaired) = said(file);
    assert!(reported.contains(report), "no {report:?} in {reported}");
    assert!(repaired.contains(repair), "no {repair:?} in {repaired}");
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn typographic_quotes_are_named_and_made_plain_ones() {
    let typographic = ADA
        .replacen("\"", "“", 1)
        .replace("\":", "”:")
        .replace(",\"", ",“");
    let all = ADA.replace('"', "”");
    check_repair(format!("{typographic}\n{all}\n{BO}\n"), &[ADA, ADA, BO], "");
    check_said(
        format!("{all}\n"),
        "expected a key in double quotes, found a typographic quote `”`",
        "    saved: 1 record\n    mended: typographic quotes\n",
    );
}

#[test]
fn a_whole_document_with_typographic_quotes_becomes_lines() {
    let document =
        format!("{{\n  “entities”: [\n    {ADA},\n{BO}\n  ],\n “relations”: [{KNOWS}]\n}}\n");
    check_repair(&document, &[ADA, BO, KNOWS], "");
    check_said(
        &document,
        "lines 1 to 7: a whole graph in one object (\"entities\", \"relations\"), not one record \
         a line, with typographic quotes\n",
        "mended: typographic quotes",
    );
    check_repair(
        "{\n“type”:“entity”,\n“name”:“A”,“observations”:[]\n}",
        &[r#"{"type":"entity","name":"A","observations":[]}"#],
        "",
    );
}

#[test]
fn what_other_languages_print_is_mended() {
    let python = "{'type': 'entity', 'name': 'A', 'entityType': \"o'clock\", 'ok': True}";
    check_repair(
        python,
        &[r#"{"type": "entity", "name": "A", "entityType": "o'clock", "ok": true}"#],
        "",
    );
    let nan = r#"{"type":"entity","name":"A","score":NaN}"#;
    check_repair(nan, &[&nan.replace("NaN", "\"NaN\"")], "");
    let commas = r#"{"type":"entity","name":"A","observations":["x","y",],}"#;
    check_repair(
        commas,
        &[r#"{"type":"entity","name":"A","observations":["x","y"]}"#],
        "",
    );
    let windows = r#"{"type":"entity","name":"A","observations":["C:\Users"]}"#;
    check_repair(windows, &[&windows.replace("\\U", "\\\\U")], "");
}

#[test]
fn raw_control_characters_in_a_string_are_escaped() {
    let tab = ADA.replace("likes tea", "likes\ttea");
    check_repair(
        format!("{tab}\n{BO}\n"),
        &[&tab.replace('\t', "\\t"), BO],
        "",
    );
    let two_lines = ADA.replace("likes tea", "likes\ntea\n\nand more");
    let one_line = two_lines.replace('\n', "\\n");
    check_repair(
        format!("{BO}\n{two_lines}\n{KNOWS}\n"),
        &[BO, &one_line, KNOWS],
        "",
    );
    check_said(
        format!("{BO}\n{two_lines}\n"),
        "memory.jsonl:2:1: lines 2 to 5: one JSON object over several lines, with line ends \
         inside strings\n",
        "    mended: line ends inside strings\n",
    );
}

#[test]
fn a_line_that_was_cut_off_takes_no_other_line_along() {
    for cut in 1..ADA.len() {
        let (result, _) = repaired(format!("{}\n{BO}\n{KNOWS}\n", &ADA[..cut]), &[]);
        assert_eq!(result, format!("{BO}\n{KNOWS}\n"), "{}", &ADA[..cut]);
    }
}

#[test]
fn a_good_record_between_the_halves_of_another_is_kept() {
    let (first, second) = (r#"{"type":"entity","name":"A","observations":["#, "]}");
    check_repair(
        format!("{first}\n{BO}\n{second}\n{KNOWS}\n"),
        &[BO, KNOWS],
        &format!("{first}\n{second}\n"),
    );
    check_repair(format!("{{\"a\":[\n{BO}\n]}}\n"), &[BO], "{\"a\":[\n]}\n");
    // In a document the records are part of it.
    check_repair(format!("{{\"entities\":[\n{BO}\n]}}\n"), &[BO], "");
}

#[test]
fn a_git_conflict_is_named_and_both_sides_are_kept() {
    let theirs = ADA.replace("tea", "coffee");
    let file = format!("{BO}\n<<<<<<< HEAD\n{ADA}\n=======\n{theirs}\n{KNOWS}\n>>>>>>> feature\n");
    check_repair(&file, &[BO, ADA, &theirs, KNOWS], "");
    check_said(
        &file,
        "memory.jsonl:2:1: lines 2 to 7: a git conflict: ours (HEAD) is line 3, theirs (feature) \
         is lines 5 to 6\n    repair would save 3 records\n",
        "    saved: 3 records\n    left out: <<<<<<< HEAD\n    left out: =======\n    left out: \
         >>>>>>> feature\n    on both sides, so there twice: \"Ada\"; --merge-duplicates makes one \
         of them\n",
    );
    let (merged, _) = repaired(&file, &["--merge-duplicates"]);
    assert!(
        merged.contains(r#"["likes tea","likes coffee"]"#),
        "{merged}"
    );
}

#[test]
fn the_base_of_a_git_conflict_is_set_aside() {
    let base = ADA.replace("tea", "milk");
    let theirs = ADA.replace("tea", "coffee");
    check_repair(
        format!(
            "<<<<<<< a\r\n{ADA}\r\n||||||| base\r\n{base}\r\n=======\r\n{theirs}\r\n>>>>>>> b\r\n{BO}"
        ),
        &[ADA, &theirs, BO],
        &format!("{base}\n"),
    );
}

#[test]
fn what_is_bad_within_a_git_conflict_is_set_aside() {
    let file = format!("<<<<<<< a\noops\n{ADA}{BO}\n=======\n>>>>>>> b\n");
    check_repair(&file, &[ADA, BO], "oops\n");
    check_said(
        &file,
        "lines 1 to 5: a git conflict: ours (a) is lines 2 to 3, theirs (b) is empty\n",
        "set aside: 4 bytes: oops\n",
    );
}

#[test]
fn a_conflict_marker_alone_is_named_and_set_aside() {
    for marker in ["<<<<<<< HEAD", "=======", ">>>>>>> feature", "||||||| base"] {
        let file = format!("{ADA}\n{marker}\n{BO}\n");
        check_repair(&file, &[ADA, BO], &format!("{marker}\n"));
        check_said(
            &file,
            "memory.jsonl:2:1: a marker of a git conflict, without the others\n",
            "set aside",
        );
    }
    let broken = format!("<<<<<<< a\n{ADA}\n<<<<<<< b\n{BO}\n>>>>>>> b\n");
    check_repair(broken, &[ADA, BO], "<<<<<<< a\n<<<<<<< b\n>>>>>>> b\n");
}

#[test]
fn utf16_lines_in_a_utf8_file_are_named_and_converted() {
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        let two = utf16(&format!("{BO}\r\n{KNOWS}\r\n"), unit);
        let marked = utf16(&format!("\u{FEFF}{BO}\r\n{KNOWS}\r\n"), unit);
        for lines in [&two, &marked] {
            // Behind a last line with and without line feed, and with UTF-8
            // behind it.
            let file = [ADA.as_bytes(), b"\n", lines].concat();
            check_repair(&file, &[ADA, BO, KNOWS], "");
            check_repair([ADA.as_bytes(), lines].concat(), &[ADA, BO, KNOWS], "");
            check_repair([&file, ADA.as_bytes()].concat(), &[ADA, BO, KNOWS, ADA], "");
            check_repair([lines, ADA.as_bytes()].concat(), &[BO, KNOWS, ADA], "");
            check_said(
                &file,
                "memory.jsonl:2:1: lines 2 to 3: UTF-16, not UTF-8: this is how some shells append \
                 with >>\n    repair would save 2 records\n",
                "    saved: 2 records\n",
            );
        }
        check_repair(&two, &[BO, KNOWS], "");
    }
}

#[test]
fn utf16_beyond_the_latin_letters_stays_what_it_was() {
    let chinese = BO.replace("plays go", "下围棋\u{010A}\u{0A0A}😀");
    let file = utf16(&format!("{chinese}\n{KNOWS}"), u16::to_le_bytes);
    check_repair(&file, &[&chinese, KNOWS], "");
    let mut half = utf16(&BO[..70], u16::to_le_bytes);
    half.extend([0x3D, 0xD8]);
    half.extend(utf16(&BO[70..], u16::to_le_bytes));
    let expected = format!("{}\\ud83d{}", &BO[..70], &BO[70..]);
    check_repair(&half, &[&expected], "");
}

#[test]
fn bytes_that_are_no_utf8_stay_in_strings_and_go_from_between_them() {
    let mut inside = BO.as_bytes().to_vec();
    inside.splice(70..71, *b"\xE9");
    let file = [
        &inside[..],
        b"\n",
        &BO.as_bytes()[..17],
        b"\xA0",
        &BO.as_bytes()[17..],
        b"\n",
    ];
    let place = Place::with(file.concat());
    assert_eq!(place.run(&["repair"]).status.code(), Some(0));
    let expected = [&inside[..], b"\n", BO.as_bytes(), b"\n"].concat();
    assert_eq!(std::fs::read(place.file()).unwrap(), expected);
}

#[test]
fn a_record_without_a_type_becomes_what_its_fields_say_in_every_shape() {
    let untyped = r#"{"name":"A","entityType":"t","observations":["x"]}"#;
    let entity = untyped.replacen('{', "{\"type\":\"entity\",", 1);
    check_repair(format!("{untyped}\n"), &[&entity], "");
    check_repair(format!("{untyped}{untyped}"), &[&entity, &entity], "");
    check_repair(format!("{untyped},\n{BO}\n"), &[&entity, BO], "");
    check_repair(format!("[{untyped}]"), &[&entity], "");
    check_repair(utf16(untyped, u16::to_le_bytes), &[&entity], "");
    check_repair(untyped.replace('"', "“"), &[&entity], "");
    check_repair(
        r#"{"from":"A","to":"B","relationType":"r"}"#,
        &[r#"{"type":"relation","from":"A","to":"B","relationType":"r"}"#],
        "",
    );
    check_said(
        format!("{untyped}\n"),
        "memory.jsonl:1: note: a record without a type, which is not shown; it has an entity's or \
         a relation's fields, and repair makes one of it\nno bad line\nrun `mcp-memory repair ",
        "memory.jsonl:1: a record without a type has an entity's or a relation's fields\n    \
         given its type\n",
    );
    // What only looks like one stays an unknown record.
    for other in [r#"{"name":"A"}"#, r#"{"name":"A","observations":"x"}"#] {
        let output = Place::with(other).run(&["repair"]);
        assert!(
            text(&output.stdout).contains("nothing to repair"),
            "{other}"
        );
    }
}
