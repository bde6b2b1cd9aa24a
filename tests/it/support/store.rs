//! The served memory without a server: calls straight on the store, on a disk
//! that a test chooses.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_memory::ending::Ending;
use mcp_memory::store::lock::LockTiming;
use mcp_memory::store::memory::Answer;
use mcp_memory::store::{Disk, Memory, Options, StoreError, Worker};

use super::session::PATIENCE;

/// A store on a file in a directory of its own.
pub struct Store {
    pub memory: Memory,
    pub ending: Ending,
    pub file: PathBuf,
    _worker: Worker,
    _directory: tempfile::TempDir,
}

impl Store {
    /// On an empty file.
    pub fn on(disk: impl Disk) -> Store {
        Store::holding("", disk)
    }

    /// On a file with this text.
    pub fn holding(text: &str, disk: impl Disk) -> Store {
        Store::with(text, disk, |_| {})
    }

    /// On an empty file, giving up the wait for the lock after this time.
    pub fn waiting(lock_timeout: Duration, disk: impl Disk) -> Store {
        Store::with("", disk, |options| options.lock_timeout = lock_timeout)
    }

    /// On a file with this text, after `change` had its way with the options.
    pub fn with(text: &str, disk: impl Disk, change: impl FnOnce(&mut Options)) -> Store {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("memory.jsonl"), text).unwrap();
        Store::inside(directory, disk, change)
    }

    /// On `memory.jsonl` in this directory, which need not exist.
    pub fn inside(
        directory: tempfile::TempDir,
        disk: impl Disk,
        change: impl FnOnce(&mut Options),
    ) -> Store {
        let file = directory.path().join("memory.jsonl");
        let mut options = Options {
            path: file.clone(),
            fsync: false,
            lock_timeout: PATIENCE,
            lock_timing: LockTiming::default(),
        };
        change(&mut options);
        let ending = Ending::default();
        let (memory, worker) = Memory::start(options, Arc::new(disk), &ending).unwrap();
        Store {
            memory,
            ending,
            file,
            _worker: worker,
            _directory: directory,
        }
    }

    /// Queues the creation of an entity; whether it is new.
    pub fn create(&self, name: &str) -> Answer<bool> {
        let name = name.to_owned();
        self.memory
            .update(move |graph| graph.create_entity(&name, "t", &[]))
    }

    /// Asks for the names of all entities, in stored order.
    pub fn names(&self) -> Answer<Vec<String>> {
        self.memory.read(|snapshot| {
            let graph = snapshot.graph();
            let names = graph.all().entities.into_iter();
            names
                .map(|id| graph.text(graph.entity(id).name).to_owned())
                .collect()
        })
    }
}

/// The answer, once it is there.
pub fn wait<T>(answer: Answer<T>) -> Result<T, Arc<StoreError>> {
    block_on(answer)
}

/// Runs a future to its end, on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}
