//! What a write keeps of the memory file, and what it refuses to write over
//! (docs/behaviour.md, "Writing"), through the built binary.

#![cfg(unix)]

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::files::names_in;
use crate::support::session::{Session, modern_request};
use crate::support::tools::{ADA, create, creating, fail_to_create, names, refusal};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn permission_bits_stay() {
    for bits in [0o600, 0o640, 0o644, 0o666, 0o660, 0o755] {
        let mut session = Session::holding(ADA);
        let file = session.file().to_path_buf();
        std::fs::set_permissions(&file, Permissions::from_mode(bits)).unwrap();
        let before = std::fs::metadata(&file).unwrap().ino();
        create(&mut session, "Bo");
        assert_ne!(
            std::fs::metadata(&file).unwrap().ino(),
            before,
            "it was replaced"
        );
        assert_eq!(mode(&file), bits, "{bits:o} became {:o}", mode(&file));
    }
}

#[test]
fn a_new_file_gets_what_the_umask_leaves() {
    for (umask, bits) in [
        ("022", 0o644),
        ("027", 0o640),
        ("077", 0o600),
        ("000", 0o666),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("memory.jsonl");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("umask {umask}; exec \"$0\"")])
            .arg(env!("CARGO_BIN_EXE_mcp-memory"))
            .env("MEMORY_FILE_PATH", &file);
        let mut session = Session::spawn(shell);
        create(&mut session, "Ada");
        assert_eq!(mode(&file), bits, "umask {umask}");
    }
}

#[test]
#[ignore = "needs root"]
fn owner_and_group_stay_where_the_process_may_set_them() {
    let mut session = Session::holding(ADA);
    let file = session.file().to_path_buf();
    std::os::unix::fs::chown(&file, Some(65534), Some(65533)).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    create(&mut session, "Bo");
    let now = std::fs::metadata(&file).unwrap();
    assert_eq!((now.uid(), now.gid(), mode(&file)), (65534, 65533, 0o640));
}

