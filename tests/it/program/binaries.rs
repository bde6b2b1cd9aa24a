//! The two binaries as a shell sees them: exit codes, stdout, stderr
//! (docs/behaviour.md, "The program"). The path rules themselves are
//! paths.rs's, and what goes over the pipes while serving is others'.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::files::{quoted, resolved};

const MCP_MEMORY: &str = env!("CARGO_BIN_EXE_mcp-memory");
const MODEL_CONTEXT_PROTOCOL: &str = env!("CARGO_BIN_EXE_modelcontextprotocol");

/// Runs a binary to its end in a directory of its own, with no input and
/// none of the variables it reads.
fn run(binary: &str, arguments: &[&str], directory: &Path) -> Output {
    Command::new(binary)
        .args(arguments)
        .current_dir(directory)
        .env_remove("MEMORY_FILE_PATH")
        .env_remove("MEMORY_FILE")
        .env_remove("MEMORY_PATH")
        .env_remove("MEMORY_STRICT_RELATIONS")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn run_anywhere(binary: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let output = run(binary, arguments, directory.path());
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn help_and_version_go_to_stdout_and_exit_0() {
    for binary in [MCP_MEMORY, MODEL_CONTEXT_PROTOCOL] {
        for flag in ["--help", "-h"] {
            let (code, stdout, stderr) = run_anywhere(binary, &[flag]);
            assert_eq!((code, stderr.as_str()), (Some(0), ""));
            for known in [
                "--memory-file",
                "--memory-path",
                "--strict-relations",
                "--fsync",
                "--lock-timeout",
            ] {
                assert!(stdout.contains(known), "{known} is missing in {stdout}");
            }
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        run_anywhere(MCP_MEMORY, &["--version"]),
        (Some(0), format!("mcp-memory {version}\n"), String::new())
    );
    assert_eq!(
        run_anywhere(MODEL_CONTEXT_PROTOCOL, &["-V"]),
        (
            Some(0),
            format!("modelcontextprotocol {version}\n"),
            String::new()
        )
    );
}

/// Exit 2, nothing on stdout, and stderr says what to write instead.
#[track_caller]
fn check_refused(binary: &str, arguments: &[&str], suggestion: &str) {
    let (code, stdout, stderr) = run_anywhere(binary, arguments);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains(suggestion), "{stderr}");
}

#[test]
fn a_wrong_flag_exits_2_with_a_suggestion() {
    check_refused(MCP_MEMORY, &["--memory-flie", "x"], "'--memory-file'");
    check_refused(MCP_MEMORY, &["--fsync=nevr"], "'never'");
    check_refused(MCP_MEMORY, &["--frobnicate"], "try '--help'");
    check_refused(
        MCP_MEMORY,
        &["/data/notes.jsonl"],
        "To use it as the memory file: --memory-file /data/notes.jsonl",
    );
    check_refused(
        MCP_MEMORY,
        &["my notes.jsonl"],
        &format!("--memory-file {}", quoted("my notes.jsonl")),
    );
    check_refused(
        MODEL_CONTEXT_PROTOCOL,
        &["memory", "--memory-flie", "x"],
        "'--memory-file'",
    );
}

#[test]
fn arguments_left_over_from_npx_are_recognised() {
    let package = "@modelcontextprotocol/server-memory";
    for arguments in [
        &["-y", package][..],
        &["--yes", package],
        &[package],
        &["@modelcontextprotocol/server-memory@latest"],
        &["/c", "npx", "-y", package],
    ] {
        for binary in [MCP_MEMORY, MODEL_CONTEXT_PROTOCOL] {
            check_refused(binary, arguments, "remove npx's arguments");
        }
    }
}

#[test]
fn the_second_binary_wants_to_be_told_which_server() {
    check_refused(
        MODEL_CONTEXT_PROTOCOL,
        &[],
        "Usage: modelcontextprotocol memory",
    );
    check_refused(
        MODEL_CONTEXT_PROTOCOL,
        &["filesystem"],
        "[possible values: memory]",
    );
}

/// What stderr says below clap's own text, and clap's tip.
fn hints(binary: &str, arguments: &[&str]) -> String {
    let (code, _, stderr) = run_anywhere(binary, arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    let lines = stderr.lines().enumerate().filter(|(at, line)| {
        let is_clap = ["Usage: ", "For more ", "       ", "  ["];
        *at > 0 && !line.is_empty() && !is_clap.iter().any(|start| line.starts_with(start))
    });
    let lines: Vec<&str> = lines.map(|(_, line)| line.trim()).collect();
    lines.join("\n")
}

#[test]
fn a_hint_is_given_only_where_it_works() {
    let first = |arguments: &[&str]| hints(MCP_MEMORY, arguments);
    let second = |arguments: &[&str]| hints(MODEL_CONTEXT_PROTOCOL, arguments);
    // A second file is no memory file, nor is a slip of the pen.
    assert_eq!(first(&["check", "x", "extra"]), "");
    assert_eq!(first(&["check", "x.jsonl", "y.jsonl"]), "");
    assert_eq!(first(&["tools", "m.jsonl"]), "");
    assert_eq!(first(&["a.jsonl", "b.jsonl"]), "");
    assert_eq!(first(&["frobnicate"]), "");
    let check = "tip: a similar subcommand exists: 'check'";
    assert_eq!(first(&["chek"]), check);
    assert_eq!(first(&["chek", "x"]), check);
    assert_eq!(
        first(&["m.jsonl", "--strict-relations"]),
        "To use it as the memory file: --memory-file m.jsonl"
    );
    assert_eq!(
        first(&["serve"]),
        "It serves without any word: leave out serve"
    );
    assert_eq!(first(&["serve", "extra"]), "");
    assert_eq!(
        first(&["with-lock", "m.jsonl", "cat", "x"]),
        "Write -- before the command: -- cat"
    );
    assert_eq!(
        first(&["check", "--frob"]),
        "tip: to pass '--frob' as a value, use '-- --frob'"
    );
    assert_eq!(second(&["memory", "--frob"]), "");
    assert_eq!(second(&["--frob"]), "");
    let npx = "It looks left over from a configuration that starts the server with npx: remove \
               npx's arguments, so that this is left: ";
    assert_eq!(
        first(&[
            "-y",
            "@modelcontextprotocol/server-memory",
            "--memory-file",
            "my m"
        ]),
        format!("{npx}mcp-memory --memory-file {}", quoted("my m"))
    );
    assert_eq!(
        second(&["-y", "@modelcontextprotocol/server-memory"]),
        format!("{npx}modelcontextprotocol memory")
    );
    assert_eq!(first(&["check", "x", "npx"]), "");
}

#[test]
fn the_second_binary_says_which_server_was_probably_meant() {
    let meant = "Did you mean memory?";
    let similar = "tip: a similar value exists: 'memory'";
    for (word, expected) in [
        ("server-memory", meant),
        ("mcp-server-memory", meant),
        ("@modelcontextprotocol/memory", meant),
        ("mcp-memory", similar),
        ("memroy", similar),
    ] {
        assert_eq!(hints(MODEL_CONTEXT_PROTOCOL, &[word]), expected, "{word}");
    }
    assert_eq!(hints(MODEL_CONTEXT_PROTOCOL, &["filesystem"]), "");
    assert_eq!(
        hints(MODEL_CONTEXT_PROTOCOL, &["server-memory", "extra"]),
        ""
    );
}

#[test]
fn a_subcommand_takes_the_memory_file_as_the_server_does_too() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("m"), "").unwrap();
    for arguments in [
        &["check", "m"][..],
        &["check", "--memory-file", "m"],
        &["check", "--memory-path", "m"],
        &["--memory-file", "m", "check"],
        &["--memory-file", "other", "check", "m"],
        &["repair", "--lock-timeout", "1", "--memory-file", "m"],
    ] {
        let output = run(MCP_MEMORY, arguments, directory.path());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
    check_refused(MCP_MEMORY, &["check", "'m'"], "write it without: m");
    check_refused(MCP_MEMORY, &["check", "'m'"], "(from FILE)");
}

#[test]
fn a_path_with_a_placeholder_exits_2() {
    check_refused(
        MCP_MEMORY,
        &["--memory-file", "${workspaceFolder}/m.jsonl"],
        "still holds a placeholder: ${workspaceFolder}/m.jsonl",
    );
}

#[test]
fn at_start_one_line_on_stderr_names_the_absolute_path_in_use() {
    let check = |binary: &str, arguments: &[&str], file: &str| {
        let directory = tempfile::tempdir().unwrap();
        let output = run(binary, arguments, directory.path());
        let stderr = String::from_utf8(output.stderr).unwrap();
        // A test's own directory is a temporary one, which is warned about.
        let lines: Vec<&str> = stderr
            .lines()
            .filter(|line| !line.starts_with("mcp-memory: warning: "))
            .collect();
        let path = resolved(directory.path()).join(file);
        assert_eq!(
            lines,
            [format!("mcp-memory: memory file {} (new)", path.display())]
        );
        assert_eq!(output.status.code(), Some(0));
    };
    check(MCP_MEMORY, &[], "memory.jsonl");
    check(MCP_MEMORY, &["--memory-file", "m.jsonl"], "m.jsonl");
    check(MODEL_CONTEXT_PROTOCOL, &["memory"], "memory.jsonl");
    check(MODEL_CONTEXT_PROTOCOL, &["--memory"], "memory.jsonl");
    check(
        MODEL_CONTEXT_PROTOCOL,
        &["memory", "--memory-file", "m.jsonl"],
        "m.jsonl",
    );
    check(
        MODEL_CONTEXT_PROTOCOL,
        &["--memory", "--memory-path=m.jsonl"],
        "m.jsonl",
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_asked_for_and_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], stdout: Stdio| {
        let output = Command::new(MCP_MEMORY)
            .args(arguments)
            .current_dir(directory.path())
            .env_remove("MEMORY_FILE_PATH")
            .stdout(stdout)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (arguments, code) in [
        (&["check", "m"][..], 2),
        (&["check", "--json", "m"], 2),
        (&["repair", "--dry-run", "m"], 1),
        (&["repair", "m"], 1),
        (&["tools", "--json"], 1),
        (&["--version"], 1),
        (&["--help"], 1),
    ] {
        std::fs::write(directory.path().join("m"), "{}{}\n").unwrap();
        let full = std::fs::File::options().write(true).open("/dev/full");
        let (failed, said) = run(arguments, full.unwrap().into());
        assert_eq!(failed, Some(code), "{arguments:?}");
        let reason = "mcp-memory: cannot write to standard output: ";
        assert!(said.starts_with(reason), "{arguments:?}: {said}");
        if arguments == ["repair", "m"] {
            assert!(said.contains("the repair is done"), "{said}");
        }

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (_, said) = run(arguments, writer.into());
        assert_eq!(said, "", "{arguments:?}");
    }
}

#[test]
fn a_path_that_ends_with_a_slash_exits_2_and_makes_nothing() {
    check_refused(
        MCP_MEMORY,
        &["--memory-file", "notes/t.jsonl/"],
        "ends like a directory's: notes/t.jsonl/ (from --memory-file)\n\
         name a file, for example notes/t.jsonl/memory.jsonl\n",
    );
}
