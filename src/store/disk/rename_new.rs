//! A rename that never replaces anything, as near to that as each system
//! comes.

use std::io;
use std::path::Path;

/// Gives `from` the name `to`, which nothing has yet.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or the system's. Nothing was changed.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match system_rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => link_and_remove(from, to),
        result => result,
    }
}

/// In one step. [`io::ErrorKind::Unsupported`] where the system, or the file
/// system, has no such thing.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn system_rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(|errno| match errno {
        Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => {
            io::Error::new(io::ErrorKind::Unsupported, io::Error::from(errno))
        }
        _ => errno.into(),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways keep the same promises.
    const WAYS: [fn(&Path, &Path) -> io::Result<()>; 2] = [rename_new, link_and_remove];

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
