//! The ledger's rules, one at a time, without a connection.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Map;

use super::state::{BYTES, MESSAGES, REQUESTS};
use super::*;
use crate::mcp::era::Era;
use crate::mcp::reply::{Caching, Content, Message, Reply};

fn id(number: i64) -> RequestId {
    RequestId::Number(number)
}

fn answer() -> Answer {
    Ok(Reply {
        era: Era::Legacy,
        content: Content::Members(Caching::Unsaid, Map::new()),
    })
}

#[track_caller]
fn accept(ledger: &Ledger, number: i64) -> Seq {
    let mut started = None;
    let accepted = ledger.accept(id(number), false, 1, |seq| started = Some(seq));
    assert_eq!(accepted, Accepted::Yes);
    started.unwrap()
}

#[track_caller]
fn answered(ledger: &Ledger) -> RequestId {
    let Taken { message, weight } = ledger.take().expect("a message");
    ledger.written(weight);
    match message {
        Message::Answer(id, _) => id,
        _ => panic!("not an answer"),
    }
}

/// Fills the ledger with `fill`, then shows that `next` is accepted only after
/// `release`.
fn waits_for(
    fill: impl Fn(&Ledger),
    next: impl FnOnce(&Ledger) + Send + 'static,
    release: impl Fn(&Ledger),
) {
    let ledger = Arc::new(Ledger::default());
    fill(&ledger);
    let released = Arc::new(AtomicBool::new(false));
    let waiting = std::thread::spawn({
        let (ledger, released) = (Arc::clone(&ledger), Arc::clone(&released));
        move || {
            next(&ledger);
            released.load(Ordering::SeqCst)
        }
    });
    // Gives a ledger that does not wait the time to show it; one that does
    // passes whatever the timing.
    for _ in 0..1000 {
        std::thread::yield_now();
    }
    released.store(true, Ordering::SeqCst);
    release(&ledger);
    assert!(waiting.join().unwrap());
}

fn request(bytes: usize) -> impl FnOnce(&Ledger) + Send + 'static {
    move |ledger| {
        ledger.accept(id(-1), false, bytes, |_| {});
    }
}

fn refuse(ledger: &Ledger, id_length: usize) {
    let error = ErrorData::new(rmcp::model::ErrorCode::INVALID_REQUEST, "x", None);
    ledger.refuse(Some("x".repeat(id_length).into()), error);
}

#[test]
fn answers_that_a_client_does_not_read_keep_requests_out() {
    let fill = |ledger: &Ledger| {
        for number in 0..REQUESTS {
            let seq = accept(ledger, number.try_into().unwrap());
            ledger.finish(seq, answer());
        }
    };
    waits_for(fill, request(1), |ledger| {
        assert_eq!(answered(ledger), id(0))
    });
    waits_for(fill, request(1), |ledger| {
        assert!(ledger.cancel(&id(5)).is_some())
    });
}

#[test]
fn requests_of_64_mib_are_worked_on_one_at_a_time() {
    let fill = |ledger: &Ledger| {
        ledger.accept(id(1), false, BYTES + 1, |seq| assert_eq!(seq, 1));
    };
    waits_for(fill, request(BYTES), |ledger| {
        ledger.delivered();
        ledger.finish(1, answer());
        assert_eq!(answered(ledger), id(1));
    });
}

#[test]
fn requests_that_are_cancelled_faster_than_the_runtime_looks_keep_requests_out() {
    let cancelled = |ledger: &Ledger, listen: bool, bytes: usize| {
        ledger.accept(id(1), listen, bytes, |_| {});
        ledger.cancel(&id(1)).unwrap();
    };
    for listen in [false, true] {
        let fill = |ledger: &Ledger| (0..REQUESTS).for_each(|_| cancelled(ledger, listen, 1));
        waits_for(fill, request(1), Ledger::delivered);
    }
    let fill = |ledger: &Ledger| cancelled(ledger, false, BYTES);
    waits_for(fill, request(1), Ledger::delivered);
}

#[test]
fn errors_that_a_client_does_not_read_keep_requests_out() {
    let fill = |ledger: &Ledger| (0..MESSAGES).for_each(|_| refuse(ledger, 1));
    waits_for(fill, request(1), |ledger| {
        assert!(ledger.take().is_some());
    });
}

#[test]
fn errors_with_an_id_of_64_mib_are_kept_one_at_a_time() {
    let fill = |ledger: &Ledger| refuse(ledger, BYTES);
    let write = |ledger: &Ledger| ledger.written(ledger.take().unwrap().weight);
    waits_for(fill, request(1), write);
    waits_for(fill, |ledger| refuse(ledger, 1), write);
}

