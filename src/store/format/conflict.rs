//! What `git merge` writes into a file in which both sides changed the same
//! lines.

use std::ops::Range;

use memchr::memchr;

/// A conflict: both sides of it between markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The lines of the side that was checked out.
    pub ours: Range<usize>,
    /// The lines that both sides come from, where git was told to show them
    /// (`diff3`).
    pub base: Option<Range<usize>>,
    /// The lines of the side that was merged in.
    pub theirs: Range<usize>,
    /// What git calls the two sides.
    pub names: [String; 2],
    /// Offset behind the last marker, its LF not included.
    pub end: usize,
}

/// Why there is no conflict at a first marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoConflict {
    /// The markers are not in their order.
    Broken,
    /// The last marker is missing up to the end of the file.
    NoEnd,
}

/// The marker that the line is, if it is one: `<`, `|`, `=` or `>`.
pub fn marker(line: &[u8]) -> Option<u8> {
    let (&first, rest) = line.split_first()?;
    let is_marker = matches!(first, b'<' | b'|' | b'=' | b'>')
        && rest.len() >= 6
        && rest[..6].iter().all(|&byte| byte == first)
        && matches!(rest.get(6), None | Some(b' ' | b'\t' | b'\r'));
    is_marker.then_some(first)
}

impl Conflict {
    /// The conflict whose first marker is the line at `start`.
    ///
    /// # Errors
    /// [`NoConflict`]
    pub fn find(bytes: &[u8], start: usize) -> Result<Conflict, NoConflict> {
        let mut at = start;
        let mut seen: Vec<(u8, Range<usize>)> = Vec::new();
        while at < bytes.len() {
            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |lf| at + lf);
            if let Some(sort) = marker(&bytes[at..end]) {
                seen.push((sort, at..end));
                let sorts: Vec<u8> = seen.iter().map(|(sort, _)| *sort).collect();
                match &*sorts {
                    b"<=>" | b"<|=>" => return Ok(Conflict::of(bytes, &seen)),
                    b"<" | b"<=" | b"<|" | b"<|=" => {}
                    _ => return Err(NoConflict::Broken),
                }
            }
            at = end + 1;
        }
        Err(NoConflict::NoEnd)
    }

    fn of(bytes: &[u8], markers: &[(u8, Range<usize>)]) -> Conflict {
        let between = |left: usize| {
            (markers[left].1.end + 1).min(markers[left + 1].1.start)..markers[left + 1].1.start
        };
        let name = |marker: &Range<usize>| {
            String::from_utf8_lossy(&bytes[marker.start + 7..marker.end])
                .trim()
                .to_owned()
        };
        let last = markers.len() - 1;
        Conflict {
            ours: between(0),
            base: (last == 3).then(|| between(1)),
            theirs: between(last - 1),
            names: [name(&markers[0].1), name(&markers[last].1)],
            end: markers[last].1.end,
        }
    }

    /// The lines of the markers; the first one is at `start`.
    pub fn markers(&self, bytes: &[u8], start: usize) -> Vec<Vec<u8>> {
        let before = self.base.as_ref().unwrap_or(&self.ours).end;
        let first = start..self.ours.start;
        let base = self.base.iter().map(|base| self.ours.end..base.start);
        let last = [before..self.theirs.start, self.theirs.end..self.end];
        let places = std::iter::once(first).chain(base).chain(last);
        let line = |place: Range<usize>| bytes[place].trim_ascii().to_vec();
        places.map(line).collect()
    }

    /// What it is, for a person; `line` is that of the first marker.
    pub fn describe(&self, bytes: &[u8], start: usize, line: usize) -> String {
        let lines = |end: usize| memchr::memchr_iter(b'\n', &bytes[start..end]).count();
        let side = |what: &str, name: &str, range: &Range<usize>| {
            let (first, behind) = (line + lines(range.start), line + lines(range.end));
            let place = match behind - first {
                0 => "is empty".to_owned(),
                1 => format!("is line {first}"),
                _ => format!("is lines {first} to {}", behind - 1),
            };
            match name {
                "" => format!("{what} {place}"),
                name => format!("{what} ({name}) {place}"),
            }
        };
        format!(
            "a git conflict: {}, {}",
            side("ours", &self.names[0], &self.ours),
            side("theirs", &self.names[1], &self.theirs)
        )
    }
}
