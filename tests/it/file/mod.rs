//! What a memory file may hold, and what is done to one on a person's behalf.

mod check_repair;
mod format;
mod migration;
mod properties;
mod storage_reports;