#[test]
fn an_answer_that_was_not_written_yet_is_dropped_by_a_cancellation() {
    let ledger = Ledger::default();
    for number in [1, 2] {
        let seq = accept(&ledger, number);
        ledger.put(seq, answer());
        ledger.finish(seq, answer());
    }
    assert_eq!(ledger.cancel(&id(1)), Some(1));
    assert_eq!(answered(&ledger), id(2));
    assert!(ledger.take().is_none());
    assert_eq!(ledger.cancel(&id(1)), None);
}

#[test]
fn a_late_answer_to_a_cancelled_request_does_not_answer_the_next_one_of_its_id() {
    let ledger = Ledger::default();
    let first = accept(&ledger, 1);
    ledger.cancel(&id(1));
    let second = accept(&ledger, 1);
    ledger.put(first, answer());
    ledger.finish(first, answer());
    assert!(ledger.take().is_none());
    ledger.finish(second, answer());
    assert_eq!(answered(&ledger), id(1));
    assert!(ledger.take().is_none());
}

#[test]
fn an_id_is_free_once_its_answer_is_being_written() {
    let ledger = Ledger::default();
    let seq = accept(&ledger, 1);
    let again = |ledger: &Ledger| ledger.accept(id(1), false, 1, |_| {});
    assert_eq!(again(&ledger), Accepted::IdInUse);
    ledger.finish(seq, answer());
    assert_eq!(again(&ledger), Accepted::IdInUse);
    let taken = ledger.take();
    assert_eq!(again(&ledger), Accepted::Yes);
    drop(taken);
}

#[test]
fn updates_and_acknowledgements_of_a_cancelled_listen_are_passed_over() {
    let ledger = Ledger::default();
    let accepted = ledger.accept(id(1), true, 1, |_| {});
    assert_eq!(accepted, Accepted::Yes);
    ledger.acknowledge(1, true);
    ledger.update(Some(1));
    ledger.update(None);
    ledger.cancel(&id(1));
    let message = ledger.take().unwrap().message;
    assert!(matches!(message, Message::Updated { listen: None }));
    assert!(ledger.take().is_none());
}

#[test]
fn with_the_output_gone_nothing_is_kept_and_nothing_accepted() {
    let ledger = Ledger::default();
    let (first, second) = (accept(&ledger, 1), accept(&ledger, 2));
    ledger.finish(first, answer());
    ledger.deafen();
    ledger.finish(second, answer());
    ledger.update(None);
    assert!(ledger.take().is_none());
    assert!(ledger.lock().requests.is_empty());
    let refused = ledger.accept(id(3), false, 1, |_| panic!("not started"));
    assert_eq!(refused, Accepted::Stopped);
}

proptest::proptest! {
    /// Whatever order the four threads act in, no request is lost or answered
    /// twice, and in the end there is room again.
    #[test]
    fn every_request_is_answered_once_or_cancelled(steps in proptest::collection::vec(0..5u8, 0..200)) {
        let ledger = Ledger::default();
        let (mut open, mut cancelled, mut seen) = (Vec::new(), 0, 0);
        let mut next = 0;
        for step in steps {
            match step {
                0 | 1 if ledger.lock().has_room(1) => {
                    next += 1;
                    open.push((next, accept(&ledger, next)));
                }
                2 => {
                    if let Some((_, seq)) = open.pop() {
                        ledger.finish(seq, answer());
                        ledger.finish(seq, answer());
                    }
                }
                3 => {
                    // An open one, or one that is answered and perhaps written.
                    let number = open.first().map_or(next, |(number, _)| *number);
                    cancelled += usize::from(ledger.cancel(&id(number)).is_some());
                    open.retain(|(open, _)| *open != number);
                }
                _ => {
                    if let Some(taken) = ledger.take() {
                        ledger.written(taken.weight);
                        seen += 1;
                    }
                    ledger.delivered();
                }
            }
        }
        for (_, seq) in open {
            ledger.finish(seq, answer());
        }
        while let Some(taken) = ledger.take() {
            ledger.written(taken.weight);
            seen += 1;
        }
        let state = ledger.lock();
        proptest::prop_assert_eq!(usize::try_from(next).unwrap(), seen + cancelled);
        proptest::prop_assert_eq!((state.calls, state.unwritten), (0, Weight::default()));
        proptest::prop_assert!(state.requests.is_empty() && state.by_id.is_empty());
    }
}
