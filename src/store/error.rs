//! What can go wrong with the memory file, in words that a model can act on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use super::format::parts::BadLine;
use crate::words::{and_more_of, shell_word};

/// Why the memory file could not be read or written. Nothing was stored
/// unless the variant says so.
#[derive(Debug)]
pub enum StoreError {
    /// Lines that are no records (docs/behaviour.md, "The memory file").
    BadLines {
        /// The file.
        path: PathBuf,
        /// All of them, in file order, at least one.
        lines: Vec<BadLine>,
    },
    /// The lock could not be had in time.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, in words.
        holder: String,
        /// How long was waited, seconds.
        waited: f32,
    },
    /// What is at the lock's path is no lock, and it did not go away in time.
    NotALock {
        /// The lock file's path.
        path: PathBuf,
        /// What is there and what to do about it, to be read behind the path.
        what: String,
        /// How long was waited, seconds.
        waited: f32,
    },
    /// The system said no.
    Io {
        /// What was tried, e.g. "write".
        action: &'static str,
        /// The path it was tried on.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
        /// What to know beyond that, e.g. whether the file was changed.
        consequence: &'static str,
    },
    /// The new file took the old one's place, but the system could not say
    /// that it will survive a power cut. The one variant after which the file
    /// is another than before.
    NotDurable {
        /// The memory file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something else that has its own complete sentence.
    Refused(String),
    /// The server is ending and the change was not begun.
    ShuttingDown,
    /// A bug: whoever should have answered is gone.
    Lost,
}

impl StoreError {
    /// A failure of the system that left the memory file as it was.
    pub(crate) fn unchanged(action: &'static str, path: &Path, source: io::Error) -> StoreError {
        StoreError::Io {
            action,
            path: path.to_path_buf(),
            source,
            consequence: "nothing was written; the memory file is as it was",
        }
    }

    /// Whether the system does not let this process write there.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(
            self,
            StoreError::Io { source, .. }
                if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
        )
    }

    /// Whether the memory file is another than before the failure.
    #[must_use]
    pub fn file_changed(&self) -> bool {
        matches!(self, StoreError::NotDurable { .. })
    }
}

/// How many bad lines an error text lists.
const LISTED_LINES: usize = 10;

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::BadLines { path, lines } => {
                let path = path.display();
                writeln!(f, "cannot read the memory file {path}:")?;
                for bad in lines.iter().take(LISTED_LINES) {
                    writeln!(f, "{path}:{}:{}: {}", bad.line, bad.column, bad.reason)?;
                }
                let more = and_more_of(lines.len(), LISTED_LINES, "bad line", "bad lines");
                if let Some(more) = more {
                    writeln!(f, "{more}")?;
                }
                let path = path.to_string();
                let word = shell_word(&path);
                write!(
                    f,
                    "nothing was changed\nrun `mcp-memory check {word}` for a full report, \
                     or `mcp-memory repair {word}` to save what can be saved and set the rest aside"
                )
            }
            StoreError::Locked {
                path,
                holder,
                waited,
            } => write!(
                f,
                "the memory file is being written by another process: {} is held by {holder}; \
                 waited {waited:.0} s\nnothing was written; try again, and if that process is \
                 gone for good, delete the lock file",
                path.display()
            ),
            StoreError::NotALock { path, what, waited } => write!(
                f,
                "cannot take the lock of the memory file: {} is {what}\nwaited {waited:.0} s; \
                 nothing was written",
                path.display()
            ),
            StoreError::Io {
                action,
                path,
                source,
                consequence,
            } => write!(
                f,
                "cannot {action} {}: {source}\n{consequence}",
                path.display()
            ),
            StoreError::NotDurable { path, source } => write!(
                f,
                "cannot make the change to {} durable: {source}\nthe change is in the file, but \
                 it may not survive a power cut; do not repeat it, look at the file system",
                path.display()
            ),
            StoreError::Refused(text) => f.write_str(text),
            StoreError::Lost => f.write_str("the answer got lost, which is a bug in mcp-memory"),
            StoreError::ShuttingDown => {
                f.write_str("the server is shutting down; nothing was written")
            }
        }
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_bad_lines_error_can_be_pasted() {
        let error = StoreError::BadLines {
            path: "/my notes/it's.jsonl".into(),
            lines: Vec::new(),
        };
        let text = error.to_string();
        assert!(
            text.contains(r#"`mcp-memory check "/my notes/it's.jsonl"`"#),
            "{text}"
        );
    }
}
