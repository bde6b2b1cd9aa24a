//! The one door to the tools: a tool, its arguments, and later what came of it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};

use super::contract::{Handlers, Tool, work};
use super::notes;
use super::outcome::{Outcome, ToolError};
use super::served::Served;
use super::validate;
use super::work::Work;
use crate::store::{Memory, Snapshot, StoreError};

/// Tools that can be called.
pub trait Tools: Send + Sync + 'static {
    /// Which there are.
    fn served(&self) -> &Served;

    /// Calls a tool. The arguments are checked and the work is queued when this
    /// returns, so calls take effect in the order in which they were made. The
    /// future only waits; whoever drops it before the work began calls it off.
    fn call(
        &self,
        tool: Tool,
        arguments: Option<Map<String, Value>>,
    ) -> impl Future<Output = Result<Outcome, ToolError>> + Send;
}

/// Handlers that work on a memory file.
pub struct MemoryTools<H> {
    memory: Memory,
    handlers: Arc<H>,
    served: Served,
    missing: Option<Arc<MissingFile>>,
    advice: Option<Arc<str>>,
}

/// What is said once of a memory file that does not exist.
struct MissingFile {
    note: String,
    is_said: AtomicBool,
}

impl<H: Handlers> MemoryTools<H> {
    /// The tools of `served`, on this memory.
    pub fn new(memory: Memory, handlers: H, served: Served) -> MemoryTools<H> {
        MemoryTools {
            memory,
            handlers: Arc::new(handlers),
            served,
            missing: None,
            advice: None,
        }
    }

    /// The first read that finds no file at this path says so: where a memory
    /// was expected, the path is wrong.
    #[must_use]
    pub fn telling_when_missing(mut self, file: &Path) -> Self {
        self.missing = Some(Arc::new(MissingFile {
            note: notes::no_file(file, self.served.is_read_only()),
            is_said: AtomicBool::new(false),
        }));
        self
    }

    /// What to do when the system does not let the memory file be written.
    #[must_use]
    pub fn advising(mut self, advice: Option<&str>) -> Self {
        self.advice = advice.map(Arc::from);
        self
    }
}

/// Adds to the outcome of the first read that there was no file.
fn tell_when_missing(missing: &MissingFile, snapshot: &Snapshot, outcome: &mut Outcome) {
    if !snapshot.has_file() && !missing.is_said.swap(true, Ordering::Relaxed) {
        outcome.note = notes::joined([outcome.note.take(), Some(missing.note.clone())]);
    }
}

/// The error, with the advice where the place is at fault.
fn advised(error: ToolError, advice: Option<&str>) -> ToolError {
    let is_place = matches!(&error, ToolError::Store(error) if error.is_denied());
    match advice {
        Some(advice) if is_place => {
            let text = format!("{error}\n{advice}");
            ToolError::Store(Arc::new(StoreError::Refused(text)))
        }
        _ => error,
    }
}

impl<H: Handlers> Tools for MemoryTools<H> {
    fn served(&self) -> &Served {
        &self.served
    }

    fn call(
        &self,
        tool: Tool,
        arguments: Option<Map<String, Value>>,
    ) -> impl Future<Output = Result<Outcome, ToolError>> + Send {
        let arguments = validate::arguments(tool, arguments);
        let queued = arguments.map(|arguments| match work(&self.handlers, tool, arguments) {
            Work::Read(look) => {
                let missing = self.missing.clone();
                self.memory.read(move |snapshot| {
                    let mut outcome = look(snapshot)?;
                    if let Some(missing) = missing {
                        tell_when_missing(&missing, snapshot, &mut outcome);
                    }
                    Ok(outcome)
                })
            }
            Work::Change(change) => self.memory.update(change),
        });
        let advice = self.advice.clone();
        async move {
            let done = queued?.await.map_err(ToolError::from);
            done.map_err(|error| advised(error, advice.as_deref()))?
        }
    }
}
