//! Writing to stderr on a thread of its own, for systems that do not tell
//! whether there is room.

use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// How many texts may wait.
const LONGEST_QUEUE: usize = 256;

enum Job {
    Write(Vec<u8>),
    /// Says when all before it is written.
    Flush(Sender<()>),
}

/// Writes the text soon, if so much may wait. How much that is: all or nothing.
pub(super) fn write(text: &[u8], _: Duration) -> usize {
    let is_taken = match queue() {
        Some(queue) => queue.try_send(Job::Write(text.to_vec())).is_ok(),
        // No thread is to be had.
        None => std::io::stderr().write_all(text).is_ok(),
    };
    if is_taken { text.len() } else { 0 }
}

/// Waits so long at most until all is written.
pub(super) fn finish(wait: Duration) {
    let (done, is_done) = channel();
    if let Some(queue) = queue()
        && queue.try_send(Job::Flush(done)).is_ok()
    {
        let _ = is_done.recv_timeout(wait);
    }
}

fn queue() -> Option<&'static SyncSender<Job>> {
    static QUEUE: OnceLock<Option<SyncSender<Job>>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (queue, jobs) = sync_channel(LONGEST_QUEUE);
        let thread = std::thread::Builder::new().name("stderr".to_owned());
        thread.spawn(move || work(&jobs)).ok().map(|_| queue)
    });
    queue.as_ref()
}

fn work(jobs: &Receiver<Job>) {
    for job in jobs {
        match job {
            // A closed stderr is no reason to fail.
            Job::Write(text) => drop(std::io::stderr().write_all(&text)),
            Job::Flush(done) => drop(done.send(())),
        }
    }
}
