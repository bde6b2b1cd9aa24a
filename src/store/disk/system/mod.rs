//! What differs between systems in how files are opened, told apart, locked,
//! named and made durable. Nothing is decided here.

#[cfg(target_os = "linux")]
mod extended;
#[cfg(target_os = "linux")]
mod fresh;
#[cfg(not(target_os = "linux"))]
mod no_extended;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(in crate::store) use unix::*;
#[cfg(windows)]
pub(in crate::store) use windows::*;

#[cfg(target_os = "linux")]
pub(super) use extended::{extended, get_extended, set_extended};
#[cfg(not(target_os = "linux"))]
pub(super) use no_extended::{extended, get_extended, set_extended};