/// An access control list as Linux stores it: the owner and user 4242 may read
/// and write, the owning group may not, and the mask is `rw`.
#[cfg(target_os = "linux")]
fn access_list() -> Vec<u8> {
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, bits, id) in [
        (0x01_u16, 6_u16, u32::MAX),
        (0x02, 6, 4242),
        (0x04, 0, u32::MAX),
        (0x10, 6, u32::MAX),
        (0x20, 0, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(bits.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

#[cfg(target_os = "linux")]
const ACCESS_LIST: &str = "system.posix_acl_access";

#[cfg(target_os = "linux")]
#[track_caller]
fn set_extended(file: &Path, name: &str, value: &[u8]) {
    rustix::fs::setxattr(file, name, value, rustix::fs::XattrFlags::empty()).unwrap();
}

#[cfg(target_os = "linux")]
fn extended(file: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 1024];
    let length = rustix::fs::getxattr(file, name, &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs access control lists in the temporary directory"]
fn extended_attributes_and_the_access_control_list_stay() {
    for (name, value) in [
        ("user.colour", b"blue".to_vec()),
        (ACCESS_LIST, access_list()),
    ] {
        let mut session = Session::holding(ADA);
        let file = session.file().to_path_buf();
        set_extended(&file, name, &value);
        let before = mode(&file);
        create(&mut session, "Bo");
        assert_eq!(extended(&file, name), Some(value), "{name}");
        assert_eq!(mode(&file), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs access control lists in the temporary directory"]
fn a_list_that_cannot_be_copied_gives_the_group_no_access() {
    use crate::support::disks::Scripted;
    use crate::support::writing::Writer;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, "old").unwrap();
    set_extended(&file, ACCESS_LIST, &access_list());
    assert_eq!(mode(&file), 0o660, "the group's bits are the mask");
    let disk = Scripted::failing_always(
        mcp_memory::store::RealDisk,
        "set_extended",
        std::io::ErrorKind::PermissionDenied,
    );
    Writer::on(disk).write(&file, b"new").unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(mode(&file), 0o600);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs access control lists in the temporary directory"]
fn a_list_that_a_directory_gives_to_new_files_lets_nobody_into_an_old_one() {
    let mut session = Session::holding(ADA);
    let file = session.file().to_path_buf();
    std::fs::set_permissions(&file, Permissions::from_mode(0o660)).unwrap();
    let directory = file.parent().unwrap();
    set_extended(directory, "system.posix_acl_default", &access_list());
    create(&mut session, "Bo");
    assert_eq!(extended(&file, ACCESS_LIST), None);
    assert_eq!(mode(&file), 0o660);
}

#[test]
fn a_link_stays_a_link_and_its_target_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("notes")).unwrap();
    std::fs::write(at("notes/real.jsonl"), ADA).unwrap();
    symlink("notes/real.jsonl", at("relative.jsonl")).unwrap();
    symlink(at("notes/real.jsonl"), at("absolute.jsonl")).unwrap();
    symlink("relative.jsonl", at("chained.jsonl")).unwrap();
    for (count, link) in ["relative.jsonl", "absolute.jsonl", "chained.jsonl"]
        .iter()
        .enumerate()
    {
        let mut session = Session::start(at(link));
        create(&mut session, link);
        assert!(at(link).is_symlink(), "{link}");
        assert!(at("notes/real.jsonl").metadata().unwrap().is_file());
        assert!(!at("notes/real.jsonl").is_symlink());
        assert_eq!(names(&mut session).len(), 2 + count);
    }
    assert_eq!(names_in(&at("notes")), ["real.jsonl"]);
    let links = ["absolute.jsonl", "chained.jsonl", "notes", "relative.jsonl"];
    assert_eq!(names_in(directory.path()), links);
}

#[test]
fn a_link_to_nothing_makes_the_file_where_it_points() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link.jsonl");
    symlink("some/where/real.jsonl", &link).unwrap();
    let mut session = Session::start(&link);
    assert_eq!(names(&mut session), [""; 0]);
    create(&mut session, "Ada");
    assert!(link.is_symlink());
    assert!(directory.path().join("some/where/real.jsonl").is_file());
}

#[test]
fn servers_through_a_link_and_past_it_see_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("real.jsonl");
    let link = directory.path().join("link.jsonl");
    symlink("real.jsonl", &link).unwrap();
    let mut sessions = [Session::start(&real), Session::start(&link)];
    for number in 0..10 {
        // Both at once, so that they meet at the lock.
        let calls = sessions.each_mut().map(|session| {
            let id = session.fresh_id();
            let name = format!("{} {number}", session.file().display());
            let params = json!({"name": "create_entities", "arguments": creating(&name)});
            session.send(&modern_request(&id, "tools/call", params));
            id
        });
        for (session, id) in sessions.iter_mut().zip(&calls) {
            let answer = session.answer(id);
            assert_ne!(answer["result"]["isError"], true, "{answer}");
        }
    }
    for session in &mut sessions {
        assert_eq!(names(session).len(), 20);
    }
    assert_eq!(names_in(directory.path()), ["link.jsonl", "real.jsonl"]);
}

#[test]
fn a_name_of_244_bytes_can_be_saved_even_over_a_dead_lock() {
    let directory = tempfile::tempdir().unwrap();
    let name = "n".repeat(244);
    let mut session = Session::start(directory.path().join(&name));
    create(&mut session, "Ada");
    assert_eq!(names_in(directory.path()), [name.as_str()]);
    // Breaking it needs the longest name of all.
    let lock = std::fs::File::create(directory.path().join(format!("{name}.lock"))).unwrap();
    lock.set_modified(std::time::UNIX_EPOCH).unwrap();
    create(&mut session, "Bo");
    assert_eq!(names_in(directory.path()), [name.as_str()]);
}

#[test]
fn two_memory_files_in_one_folder_do_not_meet() {
    let directory = tempfile::tempdir().unwrap();
    let mut work = Session::start(directory.path().join("work.jsonl"));
    let mut home = Session::start(directory.path().join("home.jsonl"));
    // Even while the other one is locked.
    std::fs::write(directory.path().join("home.jsonl.lock"), "").unwrap();
    create(&mut work, "Ada");
    std::fs::remove_file(directory.path().join("home.jsonl.lock")).unwrap();
    create(&mut home, "Bo");
    assert_eq!(names(&mut work), ["Ada"]);
    assert_eq!(names(&mut home), ["Bo"]);
}

#[test]
fn missing_directories_are_made_at_the_first_write_and_not_before() {
    let directory = tempfile::tempdir().unwrap();
    let mut session = Session::start(directory.path().join("some/where/memory.jsonl"));
    assert_eq!(names(&mut session), [""; 0]);
    assert_eq!(names_in(directory.path()), [""; 0]);
    create(&mut session, "Ada");
    let names = names_in(&directory.path().join("some/where"));
    assert_eq!(names, ["memory.jsonl"]);
}

/// Reads and writes are refused with this reason, nothing blocks, and what is
/// there stays.
#[track_caller]
fn check_is_no_file(path: &Path, reason: &str) {
    let before = std::fs::metadata(path).unwrap();
    let mut session = Session::start(path);
    let read = session.call("read_graph", json!({}));
    let write = fail_to_create(&mut session, "Ada");
    for text in [refusal(&read), write] {
        assert!(text.contains(reason), "{text}");
        assert!(text.contains(&path.display().to_string()), "{text}");
    }
    let after = std::fs::metadata(path).unwrap();
    assert_eq!(
        (before.dev(), before.ino(), before.mode(), before.rdev()),
        (after.dev(), after.ino(), after.mode(), after.rdev())
    );
    if let Some(parent) = path
        .parent()
        .filter(|parent| parent.starts_with(std::env::temp_dir()))
    {
        assert_eq!(names_in(parent).len(), 1, "{:?}", names_in(parent));
    }
}

#[test]
fn a_directory_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.jsonl");
    std::fs::create_dir(&path).unwrap();
    check_is_no_file(&path, "it is a directory, not a regular file");
}

#[test]
fn a_fifo_is_refused_and_blocks_nobody() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.jsonl");
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    check_is_no_file(&path, "it is a FIFO, not a regular file");
}

#[test]
fn a_socket_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.jsonl");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    check_is_no_file(&path, "it is a socket, not a regular file");
}

#[test]
fn a_device_is_refused_also_behind_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("memory.jsonl");
    symlink("/dev/null", &path).unwrap();
    let mut session = Session::start(&path);
    let text = fail_to_create(&mut session, "Ada");
    assert!(text.contains("it is a device, not a regular file"));
    check_is_no_file(Path::new("/dev/null"), "it is a device, not a regular file");
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
}

#[test]
fn a_file_with_a_second_name_is_replaced_and_the_warning_comes_once() {
    let mut session = Session::holding(ADA);
    let file = session.file().to_path_buf();
    let second = file.with_file_name("second.jsonl");
    std::fs::hard_link(&file, &second).unwrap();
    create(&mut session, "Bo");
    std::fs::remove_file(&second).unwrap();
    std::fs::hard_link(&file, &second).unwrap();
    create(&mut session, "Cy");
    assert_eq!(names(&mut session), ["Ada", "Bo", "Cy"]);
    session.close_input();
    assert!(session.wait().success());
    let warnings = session.stderr().matches("has 2 names (hard links)").count();
    assert_eq!(warnings, 1, "{}", session.stderr());
}
