//! Plain programs that do the least that a server cannot do without: what they
//! take is the limit that the servers' figures are held against.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use memchr::memmem;
use serde::Deserialize;

use crate::generate::NEEDLE;
use crate::server::{Buffer, Server};

/// The argument that makes this program [`emit`].
pub const EMIT: &str = "--emit";

/// Writes `bytes` to a temp file and renames it over `target`; with `fsync`
/// both the file and its directory are made durable.
pub fn replace(target: &Path, bytes: &[u8], fsync: bool) -> io::Result<Duration> {
    let temp = target.with_extension("temp");
    let start = Instant::now();
    let mut file = File::create(&temp)?;
    file.write_all(bytes)?;
    if fsync {
        file.sync_all()?;
    }
    fs::rename(&temp, target)?;
    if fsync {
        File::open(target.parent().expect("it is a file"))?.sync_all()?;
    }
    Ok(start.elapsed())
}

/// Reads the file and parses every line into a struct that borrows from it.
pub fn parse(path: &Path) -> io::Result<Duration> {
    // One flat struct: a tagged enum would buffer every line before it knows
    // what it is, which takes half as long again.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "parsed, not used")]
    struct Record<'a> {
        r#type: &'a str,
        name: Option<&'a str>,
        entity_type: Option<&'a str>,
        #[serde(borrow, default)]
        observations: Vec<&'a str>,
        from: Option<&'a str>,
        to: Option<&'a str>,
        relation_type: Option<&'a str>,
    }

    let start = Instant::now();
    let text = fs::read_to_string(path)?;
    let records: Vec<Record> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let time = start.elapsed();
    black_box(records);
    Ok(time)
}

/// Looks for the word in the lower-cased text, which is made beforehand.
pub fn search(text: &str, repetitions: usize) -> Vec<Duration> {
    let lowered = text.to_lowercase();
    let finder = memmem::Finder::new(NEEDLE);
    (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            black_box(finder.find_iter(lowered.as_bytes()).count());
            start.elapsed()
        })
        .collect()
}

/// How long a child process takes to write the bytes of `file` to its pipe,
/// from the line that asks for them to the last byte read.
pub fn pipe(
    file: &Path,
    repetitions: usize,
    buffer: Buffer,
) -> io::Result<(Vec<Duration>, Buffer)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(EMIT).arg(file);
    let mut child = Server::spawn(command, buffer)?;
    let times = (0..repetitions)
        .map(|_| child.exchange(b"go\n"))
        .collect::<io::Result<_>>()?;
    Ok((times, child.close()?))
}

/// The child of [`pipe`]: writes the file once for each line it reads.
pub fn emit(file: &PathBuf) -> io::Result<()> {
    let bytes = fs::read(file)?;
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        line?;
        // Rust's stdout looks for line feeds, of which there is one, and hands
        // everything before it on as it is.
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}
