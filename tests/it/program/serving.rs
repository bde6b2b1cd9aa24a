//! Which tools are served, and that a server that only reads leaves everything
//! around it as it is.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use mcp_memory::command_line::{Binary, CommandLine};
use mcp_memory::config::{Surroundings, serving};
use mcp_memory::tools::{Served, Tool, Toolset};
use serde_json::{Value, json};

use crate::support::files::{lock_of, names_in};
use crate::support::session::{Session, command};
use crate::support::tools::{ADA, creating};

/// What these arguments and variables serve, or why nothing is.
fn served(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Served, String> {
    let surroundings = Surroundings {
        variable: Box::new(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.into())
        }),
        working_directory: Ok("/srv".into()),
        home: None,
        temporary: Vec::new(),
    };
    let arguments = std::iter::once(&"mcp-memory").chain(arguments);
    let line = CommandLine::parse(Binary::McpMemory, arguments.map(Into::into)).unwrap();
    serving::served(&line.flags, &surroundings).map_err(|stop| {
        assert_eq!(stop.code, 2);
        stop.text
    })
}

#[test]
fn the_default_set_is_served_unless_flag_or_variable_names_others() {
    let all = Ok(Served::all());
    let memory = Ok(Served::of(&[Toolset::Memory], false));
    assert_eq!(served(&[], &[]), memory);
    assert_eq!(served(&[], &[]), Ok(Served::default()));
    assert_eq!(served(&["--toolsets", "all"], &[]), all);
    assert_eq!(served(&[], &[("MEMORY_TOOLSETS", "all")]), all);
    assert_eq!(served(&[], &[("MEMORY_TOOLSETS", "")]), memory);
    assert_eq!(
        served(&["--toolsets=memory"], &[("MEMORY_TOOLSETS", "all")]),
        memory
    );
    for set in Toolset::ALL {
        let one = Ok(Served::of(&[*set], false));
        assert_eq!(served(&["--toolsets", set.name()], &[]), one);
    }
    let names: Vec<&str> = Toolset::ALL.iter().map(|set| set.name()).collect();
    for separator in [",", ", ", " ", " ,,"] {
        assert_eq!(
            served(&["--toolsets", &names.join(separator)], &[]),
            all,
            "{separator:?}"
        );
    }
    assert_eq!(served(&["--toolsets", "memory,memory,"], &[]), memory);
}

#[test]
fn an_unknown_toolset_is_refused_with_the_known_ones_and_a_suggestion() {
    let names: Vec<&str> = Toolset::ALL.iter().map(|set| set.name()).collect();
    let known = format!(
        "the toolsets are {}; all stands for every one\n",
        names.join(", ")
    );
    let check = |arguments: &[&str], variables: &[(&str, &str)], expected: &str| {
        let refused = served(arguments, variables).unwrap_err();
        assert_eq!(refused, format!("error: {expected}{known}"));
    };
    check(
        &["--toolsets", "memory,memroy"],
        &[],
        "unknown toolset \"memroy\" (from --toolsets)\ndid you mean memory? ",
    );
    check(
        &["--toolsets", "ALL"],
        &[],
        "unknown toolset \"ALL\" (from --toolsets)\ndid you mean all? ",
    );
    check(
        &[],
        &[("MEMORY_TOOLSETS", "${toolsets}")],
        "unknown toolset \"${toolsets}\" (from MEMORY_TOOLSETS)\n",
    );
    check(&["--toolsets", " ,"], &[], "--toolsets names no toolset\n");
}

#[test]
fn read_only_is_a_flag_or_a_variable_and_what_it_means_is_never_guessed() {
    let reading = Ok(Served::of(&[Toolset::DEFAULT], true));
    assert_eq!(served(&["--read-only"], &[]), reading);
    let variable = |value| served(&[], &[("MEMORY_READ_ONLY", value)]);
    assert_eq!(variable("1"), reading);
    assert_eq!(variable("true"), reading);
    for no in ["0", "false", ""] {
        assert_eq!(variable(no), Ok(Served::default()), "{no:?}");
    }
    assert_eq!(
        variable("yes").unwrap_err(),
        "error: MEMORY_READ_ONLY is \"yes\", which is neither 1 nor 0\n\
         write 1 to serve only tools that change nothing, 0 to serve all\n"
    );
}

#[test]
fn a_server_without_a_tool_is_refused() {
    for set in Toolset::ALL {
        let has_readers = Tool::READ_ONLY.iter().any(|tool| tool.toolset() == *set);
        let reading = served(&["--read-only", "--toolsets", set.name()], &[]);
        match reading {
            Ok(_) => assert!(has_readers),
            Err(text) => {
                assert!(!has_readers);
                assert_eq!(
                    text,
                    "error: no tool is left to serve: none of these toolsets is read-only\n\
                     add another to --toolsets, or leave out --read-only\n"
                );
            }
        }
    }
}

#[test]
fn instructions_name_served_tools_only_and_keep_what_is_general() {
    let whole = Served::default().instructions();
    let reading = Served::of(&[Toolset::DEFAULT], true).instructions();
    assert!(whole.starts_with(&format!("{reading}\n")));
    for set in Toolset::ALL {
        for read_only in [false, true] {
            let served = Served::of(&[*set], read_only);
            let text = served.instructions();
            assert!(text.starts_with("This server is a long-term memory"));
            for tool in Tool::ALL {
                let is_named = text
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .any(|word| word == tool.name());
                assert!(!is_named || served.tools().contains(tool), "{text}");
            }
        }
    }
}

