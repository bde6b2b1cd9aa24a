//! What goes over the pipes while serving: both eras, requests, subscriptions,
//! and how a connection ends.

mod hostile;
mod in_process;
mod lifecycle;
mod listen;
mod modern;
mod prompts;
mod tools;
