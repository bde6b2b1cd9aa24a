//! Another process that locks and writes: this test binary, started once more
//! with one test that obeys the commands on its stdin.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mcp_memory::store::disk::RealDisk;
use mcp_memory::store::disk::{stage, temp_name};

use crate::support::writing::Writer;

const TARGET: &str = "TEST_OTHER_TARGET";

/// What begins an answer, among what the test harness prints.
const MARK: &str = "@ ";

/// The other process. Killed when dropped.
pub struct Other {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Other {
    /// Starts it; it does nothing yet.
    pub fn start(target: &Path) -> Other {
        Other::start_as(Command::new(std::env::current_exe().unwrap()), target)
    }

    /// Starts it through another command, whose last argument is the program.
    pub fn start_as(mut command: Command, target: &Path) -> Other {
        let mut child = command
            .args([
                "--exact",
                "sharing::other::obey",
                "--ignored",
                "--nocapture",
            ])
            .env(TARGET, target)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Other {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Starts it and has it take the lock.
    pub fn holding(target: &Path) -> Other {
        let mut other = Other::start(target);
        assert_eq!(other.ask("lock"), "locked");
        other
    }

    /// Gives a command and waits for the answer.
    #[track_caller]
    pub fn ask(&mut self, command: &str) -> String {
        self.tell(command);
        self.answer()
    }

    /// Gives a command.
    pub fn tell(&mut self, command: &str) {
        writeln!(self.stdin, "{command}").unwrap();
    }

    /// Waits for an answer.
    #[track_caller]
    pub fn answer(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(
                self.stdout.read_line(&mut line).unwrap() > 0,
                "the other process is gone"
            );
            // The harness prints the name of the test without a line's end.
            if let Some((_, answer)) = line.split_once(MARK) {
                return answer.trim_end().to_owned();
            }
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, with whatever it holds.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "the other process of tests that need two"]
fn obey() {
    // Not the other process of any test: all ignored tests were asked for.
    let Some(target) = std::env::var_os(TARGET).map(PathBuf::from) else {
        return;
    };
    let writer = Writer::on(RealDisk).patient();
    let temp = temp_name();
    let mut lock = None;
    let mut staged = None;
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (command, argument) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match command {
            "lock" => match writer.lock_naming(&temp, &target, None) {
                Ok(held) => {
                    lock = Some(held);
                    "locked".to_owned()
                }
                Err(error) => error.to_string(),
            },
            "stage" => match stage(&writer.disk, &target, &temp, &[argument.as_bytes()], true) {
                Ok(file) => {
                    staged = Some(file);
                    "staged".to_owned()
                }
                Err(error) => error.to_string(),
            },
            "ours" => lock.as_ref().unwrap().is_ours().unwrap().to_string(),
            "release" => {
                staged = None;
                lock = None;
                "released".to_owned()
            }
            "write" => match writer.write(&target, argument.as_bytes()) {
                Ok(_) => "written".to_owned(),
                Err(error) => error.to_string(),
            },
            "count" => {
                let mut writer = writer.clone();
                writer.fsync = false;
                for _ in 0..argument.parse().unwrap() {
                    writer.update(&target, one_more).unwrap();
                }
                "counted".to_owned()
            }
            _ => panic!("unknown command {line:?}"),
        };
        let answer = answer.replace('\n', "; ");
        writeln!(std::io::stdout(), "\n{MARK}{answer}").unwrap();
    }
    drop(staged);
}

/// The number in a file, and one.
pub fn one_more(bytes: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(bytes).unwrap();
    let number: u64 = if text.is_empty() {
        0
    } else {
        text.parse().unwrap()
    };
    (number + 1).to_string().into_bytes()
}