/// Sends one call to a server with these flags; its error.
fn refused(flags: &[&str], tool: &str) -> Value {
    let mut session = Session::start_with(|command| {
        command.args(flags);
    });
    session.initialize("2025-11-25");
    let params = json!({"name": tool, "arguments": {}});
    session.request("tools/call", params)["error"].take()
}

#[test]
fn a_tool_that_is_not_served_is_unknown_and_the_error_says_which_flag_serves_it() {
    let error = refused(&["--read-only"], "create_entities");
    assert_eq!(error["code"], -32602);
    let readers = "the tools are read_graph, search_nodes, open_nodes";
    assert_eq!(
        error["message"],
        format!(
            "unknown tool: create_entities\nit changes the memory, and this server only reads: \
             start it without --read-only (MEMORY_READ_ONLY)\n{readers}"
        )
    );
    let error = refused(&["--read-only"], "create_entity");
    assert_eq!(
        error["message"],
        format!("unknown tool: create_entity\n{readers}")
    );
    for tool in Tool::ALL {
        let set = tool.toolset();
        if set == Toolset::DEFAULT {
            continue;
        }
        let error = refused(&[], tool.name());
        let reason = format!(
            "unknown tool: {}\nit is in the toolset {set}, which this server does not serve: \
             start it with --toolsets memory,{set}\n",
            tool.name(),
            set = set.name()
        );
        assert!(
            error["message"].as_str().unwrap().starts_with(&reason),
            "{error}"
        );
    }
}

/// What a change of any kind would change.
fn state(directory: &Path) -> Vec<(String, u64, std::time::SystemTime)> {
    let mut state = Vec::new();
    for name in names_in(directory).into_iter().chain([".".to_owned()]) {
        let data = fs::metadata(directory.join(&name)).unwrap();
        state.push((name, data.len(), data.modified().unwrap()));
    }
    state
}

/// A server that only reads, in this directory.
fn reader(directory: &Path) -> Session {
    let mut server = Command::new(env!("CARGO_BIN_EXE_mcp-memory"));
    server.arg("--read-only").current_dir(directory);
    server.env_remove("MEMORY_FILE_PATH");
    let mut session = Session::spawn(server);
    session.initialize("2025-11-25");
    session
}

fn read(session: &mut Session) -> Value {
    session.call("read_graph", json!({}))["structuredContent"]["entities"].take()
}

#[test]
fn a_server_that_only_reads_writes_nothing_waits_for_no_lock_and_sees_every_change() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    fs::write(&file, ADA).unwrap();
    // As another program would hold it.
    fs::write(lock_of(&file), "").unwrap();
    let before = state(directory.path());
    let mut session = reader(directory.path());
    assert_eq!(read(&mut session)[0]["name"], "Ada");
    let search = session.call("search_nodes", json!({"query": "tea"}));
    assert_eq!(search["structuredContent"]["entities"][0]["name"], "Ada");
    let params = json!({"name": "create_entities", "arguments": creating("Bea")});
    assert_eq!(
        session.request("tools/call", params)["error"]["code"],
        -32602
    );
    assert_eq!(state(directory.path()), before);
    fs::write(&file, ADA.replace("Ada", "Zoe")).unwrap();
    let after = state(directory.path());
    assert_eq!(read(&mut session)[0]["name"], "Zoe");
    session.close_input();
    assert!(session.wait().success());
    assert_eq!(state(directory.path()), after);
}

#[test]
fn a_server_that_only_reads_makes_no_file_and_says_that_there_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let before = state(directory.path());
    let mut session = reader(directory.path());
    let result = session.call("read_graph", json!({}));
    let note = result["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("and this server makes none."), "{note}");
    session.close_input();
    assert!(session.wait().success());
    assert_eq!(state(directory.path()), before);
    assert!(
        session
            .stderr()
            .contains("memory.jsonl (missing, read-only)")
    );
}

#[test]
fn a_server_that_only_reads_reads_an_old_memory_file_where_it_lies() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("memory.json"), ADA).unwrap();
    let before = state(directory.path());
    let mut session = reader(directory.path());
    assert_eq!(read(&mut session)[0]["name"], "Ada");
    session.close_input();
    assert!(session.wait().success());
    assert_eq!(state(directory.path()), before);
    let said = session.stderr();
    assert!(said.contains("memory.json ("), "{said}");

    // Where a new one is, that is read.
    fs::write(
        directory.path().join("memory.jsonl"),
        ADA.replace("Ada", "New"),
    )
    .unwrap();
    assert_eq!(read(&mut reader(directory.path()))[0]["name"], "New");
}

#[test]
fn the_resource_is_read_whatever_tools_are_served() {
    for set in Toolset::ALL {
        let mut session = Session::start_with(|command| {
            command.args(["--toolsets", set.name()]);
        });
        session.initialize("2025-11-25");
        let params = json!({"uri": "memory://knowledge-graph"});
        let result = session.request("resources/read", params);
        assert!(result["result"]["contents"].is_array(), "{result}");
    }
}

#[test]
fn a_server_that_cannot_be_told_what_to_serve_ends_with_2_and_says_why() {
    let mut server = command();
    let output = server
        .args(["--toolsets", "upkeeep"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with("error: unknown toolset \"upkeeep\""),
        "{said}"
    );
}
