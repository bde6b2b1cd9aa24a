//! What an error of the system means for what is tried next.
//!
//! File systems disagree about the error for one and the same thing: where hard
//! links are not known, for example, they answer with at least eight different
//! ones. So the errors that do mean something are listed here, and whoever asks
//! treats the rest alike.

use std::io;

/// Whether the system may have answered so because it does not have what was
/// asked for (hard links, files without a name, a rename that replaces
/// nothing), so that another way is worth trying. Errors that the other way
/// would meet too, or that say how things are, are none.
#[must_use]
pub fn means_no_such_thing(error: &io::Error) -> bool {
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied => is_not_permitted(error),
        ErrorKind::AlreadyExists
        | ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::OutOfMemory
        | ErrorKind::StaleNetworkFileHandle => false,
        _ => !is_out_of_descriptors(error),
    }
}

/// Whether there is nothing at the path: never was, or was removed by another
/// computer while we had it open.
#[must_use]
pub fn means_nothing_there(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::StaleNetworkFileHandle
    )
}

/// Whether making a file may have failed because another process was quicker.
/// Some file systems have no word of their own for that.
#[must_use]
pub fn may_mean_too_late(error: &io::Error) -> bool {
    means_nothing_there(error) || is_not_permitted(error)
}

/// EPERM, "not permitted", as opposed to EACCES, "permission denied": the
/// first is also what many systems say to what they do not have. Rust gives
/// both the same kind.
fn is_not_permitted(error: &io::Error) -> bool {
    cfg!(unix) && error.raw_os_error() == Some(1)
}

#[cfg(unix)]
fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

#[cfg(not(unix))]
fn is_out_of_descriptors(_error: &io::Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn what_file_systems_say_to_links_they_do_not_know_means_no_such_thing() {
        for errno in [
            Errno::PERM,
            Errno::NOTSUP,
            Errno::NOSYS,
            Errno::XDEV,
            Errno::MLINK,
            Errno::IO,
            Errno::RANGE,
            Errno::INVAL,
        ] {
            assert!(means_no_such_thing(&errno.into()), "{errno}");
        }
    }

    #[test]
    fn what_another_way_would_meet_too_means_what_it_says() {
        for errno in [
            Errno::ACCESS,
            Errno::EXIST,
            Errno::NOENT,
            Errno::NOSPC,
            Errno::DQUOT,
            Errno::ROFS,
            Errno::MFILE,
            Errno::STALE,
        ] {
            assert!(!means_no_such_thing(&errno.into()), "{errno}");
        }
    }
}
