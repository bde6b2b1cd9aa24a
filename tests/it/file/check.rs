//! `mcp-memory check`: what it says, in words and in JSON.

use std::fs;

use super::place::{ADA, BO, KNOWS, Place, text};
use crate::support::files::quoted;

#[track_caller]
fn check_report(file: impl AsRef<[u8]>, code: i32, parts: &[&str]) {
    let place = Place::with(&file);
    let output = place.run(&["check"]);
    let report = text(&output.stdout);
    for part in parts {
        assert!(report.contains(part), "no {part:?} in {report}");
    }
    assert_eq!(output.status.code(), Some(code), "{report}");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(fs::read(place.file()).unwrap(), file.as_ref());
    assert_eq!(place.others(), []);
}

#[test]
fn check_counts_and_finds_nothing_wrong_with_a_good_file() {
    check_report(
        format!("{ADA}\n{BO}\n{KNOWS}\n"),
        0,
        &[
            "3 lines: 2 entities with 2 observations, 1 relation, 0 unknown records",
            "nothing to repair\n",
        ],
    );
}

#[test]
fn check_names_every_bad_line() {
    let bad = "oops\n".repeat(50);
    check_report(
        format!("{ADA}\n{bad}"),
        1,
        &[
            "memory.jsonl:2:1: not JSON",
            "memory.jsonl:51:1: not JSON",
            "50 bad lines",
            "mcp-memory repair",
        ],
    );
}

#[test]
fn check_notes_what_is_worth_knowing_but_not_bad() {
    let mut file =
        format!("\u{FEFF}{ADA}\r\n\n{ADA}\n{KNOWS}\n{{\"type\":\"note\"}}\n").into_bytes();
    file.extend(b"{\"type\":\"entity\",\"name\":\"\xFF\",\"observations\":[\"\\ud800\"]}\n");
    check_report(
        file,
        0,
        &[
            "memory.jsonl:1: note: 2 entities are named \"Ada\", on lines 1, 3",
            "memory.jsonl:4: note: relation \"Ada\" \"knows\" \"Bo\": no entity is named \"Bo\"",
            "memory.jsonl:5: note: a record of another type",
            "memory.jsonl:6:26: note: something in 2 of the record's strings is no text",
            "byte order mark (1)",
            "CR before LF (1)",
            "blank lines (1)",
        ],
    );
}

#[test]
fn check_recognises_documents_in_another_shape() {
    check_report(
        format!("[\n{ADA}\n]\n"),
        1,
        &["memory.jsonl:1:1: lines 1 to 3: a JSON array"],
    );
    check_report(
        "{\"entities\":[]}",
        1,
        &["memory.jsonl:1:1: a whole graph in one object"],
    );
}

/// What check foretells, and what repair then says, of a file in which there
/// is no memory.
#[track_caller]
fn check_without_memory(file: &str, foretold: &str) {
    let place = Place::with(file);
    let report = text(&place.run(&["check"]).stdout);
    assert!(report.contains(foretold), "{report}");
    assert!(
        report.contains("and repair would find none: it would leave an empty memory"),
        "{report}"
    );
    let shown = text(&place.run(&["repair", "--dry-run"]).stdout);
    assert!(shown.contains("the memory would be empty\n"), "{shown}");
    let output = place.run(&["repair"]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stdout);
    let plainly = "no entity and no relation was found: the memory is empty now\n";
    assert!(said.contains(plainly), "{said}");
}

