//! A real server under measurement, spoken to over its pipes. What is asked of
//! it is left to `operations.rs`.
//!
//! The reader must not be what is measured: replies go into one buffer that is
//! kept, whose pages are all there, from a pipe as large as the system allows,
//! and only the line feed is looked for.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use memchr::memchr;
use serde_json::{Value, json};

/// Any server that keeps its graph in a file named by `MEMORY_FILE_PATH`.
#[derive(Debug, Clone)]
pub struct ServerCommand {
    /// What the tables call it.
    pub name: String,
    /// The program and its arguments.
    pub words: Vec<String>,
}

impl ServerCommand {
    /// Starts it on a memory file.
    pub fn start(&self, memory_file: &Path, buffer: Buffer) -> io::Result<Server> {
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .env("MEMORY_FILE_PATH", memory_file)
            .stderr(Stdio::null());
        Server::spawn(command, buffer)
    }
}

/// A running child process that answers lines with lines.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: File,
    buffer: Buffer,
    last_id: u64,
}

impl Server {
    /// Starts any command.
    pub fn spawn(mut command: Command, buffer: Buffer) -> io::Result<Server> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        enlarge(&input);
        enlarge(&output);
        Ok(Server {
            child,
            input: Some(input),
            output: File::from(OwnedFd::from(output)),
            buffer,
            last_id: 0,
        })
    }

    /// The opening of a session, up to the first answer.
    pub fn initialize(&mut self) -> io::Result<()> {
        self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "end_to_end", "version": "1"},
            }),
        )?;
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
    }

    /// Calls a tool and returns how long the answer took. It stays in
    /// [`reply`](Self::reply).
    pub fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Duration> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: &Value) -> io::Result<Duration> {
        let line = self.line(method, params);
        self.exchange(&line)
    }

    /// Sends a line as it is and waits for the next one that is no
    /// notification.
    pub fn exchange(&mut self, line: &[u8]) -> io::Result<Duration> {
        let start = Instant::now();
        self.write(line)?;
        self.await_reply()?;
        Ok(start.elapsed())
    }

    /// Calls a tool once with each of these arguments without waiting, and
    /// returns how long all answers took together.
    pub fn pipeline(&mut self, tool: &str, calls: &[Value]) -> io::Result<Duration> {
        let lines: Vec<u8> = calls
            .iter()
            .flat_map(|arguments| {
                self.line("tools/call", &json!({"name": tool, "arguments": arguments}))
            })
            .collect();
        let start = Instant::now();
        self.write(&lines)?;
        for _ in calls {
            self.await_reply()?;
        }
        Ok(start.elapsed())
    }

    /// The last answer, without its line feed.
    pub fn reply(&self) -> &[u8] {
        self.buffer.line()
    }

    /// Resident memory now, in bytes.
    pub fn resident(&self) -> io::Result<u64> {
        self.status("VmRSS:")
    }

    /// The most memory that was resident so far, in bytes.
    pub fn peak(&self) -> io::Result<u64> {
        self.status("VmHWM:")
    }

    /// Closes its input, waits until it is gone, and gives the buffer back.
    pub fn close(mut self) -> io::Result<Buffer> {
        self.input = None;
        self.child.wait()?;
        Ok(std::mem::take(&mut self.buffer))
    }

    fn line(&mut self, method: &str, params: &Value) -> Vec<u8> {
        self.last_id += 1;
        let request = json!({
            "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params,
        });
        format!("{request}\n").into_bytes()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let input = self
            .input
            .as_mut()
            .expect("it is open until the server is closed");
        input.write_all(bytes)
    }

    fn await_reply(&mut self) -> io::Result<()> {
        loop {
            self.buffer.read_line(&mut self.output)?;
            // Where the method stands in a notification; in no reply.
            let head = &self.reply()[..self.reply().len().min(100)];
            if memchr::memmem::find(head, br#""method":"#).is_none() {
                return Ok(());
            }
        }
    }

    fn status(&self, field: &str) -> io::Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path)?;
        status
            .lines()
            .find_map(|line| {
                line.strip_prefix(field)?
                    .trim()
                    .strip_suffix(" kB")?
                    .parse()
                    .ok()
            })
            .map(|kibibytes: u64| kibibytes * 1024)
            .ok_or_else(|| io::Error::other(format!("no {field} in /proc")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.input.take().is_some() {
            // Given up because of an error, which is reported elsewhere.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// What was read, kept from one reply and one server to the next.
#[derive(Default)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// Where the last line ends; its line feed stands there.
    line_end: usize,
    /// Where what was read ends.
    end: usize,
}

impl Buffer {
    /// A buffer in which a line of this many bytes fits without growing.
    pub fn with_room(bytes: usize) -> Buffer {
        // Written to, so that the system has given all pages.
        Buffer {
            bytes: vec![b' '; bytes.max(1 << 20)],
            ..Buffer::default()
        }
    }

    fn line(&self) -> &[u8] {
        &self.bytes[..self.line_end]
    }

    fn read_line(&mut self, from: &mut impl io::Read) -> io::Result<()> {
        // What follows the last line moves to the front: a few bytes, unless
        // several replies came at once.
        let rest = (self.line_end + 1).min(self.end)..self.end;
        let mut searched = 0;
        self.end = rest.len();
        self.bytes.copy_within(rest, 0);
        loop {
            if let Some(place) = memchr(b'\n', &self.bytes[searched..self.end]) {
                self.line_end = searched + place;
                return Ok(());
            }
            searched = self.end;
            if self.end == self.bytes.len() {
                self.bytes.resize((self.end * 2).max(1 << 20), b' ');
            }
            match from.read(&mut self.bytes[self.end..])? {
                0 => return Err(io::Error::other("the server ended without an answer")),
                count => self.end += count,
            }
        }
    }
}

/// Makes a pipe hold as much as an unprivileged process may ask for. A smaller
/// one works as well.
fn enlarge(pipe: impl AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20);
}
