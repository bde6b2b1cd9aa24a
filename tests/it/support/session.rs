//! A conversation with the built binary: lines in, lines out, on real pipes.
//!
//! A session waits for messages, never for time: [`Session::next`] returns
//! when the server has spoken and fails the test after [`PATIENCE`]. Every
//! successful tools/call result that passes through is checked against the
//! tool's `outputSchema`, so that each test is a test of the contract too.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a test waits for something that must come. Only a failing test
/// ever waits this long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The modern protocol version.
pub const MODERN: &str = "2026-07-28";

/// A running server and both ends of its pipes. Killed when dropped.
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_closed: Receiver<()>,
    /// Messages that were read while waiting for another one.
    set_aside: VecDeque<Value>,
    /// The tools asked for under an id (as JSON text) and not answered yet.
    asked: HashMap<String, Vec<String>>,
    next_id: u64,
    /// Whether the legacy handshake was made.
    legacy: bool,
    file: PathBuf,
    /// Removed with the session, after the child was killed.
    _directory: Option<tempfile::TempDir>,
}

impl Session {
    /// The server on a memory file that does not exist yet, in a directory of
    /// its own.
    pub fn fresh() -> Session {
        Session::start_with(|_| {})
    }

    /// The server on a memory file with these bytes, in a directory of its
    /// own.
    pub fn holding(bytes: impl AsRef<[u8]>) -> Session {
        Session::serving(command(), Some(bytes.as_ref()))
    }

    /// The server on this memory file, which need not exist, after the legacy
    /// handshake.
    #[track_caller]
    pub fn initialized(file: impl AsRef<Path>) -> Session {
        let mut session = Session::start(file);
        session.initialize("2025-11-25");
        session
    }

    /// Any server, started by this command, on a memory file with these bytes
    /// (`None`: no file yet), in a directory of its own.
    pub fn serving(mut command: Command, bytes: Option<&[u8]>) -> Session {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("memory.jsonl");
        if let Some(bytes) = bytes {
            std::fs::write(&file, bytes).expect("the memory file can be written");
        }
        command.env("MEMORY_FILE_PATH", &file);
        command.current_dir(directory.path());
        let mut session = Session::spawn(command);
        session.file = file;
        session._directory = Some(directory);
        session
    }

    /// The server on this memory file, which need not exist.
    pub fn start(file: impl AsRef<Path>) -> Session {
        let file = file.as_ref();
        let mut command = command();
        command.env("MEMORY_FILE_PATH", file);
        if let Some(parent) = file.parent().filter(|parent| parent.is_dir()) {
            command.current_dir(parent);
        }
        let mut session = Session::spawn(command);
        session.file = file.to_path_buf();
        session
    }

    /// The server on a fresh memory file in a directory of its own, which is
    /// the working directory too, after `change` had its way with flags and
    /// environment.
    pub fn start_with(change: impl FnOnce(&mut Command)) -> Session {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("memory.jsonl");
        let mut command = command();
        command.env("MEMORY_FILE_PATH", &file);
        command.current_dir(directory.path());
        change(&mut command);
        let mut session = Session::spawn(command);
        session.file = file;
        session._directory = Some(directory);
        session
    }

    /// Any command that serves MCP on stdio, exactly as it is; [`command`] is
    /// where to begin.
    pub fn spawn(mut command: Command) -> Session {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server can be started");
        let stdin = child.stdin.take();
        let (lines, stdout) = channel();
        let out = child.stdout.take().expect("stdout is piped");
        std::thread::spawn(move || read_lines(out, &lines));
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let (closing, stderr_closed) = channel();
        let err = child.stderr.take().expect("stderr is piped");
        let collected = Arc::clone(&stderr);
        std::thread::spawn(move || collect(err, &collected, &closing));
        Session {
            child,
            stdin,
            stdout,
            stderr,
            stderr_closed,
            set_aside: VecDeque::new(),
            asked: HashMap::new(),
            next_id: 1,
            legacy: false,
            file: PathBuf::new(),
            _directory: None,
        }
    }

    /// The memory file of [`Session::fresh`], [`Session::holding`],
    /// [`Session::serving`], [`Session::start`] and [`Session::start_with`].
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What the memory file holds now; empty when there is none.
    pub fn bytes(&self) -> Vec<u8> {
        match std::fs::read(&self.file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => panic!("cannot read {}: {error}", self.file.display()),
        }
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the server has said on stderr so far.
    pub fn stderr(&self) -> String {
        let bytes = self.stderr.lock().expect("the collector does not panic");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    // Speaking and listening, one message at a time.

    /// Writes one message as one line.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        let mut line = serde_json::to_vec(message).expect("a Value is JSON");
        line.push(b'\n');
        self.send_raw(&line);
    }

    /// Writes these bytes, whatever they are.
    #[track_caller]
    pub fn send_raw(&mut self, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n') {
            self.remember(line);
        }
        let stdin = self.stdin.as_mut().expect("the input is still open");
        if let Err(error) = stdin.write_all(bytes).and_then(|()| stdin.flush()) {
            panic!("the server does not read: {error}\n{}", self.stderr());
        }
    }

