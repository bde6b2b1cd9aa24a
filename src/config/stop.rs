//! Why the process ends before it does what it was started for.

/// Help or the version that was asked for, or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The exit code. 0: `text` belongs on stdout; else on stderr.
    pub code: u8,
    /// What to print, as it is.
    pub text: String,
}

impl Stop {
    /// The command line or the environment cannot be used.
    pub(super) fn usage(text: String) -> Self {
        Stop {
            code: 2,
            text: format!("error: {text}\n"),
        }
    }
}