#[test]
fn check_promises_nothing_that_repair_does_not_do() {
    check_without_memory(
        "{\"entities\":{\n\"A\":{}}}\n",
        "    repair would save 1 record\n",
    );
    check_without_memory(
        r#"[{"type":"person","name":"A"}]"#,
        "    repair would save 1 record\n",
    );
    for nothing in [
        r#"[{"type":"entity","name":"A","observations":"x"}]"#,
        r#"{"entities":[{"name":"A","entityType":"t","observations":"x"}]}"#,
    ] {
        check_report(
            nothing,
            1,
            &[
                "    repair would save nothing and set ",
                "repair would save nothing: no entity and no relation was found",
            ],
        );
        assert_eq!(Place::with(nothing).run(&["repair"]).status.code(), Some(1));
    }
    let output = Place::with(r#"{"entities":{"A":{}}}"#).run(&["repair"]);
    let said = text(&output.stdout);
    let plainly = "nothing to repair, but no entity and no relation was found in it\n";
    assert!(said.ends_with(plainly), "{said}");
    check_report(
        r#"{"entities":{"A":{}}}"#,
        0,
        &["no entity and no relation was found in this file, so the memory is empty\n"],
    );
    check_report(
        format!("{ADA}{BO}oops\n"),
        1,
        &["    repair would save 2 records and set 4 bytes aside\n"],
    );
}

#[test]
fn the_commands_that_check_names_can_be_pasted() {
    let place = Place::with("");
    let file = place.directory.path().join("my notes.jsonl");
    fs::write(&file, format!("{ADA}\n{ADA}\noops\n")).unwrap();
    let report = text(&place.run(&["check", "my notes.jsonl"]).stdout);
    for command in ["repair", "repair --merge-duplicates"] {
        let command = format!("`mcp-memory {command} {}`", quoted(file.to_str().unwrap()));
        assert!(report.contains(&command), "no {command} in {report}");
    }
}

#[test]
fn check_reports_in_json_for_programs() {
    let place = Place::with(format!("{ADA}\n{ADA}\n{KNOWS}\n{ADA}{BO}\n"));
    let output = place.run(&["check", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(report["entities"], 2);
    assert_eq!(report["badLines"][0]["line"], 4);
    assert_eq!(report["badLines"][0]["column"], 82);
    assert_eq!(report["badLines"][0]["kind"], "several records on a line");
    assert_eq!(report["badLines"][0]["saved"], 2);
    assert_eq!(report["badLines"][0]["setAside"], 0);
    assert_eq!(
        report["afterRepair"],
        serde_json::json!({"entities": 4, "observations": 4, "relations": 1})
    );
    assert_eq!(
        report["duplicateEntities"][0]["lines"],
        serde_json::json!([1, 2])
    );
    // Repair finds Bo.
    assert_eq!(report["danglingRelations"], serde_json::json!([]));
    assert_eq!(report["savesNothing"], false);

    let output = place.run(&["check", "--json", "none"]);
    assert_eq!(output.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        report["error"]
            .as_str()
            .unwrap()
            .contains("there is no file")
    );
}

#[test]
fn check_cannot_read_what_is_no_file() {
    let place = Place::with("");
    for (path, reason) in [
        ("none.jsonl", "there is no file "),
        (".", "it is a directory, not a regular file"),
    ] {
        let output = place.run(&["check", path]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stdout), "");
        let said = text(&output.stderr);
        assert!(said.contains(reason), "{said}");
        let full = place.directory.path().join(path);
        assert!(
            said.contains(full.to_str().unwrap().trim_end_matches(['/', '\\', '.'])),
            "{said}"
        );
    }
}

#[test]
fn check_and_repair_look_where_the_server_would() {
    let place = Place::with("");
    fs::write(place.directory.path().join("other"), "x\n").unwrap();
    assert_eq!(
        place
            .run(&["--memory-file", "other", "check"])
            .status
            .code(),
        Some(1)
    );
    assert_eq!(place.run(&["check"]).status.code(), Some(0));
}

#[test]
fn a_bare_word_is_still_explained() {
    let output = Place::with("").run(&["notes.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--memory-file notes.jsonl"));
}

#[test]
fn check_counts_what_there_would_be_after_a_repair() {
    for file in [
        format!("{ADA}{BO}{KNOWS}\n"),
        format!("[{ADA},{BO},{KNOWS}]"),
        format!("{ADA}{BO}\n{KNOWS}\n"),
    ] {
        let place = Place::with(&file);
        let report = text(&place.run(&["check"]).stdout);
        let after = "memory.jsonl: after a repair: 2 entities with 2 observations, 1 relation, 0 \
                     unknown records\n";
        assert!(report.contains(after), "{report}");
        // Nothing is noted that is untrue then.
        assert!(!report.contains("note"), "{report}");
    }
    check_report(
        format!("{KNOWS}\n{ADA}{ADA}\n"),
        1,
        &["memory.jsonl:1: note: relation \"Ada\" \"knows\" \"Bo\": no entity is named \"Bo\"\n"],
    );
}
