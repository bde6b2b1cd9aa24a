//! One write as the store does it, straight on a disk: lock, stage, look,
//! publish, release. For tests of the lock and of the replacement that need no
//! server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcp_memory::ending::Patience;
use mcp_memory::store::StoreError;
use mcp_memory::store::disk::{Disk, Published, stage, temp_name};
use mcp_memory::store::lock::{Claim, Lock, LockTiming};

/// How a test's write is to be done.
#[derive(Clone)]
pub struct Writer {
    pub disk: Arc<dyn Disk>,
    pub limit: Duration,
    pub timing: LockTiming,
    pub fsync: bool,
    pub patience: Patience,
}

impl Writer {
    /// Tries once, does not wait.
    pub fn on(disk: impl Disk) -> Writer {
        Writer {
            disk: Arc::new(disk),
            limit: Duration::ZERO,
            timing: LockTiming::default(),
            fsync: true,
            patience: Patience::default(),
        }
    }

    /// Waits for the lock for as long as a passing test never does.
    pub fn patient(mut self) -> Writer {
        self.limit = super::session::PATIENCE;
        self
    }

    /// Takes the lock of `target`, and of `link` if there is one.
    pub fn lock(&self, target: &Path, link: Option<&Path>) -> Result<Lock, StoreError> {
        self.lock_naming(&temp_name(), target, link)
    }

    pub fn lock_naming(
        &self,
        temp_name: &str,
        target: &Path,
        link: Option<&Path>,
    ) -> Result<Lock, StoreError> {
        Lock::acquire(
            &self.disk,
            &Claim {
                link,
                fsync: self.fsync,
                timing: self.timing,
                ..Claim::new(target, temp_name, self.limit, &self.patience)
            },
        )
    }

    /// Replaces the whole file.
    pub fn write(&self, target: &Path, bytes: &[u8]) -> Result<Published, StoreError> {
        self.update(target, |_| bytes.to_vec())
    }

    /// Reads, changes and replaces the file under its lock, and again if that
    /// was lost meanwhile.
    pub fn update(
        &self,
        target: &Path,
        change: impl Fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Published, StoreError> {
        let fail = |source| StoreError::Io {
            action: "look at",
            path: target.to_path_buf(),
            source,
            consequence: "nothing was written",
        };
        loop {
            let temp = temp_name();
            let lock = self.lock_naming(&temp, target, None)?;
            let old = self.disk.read(target).map_err(fail)?;
            let seen = old.as_ref().map(|content| content.after);
            let new = change(old.map(|content| content.bytes).unwrap_or_default());
            // In two parts, so that there is something between them.
            let (start, end) = new.split_at(new.len() / 2);
            let staged = stage(&self.disk, target, &temp, &[start, end], self.fsync)?;
            if self.disk.identity(target).map_err(fail)? == seen && lock.is_ours().map_err(fail)? {
                return lock.publish(staged);
            }
        }
    }
}
