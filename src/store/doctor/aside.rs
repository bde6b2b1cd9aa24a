//! The files that a repair keeps beside the memory file: the file as it was, and
//! what cannot be saved.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::disk::attributes::keep_attributes;
use crate::store::disk::file_system::{Access, Disk};
use crate::store::error::StoreError;

/// Files that are kept beside the memory file; removed again when the repair
/// does not come about.
pub(super) struct Aside<'a> {
    disk: &'a Arc<dyn Disk>,
    target: &'a Path,
    files: Vec<PathBuf>,
    /// Whether the memory file was replaced, so that these files stay.
    pub(super) done: bool,
}

impl<'a> Aside<'a> {
    pub(super) fn new(disk: &'a Arc<dyn Disk>, target: &'a Path) -> Self {
        Aside {
            disk,
            target,
            files: Vec::new(),
            done: false,
        }
    }

    /// Writes a file that nobody but those may read who may read the memory
    /// file.
    pub(super) fn keep(&mut self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let fail = |source| StoreError::unchanged("write", path, source);
        let file = self.disk.create_new(path, true).map_err(fail)?;
        self.files.push(path.to_path_buf());
        file.write_all(&[bytes]).map_err(fail)?;
        if let Some(old) = self.disk.open(self.target, Access::Read).map_err(fail)? {
            keep_attributes(self.target, &*old, &*file).map_err(fail)?;
        }
        file.sync().map_err(fail)
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if !self.done {
            for file in &self.files {
                let _ = self.disk.remove(file);
            }
        }
    }
}

/// The time for the names of this repair's files, with a number behind it
/// where an earlier repair in the same second took the name.
pub(super) fn free_time(disk: &dyn Disk, target: &Path) -> Result<String, StoreError> {
    let now = utc(SystemTime::now());
    let mut time = now.clone();
    for number in 2.. {
        let mut taken = false;
        for kind in ["backup", "rejected"] {
            let path = beside(target, kind, &time);
            let there = disk
                .identity(&path)
                .map_err(|source| StoreError::unchanged("look at", &path, source))?;
            taken |= there.is_some();
        }
        if !taken {
            break;
        }
        time = format!("{now}-{number}");
    }
    Ok(time)
}

pub(super) fn beside(target: &Path, kind: &str, time: &str) -> PathBuf {
    let mut name = OsString::from(target.file_name().unwrap_or_default());
    name.push(format!(".{kind}-{time}"));
    target.with_file_name(name)
}

/// `20260131T235959Z`
fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March, so that a leap day is a year's last one; 400
    // of them have 146,097 days. Day 0 is 1970-01-01.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (date, month_of_year) = (day - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
    let year = era * 400 + year + u64::from(month >= 10);
    format!(
        "{year:04}{month_of_year:02}{date:02}T{:02}{:02}{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_767_225_599, "20251231T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(utc(time), text);
        }
    }
}
