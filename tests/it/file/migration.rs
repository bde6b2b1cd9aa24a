//! A memory.json of earlier days becomes memory.jsonl, or is left alone
//! (docs/behaviour.md, "Where the file is"): through the built binary, and
//! on disks that do what real ones do only at the wrong moment.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcp_memory::store::doctor::migrate::{Migration, migrate};
use mcp_memory::store::{Disk, RealDisk, StoreError};

use crate::support::disks::Scripted;
use crate::support::files::{lock_of, names_in, resolved};

const ADA: &str = r#"{"type":"entity","name":"Ada","entityType":"person","observations":["tea"]}"#;
const KNOWS: &str = r#"{"type":"relation","from":"A","to":"B","relationType":"knows"}"#;

/// A directory with an old memory file in it, as the binary sees it.
struct Home {
    directory: tempfile::TempDir,
}

impl Home {
    fn empty() -> Home {
        Home {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn with(old: &str) -> Home {
        let home = Home::empty();
        std::fs::write(home.path("memory.json"), old).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        resolved(self.directory.path()).join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// What lies in the directory, in order.
    fn files(&self) -> Vec<String> {
        names_in(self.directory.path())
    }

    /// Starts the server without input and lets it end.
    fn start(&self, arguments: &[&str]) -> Started {
        let output = Command::new(env!("CARGO_BIN_EXE_mcp-memory"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("MEMORY_FILE_PATH")
            .env_remove("MEMORY_FILE")
            .env_remove("MEMORY_PATH")
            // The directory is not warned about.
            .env("TMPDIR", "/nonexistent")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Started::from(&output)
    }

    fn migrate(&self, disk: impl Disk) -> Result<Migration, StoreError> {
        let disk: Arc<dyn Disk> = Arc::new(disk);
        let [old, new] = ["memory.json", "memory.jsonl"].map(|name| self.path(name));
        migrate(&disk, &old, &new, true, Duration::ZERO)
    }
}

struct Started {
    code: Option<i32>,
    /// The lines on stderr about the old file.
    said: Vec<String>,
}

impl From<&Output> for Started {
    fn from(output: &Output) -> Self {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let about_the_place = |line: &&str| {
            line.starts_with("mcp-memory: memory file ")
                || line.contains("can be deleted at any time")
        };
        Started {
            code: output.status.code(),
            said: stderr
                .lines()
                .filter(|line| !about_the_place(line))
                .map(str::to_owned)
                .collect(),
        }
    }
}

#[test]
fn an_old_memory_is_moved_and_said_so_once() {
    let text = format!("{ADA}\n{KNOWS}");
    let home = Home::with(&text);
    let started = home.start(&[]);
    let [old, new] = ["memory.json", "memory.jsonl"].map(|name| home.path(name));
    let (old, new) = (old.display(), new.display());
    assert_eq!(started.code, Some(0));
    assert_eq!(started.said, [format!("mcp-memory: moved {old} to {new}")]);
    assert_eq!(home.files(), ["memory.jsonl"]);
    assert_eq!(home.read("memory.jsonl"), text);

    assert_eq!(home.start(&[]).said, [""; 0]);
    assert_eq!(home.read("memory.jsonl"), text);
}

#[test]
fn one_record_is_enough_among_bad_lines() {
    for text in [
        KNOWS.to_owned(),
        format!("not json\n{ADA}\n{{\"type\":\"entity\"}}\n"),
        format!("\u{FEFF}{{}}\r\n{KNOWS}\r\n"),
    ] {
        let home = Home::with(&text);
        assert_eq!(home.migrate(RealDisk).unwrap(), Migration::Moved);
        assert_eq!(home.files(), ["memory.jsonl"]);
        assert_eq!(home.read("memory.jsonl"), text);
    }
}

#[test]
fn a_memory_json_without_a_record_is_left_alone_with_a_warning() {
    for text in [
        "",
        "\n\n",
        "{}",
        "{\"type\":\"entity\"}\n",
        "{\"name\":\"my-package\",\n\"version\":\"1.0.0\"}\n",
        "[1, {\"x\": 2}]",
    ] {
        let home = Home::with(text);
        let started = home.start(&[]);
        assert_eq!(started.code, Some(0));
        assert_eq!(
            started.said,
            [format!(
                "mcp-memory: warning: {} is left alone: no entity and no relation was found in it",
                home.path("memory.json").display()
            )],
            "{text}"
        );
        assert_eq!(home.files(), ["memory.json"]);
        assert_eq!(home.read("memory.json"), text);
    }
}

#[test]
fn a_memory_json_with_a_whole_document_is_left_alone_with_the_command_that_helps() {
    for (text, found) in [
        (format!("[{ADA}]"), "1 entity or relation"),
        (format!("[\n{ADA},\n{ADA}\n]"), "2 entities and relations"),
        (
            format!("{{\"entities\":[\n{ADA}\n],\"relations\":[]}}"),
            "1 entity or relation",
        ),
    ] {
        let home = Home::with(&text);
        let started = home.start(&[]);
        assert_eq!(started.code, Some(0));
        let old = home.path("memory.json");
        let old = old.display();
        let said = format!(
            "mcp-memory: warning: {old} is left alone: {found} in it, in a document, not one \
             record a line; run `mcp-memory repair {old}`, which makes lines of it, and start again"
        );
        assert_eq!(started.said, [said], "{text}");
        assert_eq!(home.files(), ["memory.json"]);
        assert_eq!(home.read("memory.json"), text);
    }
}

#[test]
fn what_is_no_file_is_left_alone_with_a_warning() {
    let home = Home::empty();
    std::fs::create_dir(home.path("memory.json")).unwrap();
    let started = home.start(&[]);
    assert_eq!(started.code, Some(0));
    assert_eq!(started.said.len(), 1, "{:?}", started.said);
    assert!(started.said[0].contains("memory.json is left alone: "));
    assert_eq!(home.files(), ["memory.json"]);
}

#[test]
fn without_an_old_file_nothing_is_said() {
    let started = Home::empty().start(&[]);
    assert_eq!((started.code, started.said.len()), (Some(0), 0));
}

#[test]
fn nothing_is_moved_when_there_is_a_memory_jsonl() {
    for there in [KNOWS, ""] {
        let home = Home::with(ADA);
        std::fs::write(home.path("memory.jsonl"), there).unwrap();
        assert_eq!(home.start(&[]).said, [""; 0]);
        assert_eq!(home.read("memory.json"), ADA);
        assert_eq!(home.read("memory.jsonl"), there);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_a_memory_jsonl() {
    let home = Home::with(ADA);
    std::os::unix::fs::symlink("elsewhere", home.path("memory.jsonl")).unwrap();
    assert_eq!(home.start(&[]).said, [""; 0]);
    assert_eq!(home.files(), ["memory.json", "memory.jsonl"]);
    assert_eq!(home.read("memory.json"), ADA);
}

#[cfg(unix)]
#[test]
fn an_old_file_that_is_a_link_stays_one() {
    let home = Home::empty();
    std::fs::write(home.path("notes"), ADA).unwrap();
    std::os::unix::fs::symlink("notes", home.path("memory.json")).unwrap();
    assert_eq!(home.migrate(RealDisk).unwrap(), Migration::Moved);
    assert_eq!(home.files(), ["memory.jsonl", "notes"]);
    let link = std::fs::read_link(home.path("memory.jsonl")).unwrap();
    assert_eq!(link, Path::new("notes"));
}

#[test]
fn nothing_is_moved_when_the_path_was_chosen() {
    let home = Home::with(ADA);
    let started = home.start(&["--memory-file", "memory.jsonl"]);
    assert_eq!(started.said, [""; 0]);
    assert_eq!(home.files(), ["memory.json"]);
}

#[test]
fn a_move_that_fails_exits_1_naming_both_paths_and_the_cause() {
    let home = Home::with(ADA);
    std::fs::write(home.path("memory.jsonl.lock"), "somebody's").unwrap();
    let started = home.start(&["--lock-timeout", "0"]);
    let [old, new] = ["memory.json", "memory.jsonl"].map(|name| home.path(name));
    let (old, new) = (old.display(), new.display());
    let text = started.said.join("\n");
    assert_eq!(started.code, Some(1), "{text}");
    let start = format!("mcp-memory: error: cannot move {old} to {new}: ");
    assert!(text.starts_with(&start), "{text}");
    assert!(text.contains("memory.jsonl.lock"), "{text}");
    assert_eq!(home.files(), ["memory.json", "memory.jsonl.lock"]);
    assert_eq!(home.read("memory.json"), ADA);
}

/// The real disk, where something happens right before the move.
fn just_before(
    home: &Home,
    act: impl Fn(&Path, &Path) -> io::Result<()> + Send + Sync + 'static,
) -> Scripted {
    let [old, new] = ["memory.json", "memory.jsonl"].map(|name| home.path(name));
    let lock = lock_of(&new);
    Scripted::new(RealDisk, move |_, step| {
        if !step.starts_with("rename_new ") {
            return None;
        }
        assert!(lock.exists(), "the move goes on under the lock");
        act(&old, &new).err()
    })
}

#[test]
fn a_move_made_meanwhile_by_another_process_is_success() {
    let home = Home::with(ADA);
    let moved = home.migrate(just_before(&home, |from: &Path, to: &Path| {
        std::fs::rename(from, to)
    }));
    assert_eq!(moved.unwrap(), Migration::NotNeeded);
    assert_eq!(home.files(), ["memory.jsonl"]);
    assert_eq!(home.read("memory.jsonl"), ADA);
}

#[test]
fn a_memory_jsonl_made_meanwhile_is_never_replaced() {
    let home = Home::with(ADA);
    let moved = home.migrate(just_before(&home, |_: &Path, to: &Path| {
        std::fs::write(to, KNOWS)
    }));
    let new = home.path("memory.jsonl");
    assert_eq!(
        moved.unwrap(),
        Migration::LeftAlone(format!(
            "{} was made by another process in the meantime",
            new.display()
        ))
    );
    assert_eq!(home.files(), ["memory.json", "memory.jsonl"]);
    assert_eq!(home.read("memory.json"), ADA);
    assert_eq!(home.read("memory.jsonl"), KNOWS);
}

#[test]
fn an_old_file_that_vanished_meanwhile_is_a_move_that_failed() {
    let home = Home::with(ADA);
    let moved = home.migrate(just_before(&home, |from: &Path, _: &Path| {
        std::fs::remove_file(from)
    }));
    assert!(matches!(moved, Err(StoreError::Refused(_))));
    assert_eq!(home.files(), [""; 0]);
}

#[test]
fn a_move_that_the_system_refuses_leaves_everything_as_it_was() {
    let home = Home::with(ADA);
    let refused = just_before(&home, |_: &Path, _: &Path| {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "no way"))
    });
    let [old, new] = ["memory.json", "memory.jsonl"].map(|name| home.path(name));
    assert_eq!(
        home.migrate(refused).unwrap_err().to_string(),
        format!(
            "cannot move {} to {}: no way\n\
             move it by hand, or name the file to use with --memory-file",
            old.display(),
            new.display()
        )
    );
    assert_eq!(home.files(), ["memory.json"]);
    assert_eq!(home.read("memory.json"), ADA);
}
