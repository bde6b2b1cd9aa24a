//! How a change reaches the disk, and what is left when that fails.

mod attributes;
mod faults;
mod gap;
mod memory;
mod power_loss;
mod real_faults;
