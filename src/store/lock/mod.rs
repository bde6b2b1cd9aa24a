//! `FILE.lock`: one writer at a time, among processes that may die, be
//! suspended, or be other programs.
//!
//! The rules are in `docs/behaviour.md`, "Several processes, one file". Why a
//! file, and not an advisory lock alone, which the system gives back by itself:
//! a memory file is often shared by different programs. The reference server's
//! next release, and shell scripts, take turns by creating, refreshing and
//! removing `FILE.lock`. They would not notice an advisory lock, and one who
//! takes no notice of theirs overwrites what they write. Besides, some network
//! file systems have no advisory locks at all.
//!
//! So a lock is a file that those programs understand, and ours come into being
//! whole and with an advisory lock on them, which ends with the process. That
//! way the question whether one of us is still alive goes to the system, and a
//! dead one's lock is broken at once. Only a lock about which the system can
//! tell nothing is judged by its age.
//!
//! In reading order: [`claim`] says who wants the lock; [`acquire`] waits for
//! it, takes it and breaks it; `watched` judges the file that is there, and
//! `holder` is what that file says; `making` makes ours, [`locks`] knows in which
//! way that works here, `held` is ours while we have it, and `heartbeat` keeps it
//! fresh; `clearing` removes a dead one, and puts right what its holder left.

pub mod acquire;
pub mod claim;
mod clearing;
mod heartbeat;
mod held;
mod holder;
pub mod locks;
mod making;
mod watched;

pub use acquire::Lock;
pub use claim::{Claim, LockTiming};
pub use locks::Locks;