    /// Writes one message as one line to a server that may be dead: then
    /// false.
    pub fn try_send(&mut self, message: &Value) -> bool {
        let mut line = serde_json::to_vec(message).expect("a Value is JSON");
        self.remember(&line);
        line.push(b'\n');
        let stdin = self.stdin.as_mut().expect("the input is still open");
        stdin.write_all(&line).and_then(|()| stdin.flush()).is_ok()
    }

    /// The next message from the server. Fails the test when none comes, when
    /// stdout ends, or when the line is no JSON-RPC message.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        match self.listen(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => {
                panic!("no message within {PATIENCE:?}; stderr:\n{}", self.stderr())
            }
            Err(RecvTimeoutError::Disconnected) => {
                panic!("stdout ended; stderr:\n{}", self.stderr())
            }
        }
    }

    /// The next message if one comes in this time; `None` also when stdout has
    /// ended. To show that nothing comes, ask for something else afterwards
    /// (a ping) and take its answer as the next message: that takes no time.
    #[track_caller]
    pub fn try_next(&mut self, patience: Duration) -> Option<Value> {
        self.listen(patience).ok()
    }

    /// Every message up to the end of stdout.
    #[track_caller]
    pub fn rest(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            match self.listen(PATIENCE) {
                Ok(message) => messages.push(message),
                Err(RecvTimeoutError::Disconnected) => return messages,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("stdout stays open; stderr:\n{}", self.stderr())
                }
            }
        }
    }

    /// The message with this id. Others that come before it are kept for
    /// [`Session::next`].
    #[track_caller]
    pub fn answer(&mut self, id: &Value) -> Value {
        let is_it =
            |message: &Value| message.get("id") == Some(id) && !message["method"].is_string();
        if let Some(at) = self.set_aside.iter().position(is_it) {
            return self.set_aside.remove(at).expect("it was just found");
        }
        let mut others = std::mem::take(&mut self.set_aside);
        loop {
            let message = self.next();
            if is_it(&message) {
                self.set_aside = others;
                return message;
            }
            others.push_back(message);
        }
    }

    // Whole exchanges.

    /// A legacy request and its whole answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.fresh_id();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(&id)
    }

    /// A 2026-07-28 request, with `_meta` added to `params` (what `params`
    /// has in its own `_meta` stays), and its whole answer.
    #[track_caller]
    pub fn modern(&mut self, method: &str, params: Value) -> Value {
        let id = self.fresh_id();
        self.send(&modern_request(&id, method, params));
        self.answer(&id)
    }

    /// A tools/call and its `result`: a legacy one after
    /// [`Session::initialize`], a modern one without. Tool errors are results
    /// too (`isError`); a JSON-RPC error fails the test.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut answer = if self.legacy {
            self.request("tools/call", params)
        } else {
            self.modern("tools/call", params)
        };
        assert!(
            answer.get("result").is_some(),
            "{tool} was not answered with a result: {answer}"
        );
        answer["result"].take()
    }

    /// The legacy handshake, both halves; the `initialize` result.
    #[track_caller]
    pub fn initialize(&mut self, version: &str) -> Value {
        let id = self.fresh_id();
        let mut request = initialize_request(version);
        request["id"] = id.clone();
        self.send(&request);
        let mut answer = self.answer(&id);
        assert!(
            answer.get("result").is_some(),
            "initialize failed: {answer}"
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self.legacy = true;
        answer["result"].take()
    }

    /// Shows that the server is alive and has nothing else to say: the answer
    /// to a ping is the very next message.
    #[track_caller]
    pub fn ping(&mut self) {
        let id = self.fresh_id();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(
            self.next(),
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        );
    }

    /// An id that this session has not used.
    pub fn fresh_id(&mut self) -> Value {
        self.next_id += 1;
        json!(format!("kit-{}", self.next_id))
    }

    // The end.

    /// Ends the server's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the server to exit. Does not close the input.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        // The end of stderr is the event: a process keeps it until it exits.
        match self.stderr_closed.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Timeout) => {
                panic!("the server does not exit:\n{}", self.stderr())
            }
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
        }
        self.child.wait().expect("the child can be waited for")
    }

    /// Kills the server, as a power cut would.
    pub fn kill(&mut self) -> ExitStatus {
        // An error means that it is gone already.
        let _ = self.child.kill();
        self.child.wait().expect("the child can be waited for")
    }

    // Bookkeeping.

    #[track_caller]
    fn listen(&mut self, patience: Duration) -> Result<Value, RecvTimeoutError> {
        if let Some(message) = self.set_aside.pop_front() {
            return Ok(message);
        }
        let line = self.stdout.recv_timeout(patience)?;
        let message: Value = match serde_json::from_slice(&line) {
            Ok(message) => message,
            Err(error) => panic!(
                "stdout carries JSON-RPC only, but: {error}: {}",
                String::from_utf8_lossy(&line)
            ),
        };
        assert_eq!(
            message["jsonrpc"], "2.0",
            "stdout carries JSON-RPC only, but: {message}"
        );
        self.check(&message);
        Ok(message)
    }

    fn remember(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        if message["method"] == "tools/call"
            && let Some(tool) = message["params"]["name"].as_str()
        {
            self.asked
                .entry(message["id"].to_string())
                .or_default()
                .push(tool.to_owned());
        }
    }

    /// Checks a successful result against the schema of the tool that was
    /// asked for. Where one id asked for several tools, one of them must fit.
    #[track_caller]
    fn check(&mut self, message: &Value) {
        let (Some(id), Some(result)) = (message.get("id"), message.get("result")) else {
            return;
        };
        if result["isError"] == true {
            return;
        }
        let Some(tools) = self.asked.get(&id.to_string()) else {
            return;
        };
        let complaints: Vec<String> = tools
            .iter()
            .filter_map(|tool| complaint(tool, &result["structuredContent"]))
            .collect();
        assert!(
            complaints.len() < tools.len(),
            "{}\nin {message}",
            complaints.join("\n")
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The built `mcp-memory`, with nothing of this machine's settings.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-memory"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MEMORY_") {
            command.env_remove(name);
        }
    }
    command
}

