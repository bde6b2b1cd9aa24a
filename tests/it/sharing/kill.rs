//! SIGKILL in the middle of writes (docs/behaviour.md, "Writing" and "Several
//! processes, one file"): of two servers that write one large file, one is
//! killed at a random moment, again and again. How often, and the seed of the
//! moments, are in `tests/README.md`.

#![cfg(unix)]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use mcp_memory::store::Document;
use serde_json::{Value, json};

use crate::support::files::{lock_of, names_in};
use crate::support::processes::signal;
use crate::support::random::{Random, number};
use crate::support::session::{PATIENCE, Session};
use crate::support::tools::call_request;

/// The protocol lets a lock that tells nothing stand for 30 s. A survivor that
/// waited for that would take longer than this; one that sees that the holder
/// is dead takes milliseconds.
const NO_TIMEOUT: Duration = Duration::from_secs(10);

#[test]
fn a_killed_writer_loses_no_answered_write_tears_nothing_and_stops_nobody() {
    let kills = number("MCP_MEMORY_KILLS", 30);
    let mut random = Random::seeded("kill");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let base = Base::of_5_mb();
    std::fs::write(&file, base.entities.clone() + &base.relations).unwrap();

    let mut survivor = Session::initialized(&file);
    let mut answered = Vec::new();
    let mut cycle = measured(&mut survivor, &mut answered);
    let (mut held_the_lock, mut longest) = (0, Duration::ZERO);
    for round in 0..kills {
        let mut victim = Session::initialized(&file);
        let pid = victim.pid();
        let killed = Mutex::new(None);
        let (first_answer, has_begun) = channel();
        let (from_victim, from_survivor) = thread::scope(|scope| {
            let victim = &mut victim;
            let victim = scope
                .spawn(move || write_until_dead(victim, &format!("victim {round}"), &first_answer));
            let survivor = scope.spawn(|| write_on(&mut survivor, round, &killed));
            // An error means that the victim failed, which its join tells.
            let _ = has_begun.recv();
            // Uniform over two writes of the victim, so that the moment falls
            // on every step of one.
            thread::sleep(cycle.mul_f64(2.0 * random.share()));
            signal(pid, "KILL");
            *killed.lock().unwrap() = Some(Instant::now());
            held_the_lock += usize::from(lock_names(&file, pid));
            base.check(&file, &answered, round);
            (victim.join().unwrap(), survivor.join().unwrap())
        });
        victim.kill();
        cycle = (cycle + from_victim.cycle) / 2;
        longest = longest.max(from_survivor.longest_wait);
        answered.extend(from_victim.lines);
        answered.extend(from_survivor.lines);
        base.check(&file, &answered, round);
        assert_eq!(
            names_in(directory.path()),
            ["memory.jsonl"],
            "left behind in round {round}"
        );
        assert!(
            from_survivor.longest_wait < NO_TIMEOUT,
            "round {round}: the survivor waited {:?}",
            from_survivor.longest_wait
        );
    }
    eprintln!(
        "kill: {kills} kills, {held_the_lock} while holding the lock; {} answered writes, none \
         lost; the survivor's longest wait was {longest:?}, a write took {cycle:?}",
        answered.len()
    );
    assert!(held_the_lock > 0, "no kill hit the inside of a write");
}

/// Some die while they wait, one while it writes, and one while it clears up
/// after that one.
#[test]
fn when_most_writers_are_killed_at_once_the_last_one_goes_on_and_clears_up() {
    const WRITERS: usize = 5;
    let rounds = number("MCP_MEMORY_KILLS", 30) / 3;
    let mut random = Random::seeded("kill most");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    std::fs::write(&file, "").unwrap();
    let base = Base {
        entities: String::new(),
        relations: String::new(),
    };
    let mut survivor = Session::initialized(&file);
    let mut answered = Vec::new();
    let cycle = measured(&mut survivor, &mut answered);
    let mut longest = Duration::ZERO;
    for round in 0..rounds {
        let mut victims: Vec<Session> = (0..WRITERS).map(|_| Session::initialized(&file)).collect();
        let pids: Vec<u32> = victims.iter().map(Session::pid).collect();
        let killed = Mutex::new(None);
        let (first_answer, has_begun) = channel();
        let (from_victims, from_survivor) = thread::scope(|scope| {
            let spawned: Vec<_> = victims
                .iter_mut()
                .enumerate()
                .map(|(at, victim)| {
                    let (first_answer, who) =
                        (first_answer.clone(), format!("victim {at} {round}"));
                    scope.spawn(move || write_until_dead(victim, &who, &first_answer))
                })
                .collect();
            drop(first_answer);
            let survivor = scope.spawn(|| write_on(&mut survivor, round, &killed));
            let _ = has_begun.recv();
            // One after the other, so close that what the first left is being
            // cleared up by the next.
            for pid in pids {
                thread::sleep(cycle.mul_f64(2.0 * random.share()));
                signal(pid, "KILL");
            }
            *killed.lock().unwrap() = Some(Instant::now());
            let victims = spawned.into_iter().map(|it| it.join());
            let victims: Vec<_> = victims.collect();
            (victims, survivor.join().unwrap())
        });
        longest = longest.max(from_survivor.longest_wait);
        for from_victim in from_victims {
            answered.extend(from_victim.unwrap().lines);
        }
        answered.extend(from_survivor.lines);
        base.check(&file, &answered, round);
        assert_eq!(names_in(directory.path()), ["memory.jsonl"]);
        assert!(longest < NO_TIMEOUT, "round {round}: waited {longest:?}");
    }
    eprintln!(
        "kill: {WRITERS} of {} writers killed at once, {rounds} times; {} answered writes, none \
         lost; the survivor's longest wait was {longest:?}",
        WRITERS + 1,
        answered.len()
    );
}

