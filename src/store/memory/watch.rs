//! Notices that another process changed the memory file, while somebody is
//! subscribed to hear of it.
//!
//! The system tells of changes in the file's directory, which also covers a
//! file that is replaced by renaming. Where it cannot (a network file system
//! does not tell what other hosts do, a directory may not exist yet), looking
//! at the file's identity twice a second still finds every change in time, so
//! that is always done as well; it costs one system call. Whether a change is
//! news is for the [`commit`](super::commit) module to say.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::store::disk::file_system::directory_of;

/// How often the file is looked at when the system says nothing. A change is
/// told within a second.
pub const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Watches for as long as it lives.
pub struct Watch {
    /// None where the system cannot tell.
    _watcher: Option<RecommendedWatcher>,
    alarm: Alarm,
}

/// Asks for one look at the file, however many events there are until then.
#[derive(Clone)]
struct Alarm {
    is_raised: Arc<AtomicBool>,
    look: Arc<dyn Fn() + Send + Sync>,
}

impl Watch {
    /// Calls `look` when something happens to `target`, and not again before
    /// [`Watch::looked`] says that the look is being taken.
    pub fn start(target: &Path, look: impl Fn() + Send + Sync + 'static) -> Watch {
        let alarm = Alarm {
            is_raised: Arc::default(),
            look: Arc::new(look),
        };
        Watch {
            _watcher: watcher(target, alarm.clone()).ok(),
            alarm,
        }
    }

    /// The file is about to be looked at; what happens from now on is new.
    pub fn looked(&self) {
        self.alarm.is_raised.store(false, Ordering::SeqCst);
    }
}

fn watcher(target: &Path, alarm: Alarm) -> notify::Result<RecommendedWatcher> {
    let file_name = target.file_name().map(PathBuf::from);
    let handler = move |event: notify::Result<Event>| {
        let concerns_file = match &event {
            // Our own reads raise access events.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
            Ok(event) => event
                .paths
                .iter()
                .any(|path| path.file_name().map(Path::new) == file_name.as_deref()),
            // Events may have got lost.
            Err(_) => true,
        };
        if concerns_file && !alarm.is_raised.swap(true, Ordering::SeqCst) {
            (alarm.look)();
        }
    };
    let mut watcher = notify::recommended_watcher(handler)?;
    watcher.watch(directory_of(target), RecursiveMode::NonRecursive)?;
    Ok(watcher)
}
