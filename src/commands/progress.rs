//! A progress bar for people who wait for a large file: on stderr, and only
//! when that is a terminal.

use std::io::{IsTerminal as _, Write as _};

/// Files up to this size are done before a bar could be read.
const SMALL: usize = 4 << 20;
const WIDTH: usize = 40;

/// A bar for so many bytes. It is wiped away when dropped.
pub struct Progress {
    total: usize,
    /// The percentage that is shown. `None`: there is no bar.
    shown: Option<usize>,
}

impl Progress {
    /// Shows an empty bar, if one is wanted.
    pub fn new(total: usize) -> Progress {
        let wanted = total > SMALL && std::io::stderr().is_terminal();
        Progress {
            total,
            shown: wanted.then_some(0),
        }
    }

    /// Says that this many bytes are done.
    pub fn at(&mut self, done: usize) {
        let percent = done * 100 / self.total.max(1);
        if self.shown.is_some_and(|shown| shown < percent) {
            self.shown = Some(percent);
            let _ = write!(std::io::stderr(), "\r{}", bar(percent));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let blank = " ".repeat(bar(100).len());
            let _ = write!(std::io::stderr(), "\r{blank}\r");
        }
    }
}

fn bar(percent: usize) -> String {
    let done = percent * WIDTH / 100;
    format!(
        "reading [{}{}] {percent:3} %",
        "#".repeat(done),
        " ".repeat(WIDTH - done)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows_and_keeps_its_width() {
        assert!(bar(0).contains(&format!("[{}]   0 %", " ".repeat(WIDTH))));
        assert!(bar(100).contains(&format!("[{}] 100 %", "#".repeat(WIDTH))));
        assert_eq!(bar(7).len(), bar(100).len());
    }
}
