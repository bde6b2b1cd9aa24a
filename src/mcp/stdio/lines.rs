//! Bytes to lines: cuts the input at line feeds and bounds how long a line may
//! be. What a line means is decided in `decode`.

use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

/// How much of both ends of a line that is too long is kept, in bytes. The id
/// of the request is looked for there.
const KEPT: usize = 4096;

/// A buffer above this size is given back after its line, in bytes.
const LARGE: usize = 1 << 20;

/// The lines of an input, one at a time.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    end: Vec<u8>,
}

/// One line, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// All of it. The last line of the input need not have had a line feed.
    Whole(&'a [u8]),
    /// It was longer than the limit and was skipped up to its end; this much
    /// of both ends is known.
    TooLong {
        /// The first bytes.
        start: &'a [u8],
        /// The last bytes.
        end: &'a [u8],
    },
}

impl<R: Read> Lines<R> {
    /// Lines of up to `limit` bytes.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Lines {
            input: BufReader::with_capacity(64 * 1024, input),
            limit,
            line: Vec::new(),
            end: Vec::new(),
        }
    }

    /// The next line; `None` at the end of input.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.line.capacity() > LARGE {
            self.line = Vec::new();
        }
        self.line.clear();
        self.end.clear();
        let mut too_long = false;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Somebody made the shared pipe non-blocking. Reading is all
                // this thread does, so it waits.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let at_end = chunk.is_empty();
            let feed = memchr::memchr(b'\n', chunk);
            let part = &chunk[..feed.unwrap_or(chunk.len())];
            if !too_long && self.line.len() + part.len() > self.limit {
                too_long = true;
                self.end = self.line.split_off(self.line.len().saturating_sub(KEPT));
                let start = self.line.len().min(KEPT);
                self.line = if start == 0 {
                    self.end.clone()
                } else {
                    self.line[..start].to_vec()
                };
            }
            if too_long {
                self.end.extend_from_slice(part);
                let surplus = self.end.len().saturating_sub(KEPT);
                self.end.drain(..surplus);
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(feed.is_some());
            self.input.consume(used);
            if feed.is_none() && !at_end {
                continue;
            }
            return Ok(if too_long {
                Some(Line::TooLong {
                    start: &self.line,
                    end: &self.end,
                })
            } else if feed.is_none() && self.line.is_empty() {
                None
            } else {
                Some(Line::Whole(&self.line))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[track_caller]
    fn check(input: &str, limit: usize, expected: &[&str]) {
        let mut lines = Lines::new(input.as_bytes(), limit);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(match line {
                Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong { start, end } => format!(
                    "{}..{}",
                    String::from_utf8_lossy(start),
                    String::from_utf8_lossy(end)
                ),
            });
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn lines_end_at_line_feeds_and_the_last_one_needs_none() {
        check("", 9, &[]);
        check("a\nb\n", 9, &["a", "b"]);
        check("a\n\nb", 9, &["a", "", "b"]);
    }

    #[test]
    fn a_line_as_long_as_the_limit_is_whole_and_a_longer_one_is_skipped() {
        check("12345\n123456\nafter\n", 5, &["12345", "..123456", "after"]);
        check("123456", 5, &["..123456"]);
    }

    #[test]
    fn both_ends_of_a_line_that_is_too_long_are_kept() {
        let long = format!("start{}end\nafter\n", "-".repeat(300_000));
        let mut lines = Lines::new(long.as_bytes(), 100_000);
        let Some(Line::TooLong { start, end }) = lines.next().unwrap() else {
            panic!("the line is too long");
        };
        assert!(start.starts_with(b"start--") && start.len() == KEPT);
        assert!(end.ends_with(b"--end") && end.len() == KEPT);
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"after")));
    }
}