/// The legacy handshake's request as it stands on the wire.
pub fn initialize_request(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": "initialize",
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    })
}

/// A request of the modern era as it stands on the wire.
pub fn modern_request(id: &Value, method: &str, mut params: Value) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    });
    if params.is_null() {
        params = json!({});
    }
    if let Some(own) = params["_meta"].as_object() {
        for (key, value) in own {
            meta[key] = value.clone();
        }
    }
    params["_meta"] = meta;
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Waits until `condition` holds, for what no pipe reports (a file that comes
/// or goes). Fails the test after [`PATIENCE`].
#[track_caller]
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What is wrong with this `structuredContent` of this tool, if anything.
fn complaint(tool: &str, structured: &Value) -> Option<String> {
    let Some(schema) = SCHEMAS.get(tool) else {
        return Some(format!("{tool} is no tool, and yet it succeeded"));
    };
    let errors: Vec<String> = schema
        .iter_errors(structured)
        .map(|error| {
            format!(
                "{tool}: structuredContent{}: {error}",
                error.instance_path()
            )
        })
        .collect();
    (!errors.is_empty()).then(|| errors.join("\n"))
}

/// The validators of all output schemas, from the committed contract.
static SCHEMAS: LazyLock<HashMap<String, jsonschema::Validator>> = LazyLock::new(|| {
    let path = super::repository("snapshots/tools_list.json");
    let text = std::fs::read(path).expect("the contract is committed");
    let contract: Value = serde_json::from_slice(&text).expect("the contract is JSON");
    let tools = contract["tools"]
        .as_array()
        .expect("the contract lists tools");
    tools
        .iter()
        .map(|tool| {
            let name = tool["name"].as_str().expect("a tool has a name").to_owned();
            let schema = jsonschema::validator_for(&tool["outputSchema"]).expect("a valid schema");
            (name, schema)
        })
        .collect()
});

fn read_lines(stdout: impl std::io::Read, lines: &Sender<Vec<u8>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match stdout.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        // Nobody listens any more: go on reading, so that the server is never
        // held up by a test that is over.
        let _ = lines.send(line);
    }
}

fn collect(mut stderr: impl std::io::Read, into: &Mutex<Vec<u8>>, closing: &Sender<()>) {
    let mut buffer = [0; 4096];
    while let Ok(length) = stderr.read(&mut buffer) {
        if length == 0 {
            break;
        }
        into.lock()
            .expect("no reader panics")
            .extend_from_slice(&buffer[..length]);
    }
    let _ = closing.send(());
}

#[test]
fn the_kit_sees_a_result_that_breaks_its_schema() {
    let entity = json!({"name": "Ada", "entityType": "person", "observations": []});
    assert_eq!(
        complaint("create_entities", &json!({"entities": [entity]})),
        None
    );
    for wrong in [
        Value::Null,
        json!({}),
        json!({"entities": [{"name": "Ada"}]}),
        json!({"entities": [], "more": 1}),
    ] {
        assert!(complaint("create_entities", &wrong).is_some(), "{wrong}");
    }
    assert!(complaint("no_such_tool", &json!({})).is_some());
}
