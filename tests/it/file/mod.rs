//! What a memory file may hold, and what is done to one on a person's behalf.

mod check;
mod damage;
mod format;
mod migration;
mod place;
mod properties;
mod records;
mod repair;
mod repair_properties;
mod storage_reports;
