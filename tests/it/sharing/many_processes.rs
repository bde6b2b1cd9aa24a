//! Several processes on one file (docs/behaviour.md, "Several processes, one
//! file"): servers among themselves, a shell that appends without any lock,
//! and a Node program that takes turns by the plain lock-file protocol. How to
//! run the long forms is in `tests/README.md`.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mcp_memory::store::Document;
use serde_json::{Value, json};

use crate::support::files::names_in;
use crate::support::random::{Random, number};
use crate::support::repository;
use crate::support::session::Session;
use crate::support::tools::{create, entity, names};

const SERVERS: usize = 8;

#[test]
fn servers_that_write_at_once_lose_nothing_and_every_read_is_whole() {
    let creates = number("MCP_MEMORY_CREATES", 20);
    let mut random = Random::seeded("many processes");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let world = World::default();
    let is_over = AtomicBool::new(false);
    let (longest, reads) = thread::scope(|scope| {
        // Started at once, while there is no file.
        let writers: Vec<_> = (0..SERVERS)
            .map(|server| {
                let (file, world, random) = (&file, &world, random.fork());
                scope.spawn(move || work(file, world, server, creates, random))
            })
            .collect();
        let reader = scope.spawn(|| read_until(&is_over, &file, &world));
        let longest: Vec<_> = writers.into_iter().map(|it| it.join()).collect();
        is_over.store(true, Ordering::SeqCst);
        let longest: Vec<Duration> = longest.into_iter().map(|it| it.unwrap()).collect();
        (longest, reader.join().unwrap())
    });

    let stored = names_in_file(&file);
    let expected = world.there();
    assert_eq!(stored.len(), expected.len(), "something is there twice");
    assert_eq!(stored.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
    eprintln!(
        "many processes: {SERVERS} servers, {creates} creates and {} deletes each, {reads} reads \
         by another; the longest wait for a write was {:?}, by server: {longest:?}",
        creates / 2,
        longest.iter().max().unwrap(),
    );
}

#[test]
fn what_a_script_appended_before_a_call_is_there_after_it() {
    let mut session = Session::fresh();
    session.initialize("2025-06-18");
    let mut expected = Vec::new();
    for at in 0..20 {
        let (ours, theirs) = (format!("ours {at}"), format!("shell {at}"));
        create(&mut session, &ours);
        // The last line ends with LF, or this would run into it.
        let appended = shell(session.file(), at, 1, 0).wait().unwrap();
        assert!(appended.success());
        expected.extend([ours, theirs]);
        assert_eq!(names_in_file(session.file()), expected);
    }
    assert_eq!(names(&mut session), expected);
}

/// A shell that takes no lock can append between our last look at the file
/// and the rename, or to the file that was just replaced. That is lost, and
/// counted here; nothing else is.
#[test]
fn a_script_that_appends_all_the_time_costs_no_answered_write_and_no_readable_file() {
    let appends = number("MCP_MEMORY_APPENDS", 1000);
    let pause = number("MCP_MEMORY_APPEND_PAUSE", 1000);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let mut sessions = [Session::initialized(&file), Session::initialized(&file)];
    let mut script = shell(&file, 0, appends, pause);
    let is_over = AtomicBool::new(false);
    let ours = thread::scope(|scope| {
        let writers: Vec<_> = sessions
            .iter_mut()
            .enumerate()
            .map(|(server, session)| {
                let is_over = &is_over;
                scope.spawn(move || {
                    let mut answered = Vec::new();
                    while !is_over.load(Ordering::SeqCst) {
                        let name = format!("{server}/{}", answered.len());
                        create(session, &name);
                        answered.push(name);
                    }
                    answered
                })
            })
            .collect();
        let status = script.wait();
        is_over.store(true, Ordering::SeqCst);
        assert!(status.unwrap().success());
        let answered = writers.into_iter().map(|it| it.join().unwrap());
        answered.collect::<Vec<_>>().concat()
    });

    let stored = names_in_file(&file);
    let (theirs, rest): (Vec<String>, Vec<String>) = stored
        .into_iter()
        .partition(|name| name.starts_with("shell "));
    assert_eq!(sorted(&rest), sorted(&ours));
    let kept = sorted(&theirs).len() as u64;
    assert_eq!(kept, theirs.len() as u64, "something is there twice");
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
    eprintln!(
        "appending shell: {} of {appends} appends lost, {pause} µs apart, beside {} answered \
         writes of two servers, none lost",
        appends - kept,
        ours.len()
    );
}

#[test]
#[ignore = "needs node"]
fn programs_that_know_only_the_plain_lock_file_and_we_lose_nothing_of_each_other() {
    let writes = number("MCP_MEMORY_CREATES", 20);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let others: Vec<Child> = (0..2)
        .map(|at| {
            Command::new("node")
                .arg(repository("tests/lockers/plain_lock.mjs"))
                .arg(&file)
                .args([format!("node {at}"), writes.to_string()])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let longest: Vec<Duration> = thread::scope(|scope| {
        let file = &file;
        let servers = (0..2).map(|server| {
            scope.spawn(move || {
                let mut session = Session::initialized(file);
                let writes = (0..writes).map(|at| {
                    let started = Instant::now();
                    create(&mut session, &format!("ours {server} {at}"));
                    started.elapsed()
                });
                writes.max().unwrap()
            })
        });
        let servers: Vec<_> = servers.collect();
        servers.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let mut waits = Vec::new();
    for other in others {
        let output = other.wait_with_output().unwrap();
        assert!(output.status.success());
        waits.push(String::from_utf8(output.stdout).unwrap().trim().to_owned());
    }

    let mut expected = Vec::new();
    for at in 0..writes {
        for who in ["ours 0", "ours 1", "node 0", "node 1"] {
            expected.push(format!("{who} {at}"));
        }
    }
    let stored = names_in_file(&file);
    assert_eq!(stored.len(), expected.len());
    assert_eq!(sorted(&stored), sorted(&expected));
    assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
    eprintln!(
        "plain lock: two servers and two Node programs, {writes} writes each, none lost; our \
         longest waits {longest:?}, theirs {waits:?} ms"
    );
}

/// What became of an entity, as far as its writer knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Asked,
    There,
    Leaving,
    Gone,
}

/// The entities of all writers, by name. Every entity has a twin that is
/// created and deleted in the same call. The state changes before each call
/// and after its answer, so that a read can be judged by the states before
/// and after it.
#[derive(Default)]
struct World(Mutex<BTreeMap<String, State>>);

impl World {
    fn set(&self, name: &str, state: State) {
        self.0.lock().unwrap().insert(name.to_owned(), state);
    }

    fn now(&self) -> BTreeMap<String, State> {
        self.0.lock().unwrap().clone()
    }

    /// All that is there, twins too.
    fn there(&self) -> BTreeSet<String> {
        let there = self.now().into_iter();
        let there = there.filter(|(_, state)| *state == State::There);
        there.flat_map(|(name, _)| [twin(&name), name]).collect()
    }
}

fn twin(name: &str) -> String {
    format!("{name}'")
}

/// One server: creates, awaited one by one, half of them deleted again, and a
/// look at its own after each step. The longest wait for a write.
fn work(file: &Path, world: &World, server: usize, creates: u64, mut random: Random) -> Duration {
    let mut session = Session::initialized(file);
    let mut longest = Duration::ZERO;
    let mut own = BTreeSet::new();
    for at in 0..creates {
        let name = format!("{server}/{at}");
        world.set(&name, State::Asked);
        let pair = [name.clone(), twin(&name)];
        let entities = pair.clone().map(|name| entity(&name));
        let arguments = json!({"entities": entities});
        longest = longest.max(write(&mut session, "create_entities", arguments));
        world.set(&name, State::There);
        own.extend(pair);
        check_own(&mut session, server, &own);
        if at % 2 == 1 {
            let at = random.below(own.len());
            let name = own
                .iter()
                .nth(at)
                .unwrap()
                .trim_end_matches('\'')
                .to_owned();
            world.set(&name, State::Leaving);
            let pair = [name.clone(), twin(&name)];
            let arguments = json!({"entityNames": pair});
            longest = longest.max(write(&mut session, "delete_entities", arguments));
            world.set(&name, State::Gone);
            pair.iter().for_each(|name| assert!(own.remove(name)));
            check_own(&mut session, server, &own);
        }
    }
    longest
}

/// Only this server touches what is its own, so it sees exactly that.
fn check_own(session: &mut Session, server: usize, own: &BTreeSet<String>) {
    let prefix = format!("{server}/");
    let seen = names(session).into_iter();
    let seen: BTreeSet<String> = seen.filter(|name| name.starts_with(&prefix)).collect();
    assert_eq!(&seen, own, "server {server} does not see its own writes");
}

/// Reads through a server of its own, and judges each read. How many there
/// were.
fn read_until(is_over: &AtomicBool, file: &Path, world: &World) -> usize {
    let mut session = Session::initialized(file);
    let mut reads = 0;
    while !is_over.load(Ordering::SeqCst) {
        let before = world.now();
        let seen: BTreeSet<String> = names(&mut session).into_iter().collect();
        for (name, state) in world.now() {
            let is_there = seen.contains(&name);
            assert_eq!(
                is_there,
                seen.contains(&twin(&name)),
                "half a write: {name}"
            );
            match (before.get(&name), state) {
                (Some(State::There), State::There) => assert!(is_there, "lost: {name}"),
                (Some(State::Gone), _) => assert!(!is_there, "back from the dead: {name}"),
                _ => {}
            }
        }
        reads += 1;
    }
    reads
}

/// How long it took.
#[track_caller]
fn write(session: &mut Session, tool: &str, arguments: Value) -> Duration {
    let started = Instant::now();
    let result = session.call(tool, arguments);
    assert_eq!(result.get("isError"), None, "{result}");
    started.elapsed()
}

/// The names in the file, which can be read.
#[track_caller]
fn names_in_file(file: &Path) -> Vec<String> {
    let bytes = std::fs::read(file).unwrap();
    if let Err(lines) = Document::parse(bytes.clone()) {
        panic!("{lines:?}");
    }
    let text = String::from_utf8(bytes).unwrap();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
    records.map(|record: Value| name_of(&record)).collect()
}

/// Appends these many records, from number `from`, with so many microseconds
/// between them.
fn shell(file: &Path, from: u64, count: u64, pause: u64) -> Child {
    const SCRIPT: &str = r#"
        exec {never}<> <(:)
        for ((at = $2; at < $2 + $3; at++)); do
            printf '{"type":"entity","name":"shell %d","entityType":"t","observations":[]}\n' \
                $at >>"$1"
            (($4 == 0)) || read -rt "$(printf '0.%06d' "$4")" -u $never || true
        done
    "#;
    Command::new("bash")
        .args(["-euc", SCRIPT, "append"])
        .arg(file)
        .args([from, count, pause].map(|number| number.to_string()))
        .spawn()
        .expect("bash can be started")
}

fn name_of(entity: &Value) -> String {
    entity["name"].as_str().unwrap().to_owned()
}

fn sorted(names: &[String]) -> BTreeSet<&String> {
    names.iter().collect()
}
