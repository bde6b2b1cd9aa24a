//! Trying again what fails only because another program has the file for a
//! moment, as virus scanners and search indexes do on Windows.

use std::io;
use std::time::{Duration, Instant};

/// Scanners take milliseconds. What lasts longer is no accident.
const LONGEST: Duration = Duration::from_secs(1);

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Does it, and again for a moment while it fails like this.
pub(super) fn patiently<T>(
    is_passing: impl Fn(&io::Error) -> bool,
    mut act: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match act() {
            Err(error) if is_passing(&error) && started.elapsed() < LONGEST => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_busy(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::ResourceBusy
    }

    #[test]
    fn what_passes_is_tried_again() {
        let mut left = 3;
        let result = patiently(is_busy, || {
            left -= 1;
            if left > 0 {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            Ok("done")
        });
        assert_eq!(result.unwrap(), "done");
        assert_eq!(left, 0);
    }

    #[test]
    fn what_does_not_pass_is_tried_once_and_what_never_ends_is_given_up() {
        let mut tries = 0;
        let mut fail = |kind: io::ErrorKind| {
            tries += 1;
            Err::<(), _>(io::Error::from(kind))
        };
        patiently(is_busy, || fail(io::ErrorKind::NotFound)).unwrap_err();
        let error = patiently(is_busy, || fail(io::ErrorKind::ResourceBusy)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        assert!(tries > 2);
    }
}
