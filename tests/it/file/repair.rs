//! `mcp-memory repair`: what it says, what it writes, and that no byte of the
//! original is ever gone.

use std::fs;

use mcp_memory::store::Document;

use super::place::{ADA, BO, KNOWS, Place, text};

/// What repair makes of a file, and what it sets aside.
#[track_caller]
pub fn repaired(file: impl AsRef<[u8]>, arguments: &[&str]) -> (String, String) {
    let place = Place::with(&file);
    let output = place.run(&[&["repair"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let result = fs::read(place.file()).unwrap();
    assert!(Document::parse(result.clone()).is_ok());
    let mut others = place.others().into_iter();
    let (kind, backup) = others.next().expect("there is a backup");
    assert_eq!(kind, "backup");
    assert_eq!(backup, file.as_ref());
    let rejected = others.next().map(|(kind, bytes)| {
        assert_eq!(kind, "rejected");
        text(&bytes)
    });
    assert_eq!(others.next(), None);
    (text(&result), rejected.unwrap_or_default())
}

#[track_caller]
pub fn check_repair(file: impl AsRef<[u8]>, expected: &[&str], rejected: &str) {
    let (result, aside) = repaired(file, &[]);
    assert_eq!(result.lines().collect::<Vec<_>>(), expected);
    assert_eq!(aside, rejected);
    assert!(result.is_empty() || result.ends_with('\n'));
}

#[test]
fn repair_keeps_good_records_as_they_were_and_sets_bad_lines_aside() {
    let odd = r#"{ "x":1e400, "name":"\u0041", "type":"entity" }"#;
    check_repair(
        format!(
            "{odd}\r\nnot json\n{KNOWS}\n{{\"type\":\"entity\",\"name\":5}}\n{{\"type\":\"note\"}}"
        ),
        &[odd, KNOWS, r#"{"type":"note"}"#],
        "not json\n{\"type\":\"entity\",\"name\":5}\n",
    );
}

#[test]
fn repair_splits_records_glued_on_one_line() {
    check_repair(format!("{ADA}{KNOWS} {BO}\n"), &[ADA, KNOWS, BO], "");
    check_repair(format!("{ADA},\n{BO},\n"), &[ADA, BO], "");
    check_repair(format!("\u{FEFF}\u{FEFF}{ADA}\u{A0}\n"), &[ADA], "");
    check_repair(format!("{ADA}{BO}garbage\n"), &[ADA, BO], "garbage\n");
}

#[test]
fn repair_saves_what_was_appended_to_a_line_that_was_cut_off() {
    check_repair(
        format!("{}{BO}{KNOWS}\n", &ADA[..40]),
        &[BO, KNOWS],
        &format!("{}\n", &ADA[..40]),
    );
}

#[test]
fn repair_does_not_bring_back_a_record_from_inside_another() {
    let nested = format!("{{\"type\":\"backup\",\"old\":{ADA},BROKEN}}");
    check_repair(format!("{nested}\n{BO}\n"), &[BO], &format!("{nested}\n"));
}

#[test]
fn repair_turns_an_array_into_lines() {
    check_repair(format!("[{ADA}, {KNOWS}]\n{BO}\n"), &[ADA, KNOWS, BO], "");
    check_repair(
        r#"[{"name":"A","entityType":"t"},{"from":"A","to":"B","relationType":"r"},{"x":1},5,[]]"#,
        &[
            r#"{"type":"entity","name":"A","entityType":"t"}"#,
            r#"{"type":"relation","from":"A","to":"B","relationType":"r"}"#,
            r#"{"x":1}"#,
        ],
        "5\n[]\n",
    );
}

#[test]
fn repair_turns_a_whole_graph_into_lines() {
    check_repair(
        r#"{"version":2,"entities":[{"name":"A","entityType":"t","observations":["x"],"id":1},{"name":5}],"relations":[{"from":"A","to":"A","relationType":"r"}]}"#,
        &[
            r#"{"type":"entity","name":"A","entityType":"t","observations":["x"],"id":1}"#,
            r#"{"type":"relation","from":"A","to":"A","relationType":"r"}"#,
        ],
        "{\"version\":2}\n{\"name\":5}\n",
    );
}

#[test]
fn repair_turns_pretty_printed_documents_into_lines() {
    let pretty = |json: &str| {
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    check_repair(pretty(&format!("[{ADA},{KNOWS}]")), &[ADA, KNOWS], "");
    check_repair(
        pretty(&format!("{{\"entities\":[{ADA}],\"relations\":[{KNOWS}]}}")),
        &[ADA, KNOWS],
        "",
    );
    check_repair(format!("{}\n{BO}\n", pretty(ADA)), &[ADA, BO], "");
}

#[test]
fn repair_saves_the_beginning_of_an_array_that_was_cut_off() {
    check_repair(
        format!("[{ADA},{BO},{}", &KNOWS[..20]),
        &[ADA, BO],
        &format!("{}\n", &KNOWS[..20]),
    );
    check_repair(format!("[\n  {ADA},\n  {BO},\n  {{"), &[ADA, BO], "[\n{\n");
}

#[test]
fn repair_converts_utf16() {
    let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{FEFF}{ADA}\r\nx\r\n{BO}\r\n")
            .encode_utf16()
            .flat_map(unit)
            .collect()
    };
    check_repair(utf16(u16::to_le_bytes), &[ADA, BO], "x\n");
    check_repair(utf16(u16::to_be_bytes), &[ADA, BO], "x\n");
}

#[test]
fn repair_merges_duplicate_entities_only_when_told_to() {
    let first = r#"{"type":"entity","name":"A","entityType":"t","observations":["x"]}"#;
    let second = r#"{"type":"entity","name":"\u0041","observations":["\u0078","\u0079"]}"#;
    let file = format!("{first}\n{BO}\n{second}\n");
    let place = Place::with(&file);
    let output = place.run(&["repair"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("nothing to repair"));
    assert_eq!(fs::read(place.file()).unwrap(), file.as_bytes());
    assert_eq!(place.others(), []);

    let merged = r#"{"type":"entity","name":"A","entityType":"t","observations":["x","\u0079"]}"#;
    let (result, _) = repaired(&file, &["--merge-duplicates"]);
    assert_eq!(result, format!("{merged}\n{BO}\n"));
}

#[test]
fn repair_sets_aside_what_a_merged_entity_would_lose() {
    let first = r#"{"type":"entity","name":"A","entityType":"t","observations":["x"],"id":1}"#;
    let same = r#"{"type":"entity","name":"A","entityType":"\u0074","observations":["y"],"id":1}"#;
    let kind = r#"{"type":"entity","name":"A","entityType":"u","observations":["x"]}"#;
    let more = r#"{"type":"entity","name":"A","entityType":"t","observations":[],"id":2}"#;
    let twice =
        r#"{"type":"entity","name":"A","entityType":"t","observations":["z"],"observations":[]}"#;
    let file = format!("{first}\n{same}\n{kind}\n{more}\n{twice}\n");
    let (result, aside) = repaired(&file, &["--merge-duplicates"]);
    let merged = first.replace("[\"x\"]", "[\"x\",\"y\"]");
    assert_eq!(result, format!("{merged}\n"));
    assert_eq!(aside, format!("{kind}\n{more}\n{twice}\n"));

    let output = Place::with(&file).run(&["repair", "--merge-duplicates"]);
    let said = text(&output.stdout);
    let part = "made one of 5 entities named \"A\"; 3 records with another type or more fields \
                set aside\n";
    assert!(said.contains(part), "{said}");
}

#[test]
fn repair_takes_no_two_names_or_observations_for_one_that_are_not_all_text() {
    let lossy = |name: &str| format!("{{\"type\":\"entity\",\"name\":\"{name}\"}}\n");
    let file = lossy("\\ud800") + &lossy("\\ud801") + &lossy("\\ufffd");
    let place = Place::with(&file);
    let output = place.run(&["repair", "--merge-duplicates"]);
    assert!(text(&output.stdout).contains("nothing to repair"));
    assert_eq!(fs::read(place.file()).unwrap(), file.as_bytes());
    let report = text(&place.run(&["check"]).stdout);
    assert!(report.contains("repair does not merge them"), "{report}");

    let entity = |observation: &str| {
        format!("{{\"type\":\"entity\",\"name\":\"A\",\"observations\":[\"{observation}\"]}}")
    };
    let file = entity("\\ud800") + "\n" + &entity("\\ud801");
    let (result, _) = repaired(file, &["--merge-duplicates"]);
    assert_eq!(result, entity("\\ud800\",\"\\ud801") + "\n");
}

#[test]
fn repair_only_shows_with_dry_run_and_then_says_what_it_did() {
    let file = format!("{ADA}{BO}\noops\n");
    let place = Place::with(&file);
    let output = place.run(&["repair", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    for part in [
        "memory.jsonl:1:82: two records on one line: the second one starts here\n    saved: 2 records\n",
        "memory.jsonl:2:1: not JSON: expected a value, found `o`\n    set aside: 4 bytes: oops\n",
        "would write",
        "2 records\n",
        "memory.jsonl.backup-TIME",
        "memory.jsonl.rejected-TIME",
    ] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    assert_eq!(fs::read(place.file()).unwrap(), file.as_bytes());
    assert_eq!(place.others(), []);

    let said = text(&place.run(&["repair"]).stdout);
    assert!(said.contains("\nwrote "), "{said}");
    assert!(said.contains("the file as it was is in "), "{said}");
    assert!(said.contains("what cannot be saved is in "), "{said}");
}

#[test]
fn repairs_in_the_same_second_keep_each_backup() {
    let place = Place::with("");
    for _ in 0..3 {
        fs::write(place.file(), format!("{ADA}\nx\n")).unwrap();
        assert_eq!(place.run(&["repair"]).status.code(), Some(0));
    }
    assert_eq!(place.others().len(), 6);
}

#[test]
fn repair_of_a_missing_file_makes_nothing() {
    let place = Place::with("");
    let output = place.run(&["repair", "sub/none.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no file"));
    assert!(!place.directory.path().join("sub").exists());
}

#[cfg(unix)]
#[test]
fn repair_keeps_the_mode_follows_links_and_waits_for_the_lock() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use crate::support::files::lock_of;

    let place = Place::with(format!("{ADA}\nx\n"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("memory.jsonl", place.directory.path().join("link")).unwrap();

    let lock = lock_of(&place.file());
    fs::write(&lock, "{}").unwrap();
    let output = place.run(&["--lock-timeout", "0.05", "repair", "link"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("memory.jsonl.lock"));
    assert_eq!(
        fs::read(place.file()).unwrap(),
        format!("{ADA}\nx\n").as_bytes()
    );
    fs::remove_file(&lock).unwrap();

    assert_eq!(place.run(&["repair", "link"]).status.code(), Some(0));
    assert_eq!(
        fs::read(place.file()).unwrap(),
        format!("{ADA}\n").as_bytes()
    );
    assert_eq!(
        fs::read_link(place.directory.path().join("link")).unwrap(),
        Path::new("memory.jsonl")
    );
    for entry in fs::read_dir(place.directory.path()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o640, "{}", path.display());
    }
}

/// Lines of a text file, some of which are JSON by accident.
const NOTES: &str = "# Notes\n\n- [ ] buy milk\n{}\n";

#[test]
fn repair_refuses_to_empty_a_file_that_holds_something() {
    let place = Place::with(NOTES);
    for arguments in [&["repair"][..], &["repair", "--dry-run"]] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).contains("set aside: 14 bytes: - [ ] buy milk\n"));
        let file = place.file();
        let reason = format!(
            "mcp-memory: cannot repair {0}: no entity and no relation was found in it, so 21 bytes \
             would be set aside and nothing saved; is this a memory file?\nnothing was written; \
             `mcp-memory repair --force {0}` does it nevertheless\n",
            file.display()
        );
        assert_eq!(text(&output.stderr), reason);
        assert_eq!(fs::read(place.file()).unwrap(), NOTES.as_bytes());
        assert_eq!(place.others(), []);
    }
    let report = text(&place.run(&["check"]).stdout);
    let last = format!(
        "repair would save nothing: no entity and no relation was found; is this a memory file?\n\
         `mcp-memory repair --force {}` would set all of it aside and leave an empty memory\n",
        place.file().display()
    );
    assert!(report.ends_with(&last), "{report}");

    let output = place.run(&["repair", "--force", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0));
    let (result, aside) = repaired(NOTES, &["--force"]);
    assert_eq!(result, "{}\n");
    assert_eq!(aside, "# Notes\n- [ ] buy milk\n");
}

#[test]
fn repair_ends_with_how_to_go_on_and_how_to_go_back() {
    let place = Place::with(format!("{ADA}\n{}\n", "x".repeat(300)));
    let said = text(&place.run(&["repair"]).stdout);
    assert!(said.contains(&format!("set aside: 300 bytes: {}…\n", "x".repeat(200))));
    let mut kept: Vec<_> = fs::read_dir(place.directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    kept.sort();
    let [file, backup, rejected] = &kept[..] else {
        panic!("{kept:?}")
    };
    let copy = if cfg!(windows) { "copy" } else { "cp" };
    let last = format!(
        "to bring a line back that was set aside: correct it in {rejected}, add it to the end of \
         {file}, and run `mcp-memory check {file}`\n\
         to undo the repair while no client runs: `{copy} {backup} {file}`\n\
         delete both files once nothing is missed\n"
    );
    assert!(said.ends_with(&last), "{said}");

    let place = Place::with(format!("{ADA}{BO}\n"));
    let said = text(&place.run(&["repair"]).stdout);
    assert!(
        said.ends_with("delete the backup once nothing is missed\n"),
        "{said}"
    );
}
