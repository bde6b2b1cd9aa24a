//! `mcp-memory check` and `mcp-memory repair`: what they say, what they write,
//! and that no byte of the original is ever gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mcp_memory::store::Document;
use mcp_memory::store::format::parts::bad_lines;
use proptest::prelude::*;

use crate::support::files::lock_of;

const ADA: &str =
    r#"{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}"#;
const BO: &str =
    r#"{"type":"entity","name":"Bo","entityType":"person","observations":["plays go"]}"#;
const KNOWS: &str = r#"{"type":"relation","from":"Ada","to":"Bo","relationType":"knows"}"#;

/// A directory with a memory file in it.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn with(file: impl AsRef<[u8]>) -> Place {
        let place = Place {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::write(place.file(), file).unwrap();
        place
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("memory.jsonl")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("MEMORY_FILE_PATH")
            .output()
            .unwrap()
    }

    /// Everything in the directory but the memory file, by its ending.
    fn others(&self) -> Vec<(String, Vec<u8>)> {
        let mut found: Vec<_> = fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_name() != "memory.jsonl")
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                let ending = name.strip_prefix("memory.jsonl.").unwrap_or(&name);
                let kind = ending.split('-').next().unwrap().to_owned();
                (kind, fs::read(entry.path()).unwrap())
            })
            .collect();
        found.sort();
        found
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What repair makes of a file, and what it sets aside.
#[track_caller]
fn repaired(file: impl AsRef<[u8]>, arguments: &[&str]) -> (String, String) {
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
fn check_repair(file: impl AsRef<[u8]>, expected: &[&str], rejected: &str) {
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
        "memory.jsonl:2:1: not JSON: expected a value, found `o`\n    set aside: 4 bytes\n",
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
    let place = Place::with("x\n");
    for _ in 0..3 {
        fs::write(place.file(), "x\n").unwrap();
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
    let place = Place::with("x\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(place.file(), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("memory.jsonl", place.directory.path().join("link")).unwrap();

    let lock = lock_of(&place.file());
    fs::write(&lock, "{}").unwrap();
    let output = place.run(&["--lock-timeout", "0.05", "repair", "link"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("memory.jsonl.lock"));
    assert_eq!(fs::read(place.file()).unwrap(), b"x\n");
    fs::remove_file(&lock).unwrap();

    assert_eq!(place.run(&["repair", "link"]).status.code(), Some(0));
    assert_eq!(fs::read(place.file()).unwrap(), b"");
    assert_eq!(
        fs::read_link(place.directory.path().join("link")).unwrap(),
        Path::new("memory.jsonl")
    );
    for entry in fs::read_dir(place.directory.path()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o640, "{}", path.display());
    }
}

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
    let nothing = "    repair would save nothing and set ";
    check_without_memory(
        "{\"entities\":{\n\"A\":{}}}\n",
        "    repair would save 1 record\n",
    );
    check_without_memory(
        r#"[{"type":"person","name":"A"}]"#,
        "    repair would save 1 record\n",
    );
    check_without_memory(
        r#"[{"type":"entity","name":"A","observations":"x"}]"#,
        nothing,
    );
    check_without_memory(
        r#"{"entities":[{"name":"A","entityType":"t","observations":"x"}]}"#,
        nothing,
    );
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
        let command = format!("`mcp-memory {command} '{}'`", file.display());
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
    assert_eq!(report["afterRepair"], 5);
    assert_eq!(
        report["duplicateEntities"][0]["lines"],
        serde_json::json!([1, 2])
    );
    assert_eq!(
        report["danglingRelations"][0]["missing"],
        serde_json::json!(["Bo"])
    );

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
            said.contains(full.to_str().unwrap().trim_end_matches("/.")),
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

/// Pieces of damaged files.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => Just(ADA.as_bytes().to_vec()),
        2 => Just(KNOWS.as_bytes().to_vec()),
        4 => Just(b"\n".to_vec()),
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
        1 => Just(b"\r\n \xEF\xBB\xBF\xC2\xA0".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
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
        let plan = mcp_memory::store::format::salvage::plan(&file, merge);
        prop_assert_eq!(bad_lines(&plan.output), vec![], "{}", text(&file));
        prop_assert_eq!(plan.steps.len(), bad_lines(&file).len());
        let again = mcp_memory::store::format::salvage::plan(&plan.output, false);
        prop_assert!(again.is_nothing());
        prop_assert_eq!(&again.output, &plan.output);
        if !merge {
            // Good lines come out as they were, in their order.
            let mut output = plan.output.split(|&byte| byte == b'\n');
            if bad_lines(&file).is_empty() {
                let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&file);
                for line in file.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
                    if line.first() == Some(&b'{') {
                        prop_assert_eq!(output.next(), Some(line));
                    }
                }
            }
        }
    }

    #[test]
    fn random_bytes_are_repaired(bytes: Vec<u8>) {
        let plan = mcp_memory::store::format::salvage::plan(&bytes, true);
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
    ] {
        let file = piece.repeat(100_000);
        let plan = mcp_memory::store::format::salvage::plan(file.as_bytes(), false);
        assert!(bad_lines(&plan.output).is_empty());
    }
}
