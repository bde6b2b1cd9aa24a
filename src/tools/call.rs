//! The one door to the tools: a tool, its arguments, and later what came of it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::contract::{Handlers, Tool, work};
use super::outcome::{Outcome, ToolError};
use super::served::Served;
use super::validate;
use super::work::Work;
use crate::store::Memory;

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
}

impl<H: Handlers> MemoryTools<H> {
    /// The tools of `served`, on this memory.
    pub fn new(memory: Memory, handlers: H, served: Served) -> MemoryTools<H> {
        MemoryTools {
            memory,
            handlers: Arc::new(handlers),
            served,
        }
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
            Work::Read(look) => self.memory.read(look),
            Work::Change(change) => self.memory.update(change),
        });
        async { queued?.await? }
    }
}