/// What one writer did in one round.
struct Written {
    /// The lines that must be in the file.
    lines: Vec<String>,
    /// How long one write took.
    cycle: Duration,
    /// The longest wait for an answer after the kill.
    longest_wait: Duration,
}

/// Creates entity after entity. Says when the first was answered.
fn write_until_dead(session: &mut Session, who: &str, first_answer: &Sender<()>) -> Written {
    let started = Instant::now();
    let mut lines = Vec::new();
    let mut cycle = Duration::ZERO;
    loop {
        let name = format!("{who} {}", lines.len());
        // An answer that was on its way when the server died is one: the
        // client reads it.
        let answer = session
            .try_send(&create(&name))
            .then(|| session.try_next(PATIENCE))
            .flatten();
        let Some(answer) = answer else {
            break;
        };
        assert_created(&answer);
        lines.push(line(&name));
        cycle = started.elapsed() / u32::try_from(lines.len()).unwrap();
        let _ = first_answer.send(());
    }
    Written {
        lines,
        cycle,
        longest_wait: Duration::ZERO,
    }
}

/// Creates entity after entity, until one that was begun after the kill is
/// stored.
fn write_on(session: &mut Session, round: u64, killed: &Mutex<Option<Instant>>) -> Written {
    let mut lines = Vec::new();
    let mut longest_wait = Duration::ZERO;
    loop {
        let sent = Instant::now();
        let name = format!("survivor {round} {}", lines.len());
        session.send(&create(&name));
        assert_created(&session.next());
        lines.push(line(&name));
        if let Some(killed) = *killed.lock().unwrap() {
            longest_wait = longest_wait.max(sent.max(killed).elapsed());
            if sent > killed {
                break;
            }
        }
    }
    Written {
        lines,
        cycle: Duration::ZERO,
        longest_wait,
    }
}

/// How long one write takes.
fn measured(session: &mut Session, answered: &mut Vec<String>) -> Duration {
    const WRITES: u32 = 4;
    let started = Instant::now();
    for at in 0..WRITES {
        let name = format!("measured {at}");
        session.send(&create(&name));
        assert_created(&session.next());
        answered.push(line(&name));
    }
    started.elapsed() / WRITES
}

fn create(name: &str) -> Value {
    let entity = json!({"name": name, "entityType": "t", "observations": [name]});
    call_request(name, "create_entities", json!({"entities": [entity]}))
}

fn line(name: &str) -> String {
    format!(r#"{{"type":"entity","name":"{name}","entityType":"t","observations":["{name}"]}}"#)
}

#[track_caller]
fn assert_created(answer: &Value) {
    let entities = answer["result"]["structuredContent"]["entities"].as_array();
    assert!(entities.is_some_and(|it| it.len() == 1), "{answer}");
}

/// Whether the lock beside `file` was left by this process.
fn lock_names(file: &Path, pid: u32) -> bool {
    let lock = std::fs::read(lock_of(file)).unwrap_or_default();
    serde_json::from_slice::<Value>(&lock).is_ok_and(|record| record["pid"] == pid)
}

/// What the file holds from the beginning.
struct Base {
    entities: String,
    relations: String,
}

impl Base {
    fn of_5_mb() -> Base {
        const BYTES: usize = 5_000_000;
        let mut base = Base {
            entities: String::new(),
            relations: String::new(),
        };
        let mut at = 0;
        while base.entities.len() + base.relations.len() < BYTES {
            let note = format!("note {at} on what was said, in words enough to fill it. ");
            let entity = json!({"type": "entity", "name": format!("base {at}"),
                "entityType": "topic", "observations": [note.repeat(4), "é, 語 and \"quotes\""]});
            let relation = json!({"type": "relation", "from": format!("base {at}"),
                "to": format!("base {}", at / 2), "relationType": "follows"});
            writeln!(base.entities, "{entity}").unwrap();
            writeln!(base.relations, "{relation}").unwrap();
            at += 1;
        }
        base
    }

    /// The file can be read, nothing of the base has changed, and between its
    /// entities and its relations is every answered line.
    #[track_caller]
    fn check(&self, file: &Path, answered: &[String], round: u64) {
        let bytes = std::fs::read(file).unwrap();
        if let Err(lines) = Document::parse(bytes.clone()) {
            panic!("round {round}: {lines:?}");
        }
        let text = String::from_utf8(bytes).unwrap();
        let new = text
            .strip_prefix(&self.entities)
            .and_then(|rest| rest.strip_suffix(&self.relations));
        let Some(new) = new else {
            panic!("round {round}: what was there before is not as it was");
        };
        let stored: HashSet<&str> = new.lines().collect();
        for line in answered {
            assert!(stored.contains(line.as_str()), "round {round}: lost {line}");
        }
    }
}
