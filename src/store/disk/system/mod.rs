//! What differs between systems in how files are opened, locked, named and
//! made durable. Nothing is decided here.

#[cfg(target_os = "linux")]
mod extended;
#[cfg(not(target_os = "linux"))]
mod no_extended;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;

#[cfg(target_os = "linux")]
pub(super) use extended::{extended, get_extended, set_extended};
#[cfg(not(target_os = "linux"))]
pub(super) use no_extended::{extended, get_extended, set_extended};
