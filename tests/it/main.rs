//! Tests through the public face: the built binary and the library.

#![allow(clippy::unwrap_used)]

mod any_arguments;
mod arguments;
mod attributes;
mod benchmarks;
mod check_repair;
mod contract;
mod contract_changes;
mod contract_reference;
mod differential;
mod examples;
mod faults;
mod foreign_locks;
mod format;
mod format_properties;
mod kill;
mod lifecycle;
mod locks;
mod manifest;
mod many_processes;
mod memory;
mod migration;
mod model_inputs;
mod nasty_names;
mod paths;
mod power_loss;
mod program;
mod promises;
mod readme;
mod real_faults;
mod reference;
mod schemas;
mod sessions;
mod shared_file;
mod storage_reports;
mod support;
mod tools_command;
mod wire_hostile;
mod wire_listen;
mod wire_modern;
mod wire_tools;
