//! Random calls on both servers, ours and the reference, each on a file of
//! its own: results and files have to be the same, but for what
//! `support/differences.rs` declares.
//!
//! A sequence begins with a file, makes some calls, swaps the two files, so
//! that each server reads what the other wrote, and goes on. One that shows a
//! difference is made smaller and printed with its seed. Two variables:
//! `MCP_MEMORY_CALLS` is the number of calls (2,000 without it),
//! `MCP_MEMORY_SEED` the first sequence's seed (random without it).

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use super::calls::{Call, Calls, descendants};
use super::installed::installed;
use super::pair::{Failure, Pair, Seen};
use crate::support::differences::DIFFERENCES;
use crate::support::random::number;

/// Calls in one sequence; the graph stays far below 500 entities with it.
const LENGTH: usize = 60;

#[test]
#[ignore = "needs the reference server"]
fn random_calls_do_the_same_on_both_servers() {
    let reference = installed();
    let calls = number("MCP_MEMORY_CALLS", 2_000);
    let first = number("MCP_MEMORY_SEED", RandomState::new().hash_one(0) >> 16);
    let mut pair = Pair::start(&reference);
    let mut seen = Seen::default();
    let mut seed = first;
    while seen.calls < calls {
        let sequence = Sequence::of(seed);
        if let Err(failure) = sequence.play(&mut pair, &mut seen) {
            let (sequence, failure) = sequence.smaller(failure, || Pair::start(&reference));
            panic!("{}", sequence.report(seed, &failure));
        }
        seed += 1;
    }
    eprintln!("{} calls from seed {first} on", seen.calls);
    for declared in DIFFERENCES
        .iter()
        .filter(|declared| declared.shown_by_calls)
    {
        let times = seen
            .differences
            .get(&declared.difference)
            .copied()
            .unwrap_or(0);
        eprintln!("{times:8} times {:?}", declared.difference);
        // A short run may miss one by chance, a run of this length does not.
        assert!(
            times > 0 || seen.calls < 2_000,
            "{:?} is declared, and no call has shown it",
            declared.difference
        );
    }
    let by_tool: BTreeMap<_, _> = seen.successes.iter().collect();
    eprintln!("successes: {by_tool:?}");
}

#[test]
fn the_same_seed_makes_the_same_sequence() {
    assert_eq!(Sequence::of(7).show(), Sequence::of(7).show());
    assert_ne!(Sequence::of(7).show(), Sequence::of(8).show());
}

/// What happens to the two servers, one after the other.
#[derive(Clone)]
struct Sequence {
    file: Option<Vec<u8>>,
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Call(Call),
    Swap,
}

impl Sequence {
    fn of(seed: u64) -> Sequence {
        let mut calls = Calls::new(seed);
        let file = calls.file();
        let mut steps: Vec<Step> = (0..LENGTH).map(|_| Step::Call(calls.next())).collect();
        // Somewhere in the middle, and once more where the first swap gave
        // the odd bytes of the file to the reference.
        steps.insert(LENGTH / 4, Step::Swap);
        steps.insert(LENGTH / 2, Step::Swap);
        Sequence { file, steps }
    }

    fn play(&self, pair: &mut Pair, seen: &mut Seen) -> Result<(), Failure> {
        let mut at = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            pair.begin(self.file.as_deref());
            for step in &self.steps {
                at += 1;
                match step {
                    Step::Call(call) => pair.call(call, seen)?,
                    Step::Swap => pair.swap(seen)?,
                }
            }
            Ok(())
        }));
        match outcome {
            Ok(outcome) => outcome,
            // A server that is gone or silent shows as a panic of its session.
            Err(panic) => Err(match panic.downcast_ref::<String>() {
                Some(text) => format!("step {at}: {text}"),
                None => format!("step {at}: a panic without text"),
            }),
        }
    }

    /// The smallest sequence found that fails too, and how it does.
    fn smaller(mut self, mut failure: Failure, start: impl Fn() -> Pair) -> (Sequence, Failure) {
        let mut pair = start();
        let mut fails = |sequence: &Sequence| {
            let outcome = sequence.play(&mut pair, &mut Seen::default()).err();
            if outcome.is_some() {
                // The servers may be gone, or their files wild.
                pair = start();
            }
            outcome
        };
        let mut size = self.steps.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < self.steps.len() {
                let mut fewer = self.clone();
                fewer.steps.drain(at..(at + size).min(self.steps.len()));
                match fails(&fewer) {
                    Some(other) => (self, failure) = (fewer, other),
                    None => at += size,
                }
            }
            size /= 2;
        }
        let mut step = 0;
        while step < self.steps.len() {
            let simpler = match &self.steps[step] {
                Step::Call(Call {
                    sent, meant: None, ..
                }) => simpler(sent),
                _ => Vec::new(),
            };
            let mut tried = simpler.into_iter().map(|sent| {
                let mut fewer = self.clone();
                if let Step::Call(call) = &mut fewer.steps[step] {
                    call.sent = sent;
                }
                (fails(&fewer), fewer)
            });
            match tried.find_map(|(other, fewer)| Some((fewer, other?))) {
                Some(found) => (self, failure) = found,
                None => step += 1,
            }
        }
        let mut line = 0;
        while let Some(file) = &self.file {
            let lines: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
            if line == lines.len() {
                break;
            }
            let mut fewer = self.clone();
            let rest = lines.iter().enumerate().filter(|(at, _)| *at != line);
            fewer.file = Some(rest.flat_map(|(_, line)| line.to_vec()).collect());
            match fails(&fewer) {
                Some(other) => (self, failure) = (fewer, other),
                None => line += 1,
            }
        }
        (self, failure)
    }

    fn report(&self, seed: u64, failure: &str) -> String {
        format!(
            "the servers differ\n\n{}\n{failure}\n\n\
             The whole sequence again, before it was made smaller:\n\
             MCP_MEMORY_SEED={seed} MCP_MEMORY_CALLS=1 \
             cargo test --test it differential:: -- --ignored",
            self.show()
        )
    }

    fn show(&self) -> String {
        let mut text = match &self.file {
            Some(file) => format!("file: \"{}\"\n", file.escape_ascii()),
            None => "no file\n".to_owned(),
        };
        for step in &self.steps {
            text += &match step {
                Step::Swap => "swap the files\n".to_owned(),
                Step::Call(call) => format!("{} {}\n", call.tool, call.sent),
            };
        }
        text
    }
}

/// The value without one of its items, or with a shorter text.
fn simpler(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for path in descendants(value) {
        let (parent, key) = path.rsplit_once('/').unwrap();
        let mut fewer = value.clone();
        if let (Some(items), Ok(at)) = (
            fewer.pointer_mut(parent).unwrap().as_array_mut(),
            key.parse::<usize>(),
        ) {
            items.remove(at);
            all.push(fewer);
            fewer = value.clone();
        }
        if let Some(Value::String(text)) = fewer.pointer_mut(&path)
            && text.chars().count() > 20
        {
            *text = text.chars().take(text.chars().count() / 2).collect();
            all.push(fewer);
        }
    }
    all
}
