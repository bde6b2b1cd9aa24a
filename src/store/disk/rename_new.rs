//! A rename that never replaces anything, as near to that as each system
//! comes.

use std::io;
use std::path::Path;

use super::cause::means_no_such_thing;

/// Gives `from` the name `to`, which nothing has yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or the system's. Nothing was changed.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    [system_rename, link_and_remove]
        .into_iter()
        .map(|rename| rename(from, to))
        .find(|result| !matches!(result, Err(error) if means_no_such_thing(error)))
        .unwrap_or_else(|| look_and_rename(from, to))
}

/// In one step, where the system and the file system have such a thing.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn system_rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn system_rename(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// In two steps. Cut off between them the file has both names, and nothing is
/// lost.
fn link_and_remove(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::hard_link(from, to)?;
    std::fs::remove_file(from).inspect_err(|_| {
        // It still has its old name, so this takes only the new one away.
        let _ = std::fs::remove_file(to);
    })
}

/// In two steps, between which others can still take the name. The caller's
/// lock keeps those away that know it.
fn look_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(to) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::fs::rename(from, to),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways keep the same promises.
    const WAYS: [fn(&Path, &Path) -> io::Result<()>; 3] =
        [rename_new, link_and_remove, look_and_rename];

    #[test]
    fn a_file_gets_a_name_that_is_free() {
        for rename in WAYS {
            let directory = tempfile::tempdir().unwrap();
            let [from, to] = ["a", "b"].map(|name| directory.path().join(name));
            std::fs::write(&from, "x").unwrap();
            rename(&from, &to).unwrap();
            assert_eq!(std::fs::read(&to).unwrap(), b"x");
            assert!(!from.exists());
        }
    }

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        for rename in WAYS {
            let directory = tempfile::tempdir().unwrap();
            let [from, to] = ["a", "b"].map(|name| directory.path().join(name));
            std::fs::write(&from, "x").unwrap();
            std::fs::write(&to, "y").unwrap();
            let error = rename(&from, &to).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read(&from).unwrap(), b"x");
            assert_eq!(std::fs::read(&to).unwrap(), b"y");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        for rename in WAYS {
            let directory = tempfile::tempdir().unwrap();
            let [from, to] = ["a", "b"].map(|name| directory.path().join(name));
            let error = rename(&from, &to).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert!(!to.exists());
        }
    }
}
