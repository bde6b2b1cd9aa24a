//! Where the memory file is: flags, environment and the path rules, by given
//! arguments and given surroundings (docs/behaviour.md, "Where the file is").
//! What the built binary does with them is binaries.rs's.

#![cfg(unix)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_memory::command_line::{Binary, CommandLine};
use mcp_memory::config::{Config, Fsync, Stop, Surroundings};

/// Flags and variables as one test gives them; the working directory is
/// `/srv/project`, the home directory `/home/ada`, and `/tmp` is temporary.
fn config(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Config, Stop> {
    config_in(arguments, variables, |_| {})
}

fn config_in(
    arguments: &[&str],
    variables: &[(&str, &str)],
    change: impl FnOnce(&mut Surroundings<'_>),
) -> Result<Config, Stop> {
    let mut surroundings = Surroundings {
        variable: Box::new(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        }),
        working_directory: Ok(PathBuf::from("/srv/project")),
        home: Some(PathBuf::from("/home/ada")),
        temporary: vec![PathBuf::from("/tmp")],
    };
    change(&mut surroundings);
    let arguments = std::iter::once("mcp-memory").chain(arguments.iter().copied());
    let line = CommandLine::parse(Binary::McpMemory, arguments.map(OsString::from))?;
    Config::resolve(line.flags, &surroundings)
}

#[track_caller]
fn check_path(arguments: &[&str], variables: &[(&str, &str)], expected: &str) {
    let config = config(arguments, variables).unwrap();
    assert_eq!(config.memory_file, Path::new(expected));
    assert_eq!(config.warnings, Vec::<String>::new());
}

#[track_caller]
fn check_stop(outcome: Result<Config, Stop>, expected: &str) {
    let stop = outcome.unwrap_err();
    assert_eq!((stop.code, stop.text.as_str()), (2, expected));
}

#[track_caller]
fn check_warnings(outcome: Result<Config, Stop>, expected: &[&str]) {
    assert_eq!(outcome.unwrap().warnings, expected);
}

#[test]
fn the_flag_beats_the_variable_and_the_variable_beats_the_default() {
    let variable = [("MEMORY_FILE_PATH", "/v/memory.json")];
    check_path(&["--memory-file", "/f/x"], &variable, "/f/x");
    check_path(&["--memory-path", "/f/x"], &variable, "/f/x");
    check_path(&[], &variable, "/v/memory.json");
    check_path(&[], &[], "/srv/project/memory.jsonl");
}

#[test]
fn an_empty_variable_counts_as_unset() {
    check_path(
        &[],
        &[("MEMORY_FILE_PATH", "")],
        "/srv/project/memory.jsonl",
    );
}

#[test]
fn an_empty_flag_is_refused() {
    assert_eq!(config(&["--memory-file="], &[]).unwrap_err().code, 2);
    assert_eq!(config(&["--memory-file", ""], &[]).unwrap_err().code, 2);
}

#[test]
fn relative_paths_resolve_against_the_working_directory() {
    check_path(
        &[],
        &[("MEMORY_FILE_PATH", ".claude/memory.json")],
        "/srv/project/.claude/memory.json",
    );
    check_path(
        &["--memory-file", "./a//b.jsonl"],
        &[],
        "/srv/project/a/b.jsonl",
    );
    // `..` may follow a link, so it is the system's to resolve.
    check_path(
        &["--memory-file", "../b.jsonl"],
        &[],
        "/srv/project/../b.jsonl",
    );
}

#[test]
fn a_leading_tilde_is_the_home_directory() {
    let check = |given, expected| check_path(&["--memory-file", given], &[], expected);
    check("~/memory.jsonl", "/home/ada/memory.jsonl");
    check("~//deep/memory.jsonl", "/home/ada/deep/memory.jsonl");
    check("~", "/home/ada");
    check_path(
        &[],
        &[("MEMORY_FILE_PATH", "~/m.jsonl")],
        "/home/ada/m.jsonl",
    );
}

#[test]
fn a_tilde_further_in_or_alone_before_a_name_is_a_name() {
    let check = |given, expected| check_path(&["--memory-file", given], &[], expected);
    check("./~bo/memory.jsonl", "/srv/project/~bo/memory.jsonl");
    check("./~/memory.jsonl", "/srv/project/~/memory.jsonl");
    check("/data/~/memory.jsonl", "/data/~/memory.jsonl");
    check("notes~", "/srv/project/notes~");
    check("~notes", "/srv/project/~notes");
}

#[test]
fn a_tilde_without_a_home_directory_is_refused() {
    for home in [None, Some(PathBuf::new())] {
        check_stop(
            config_in(&["--memory-file", "~/m"], &[], |around| around.home = home),
            "error: cannot expand ~ in ~/m (from --memory-file): the home directory is unknown\n\
             write the path out\n",
        );
    }
}

#[test]
fn a_relative_path_without_a_working_directory_is_refused_and_an_absolute_one_is_not() {
    let gone = |around: &mut Surroundings<'_>| {
        around.working_directory = Err(std::io::Error::other("it was deleted"));
    };
    check_stop(
        config_in(&[], &[("MEMORY_FILE_PATH", "m.jsonl")], gone),
        "error: cannot resolve the relative path m.jsonl (from MEMORY_FILE_PATH): the working \
         directory is unknown: it was deleted\nwrite an absolute path\n",
    );
    let config = config_in(&["--memory-file", "/d/m.jsonl"], &[], gone).unwrap();
    assert_eq!(config.memory_file, Path::new("/d/m.jsonl"));
}

#[test]
fn a_placeholder_that_the_client_left_in_the_path_is_refused() {
    check_stop(
        config(&[], &[("MEMORY_FILE_PATH", "${HOME}/memory.jsonl")]),
        "error: the path of the memory file still holds a placeholder: ${HOME}/memory.jsonl \
         (from MEMORY_FILE_PATH)\n\
         the client did not replace it; write the path out in the client's configuration\n",
    );
    let outcome = config(&["--memory-file", "/a/${workspaceFolder}/m"], &[]);
    assert!(outcome.unwrap_err().text.contains("(from --memory-file)"));
    // A dollar sign alone is a name, and a variable that is not used is not looked at.
    check_path(&["--memory-file", "/a/$b"], &[], "/a/$b");
    check_path(
        &["--memory-file", "/a/b"],
        &[("MEMORY_FILE_PATH", "${X}")],
        "/a/b",
    );
}

#[test]
fn a_path_that_ends_like_a_directorys_is_refused() {
    for path in ["/d/m.jsonl/", "/", "~/"] {
        let stop = config(&[], &[("MEMORY_FILE_PATH", path)]).unwrap_err();
        assert_eq!(stop.code, 2);
        assert!(stop.text.contains(path), "{}", stop.text);
    }
}

/// Each is refused, whoever gave it, with its reason and what to write.
#[test]
fn what_no_path_can_mean_is_refused_with_its_reason() {
    let replace = "the client did not replace it; write the path out";
    for (given, what, advice) in [
        (
            "$HOME/m.jsonl",
            "begins with the variable $HOME",
            "for example ~/m.jsonl",
        ),
        (
            "$USER/m",
            "begins with the variable $USER",
            "write the path out\n",
        ),
        (
            "$MEMORY",
            "begins with the variable $MEMORY",
            "of that name: ./$MEMORY\n",
        ),
        (
            "$env:USERPROFILE\\m",
            "begins with the variable $env:USERPROFILE",
            "example ~/m",
        ),
        ("${HOME}/m", "still holds a placeholder", replace),
        ("${env:HOME}/m", "still holds a placeholder", replace),
        ("/a/${input:dir}/m", "still holds a placeholder", replace),
        ("$(pwd)/m", "still holds a placeholder", replace),
        ("{{HOME}}/m", "still holds a placeholder", replace),
        (
            "%USERPROFILE%\\m.jsonl",
            "still holds the placeholder %USERPROFILE%",
            replace,
        ),
        (
            "C:\\Users\\%USERNAME%\\m",
            "still holds the placeholder %USERNAME%",
            replace,
        ),
        (
            "{workspace}/m",
            "still holds the placeholder {workspace}",
            replace,
        ),
        ("<path>", "still holds the placeholder <path>", replace),
        (
            "/home/<your name>/m",
            "still holds the placeholder <your name>",
            replace,
        ),
        ("__dirname/m", "begins with __dirname", "./__dirname/m\n"),
        ("undefined/m", "begins with undefined", "./undefined/m\n"),
        ("null", "begins with null", "./null\n"),
        (
            "~root/m",
            "begins with ~root, another user's",
            "./~root/m\n",
        ),
        (
            "~\\m.jsonl",
            "is written as on Windows",
            "write ~/m.jsonl\n",
        ),
        ("C:\\Users\\Ada\\m", "is one of Windows", "/mnt/c/"),
        (
            "\"/data/m\"",
            "still has quotes around it",
            "write it without: /data/m\n",
        ),
        (
            "'/data/m'",
            "still has quotes around it",
            "write it without: /data/m\n",
        ),
        (
            "\u{201c}/data/m\u{201d}",
            "still has quotes around it",
            "without: /data/m\n",
        ),
        (
            "C:\\data\\m\"",
            "still has quotes around it",
            "without: C:\\data\\m\n",
        ),
        (
            "/data/m ",
            "begins or ends with a blank: \"/data/m \"",
            "remove the blank",
        ),
        (
            " /data/m",
            "begins or ends with a blank",
            "remove the blank",
        ),
        (
            "/data/m\r",
            "begins or ends with a blank: \"/data/m\\r\"",
            "remove the blank",
        ),
        (
            "file://host/m",
            "is an address (file://)",
            "only file:/// and localhost",
        ),
        (
            "https://example.com/m",
            "is an address (https://)",
            "an absolute path",
        ),
    ] {
        for (arguments, variables) in [
            (&["--memory-file", given][..], &[][..]),
            (&[], &[("MEMORY_FILE_PATH", given)]),
        ] {
            let stop = config(arguments, variables).unwrap_err();
            assert_eq!(stop.code, 2, "{given}");
            let what = format!("error: the path of the memory file {what}");
            assert!(stop.text.starts_with(&what), "{given}: {}", stop.text);
            assert!(stop.text.contains(given.trim()), "{given}: {}", stop.text);
            assert!(stop.text.contains(advice), "{given}: {}", stop.text);
        }
    }
}

#[test]
fn names_that_only_look_like_placeholders_are_names() {
    for path in [
        "/$5/m",
        "/a/$b",
        "/$/m",
        "/$a-b/m",
        "/100%/m",
        "/a%20b/50%/m",
        "/{8A69D345-D564}/m",
        "/<m",
        "/O'Neil'/m",
        "/nulls/undefined/m",
        "/mem: ory/m",
        "/x//y:z",
    ] {
        let found = config(&["--memory-file", path], &[]).unwrap();
        assert_eq!(found.warnings, [""; 0], "{path}");
    }
}

#[test]
fn an_address_of_a_file_on_this_computer_is_its_path() {
    let check = |given, expected| check_path(&["--memory-file", given], &[], expected);
    check("file:///data/m.jsonl", "/data/m.jsonl");
    check("file://localhost/data/m.jsonl", "/data/m.jsonl");
    check("FILE:///data/my%20notes/m.jsonl", "/data/my notes/m.jsonl");
}

#[test]
fn an_example_s_path_and_a_variable_further_in_are_warned_about() {
    for (path, part) in [
        ("/path/to/memory.jsonl", "path/to"),
        ("/absolute/path/to/m", "path/to"),
        ("/home/YOUR_USERNAME/m", "YOUR_USERNAME"),
        ("/home/yourname/m", "yourname"),
        ("/home/your-name/m", "your-name"),
        ("/home/$USER/m", "$USER"),
        ("/$HOME/m", "$HOME"),
    ] {
        check_warnings(
            config(&["--memory-file", path], &[]),
            &[&format!(
                "the path of the memory file {path} (from --memory-file) holds {part}, which looks \
                 like a placeholder or like an example's; if it is one, write a path of your own"
            )],
        );
    }
}

#[test]
fn a_variable_that_only_looks_like_the_right_one_is_warned_about() {
    let text = "MEMORY_FILE is set but means nothing here; the variable for the memory file is \
                MEMORY_FILE_PATH";
    let other = text.replace("MEMORY_FILE is", "MEMORY_PATH is");
    let file = ("MEMORY_FILE", "/x/memory.json");
    let path = ("MEMORY_PATH", "/x/memory.json");
    check_warnings(config(&[], &[file]), &[text]);
    check_warnings(config(&[], &[path]), &[&other]);
    check_warnings(config(&[], &[file, path]), &[text, &other]);
    check_warnings(config(&[], &[file, ("MEMORY_FILE_PATH", "")]), &[text]);
    check_warnings(config(&[], &[file, ("MEMORY_FILE_PATH", "/y")]), &[]);
    check_warnings(config(&[], &[("MEMORY_FILE", "")]), &[]);
    assert_eq!(
        config(&[], &[file]).unwrap().memory_file,
        Path::new("/srv/project/memory.jsonl")
    );
}

#[test]
fn a_file_that_can_be_deleted_under_the_server_is_warned_about() {
    let warned = |path: &str, place: &str| {
        let text = format!(
            "the memory file {path} lies in {place} and can be deleted at any time; choose \
             another place with --memory-file or MEMORY_FILE_PATH"
        );
        check_warnings(config(&["--memory-file", path], &[]), &[&text]);
    };
    let package = "/home/ada/p/node_modules, a package directory,";
    warned("/home/ada/p/node_modules/memory/dist/m.jsonl", package);
    warned("/tmp/m.jsonl", "the temporary directory /tmp");
    warned("/tmp/deep/m.jsonl", "the temporary directory /tmp");
    warned("/var/../tmp/m.jsonl", "the temporary directory /tmp");
    for path in [
        "/tmpfiles/m.jsonl",
        "/tmp/../data/m.jsonl",
        "/home/tmp/m.jsonl",
        "/home/ada/my_node_modules/m.jsonl",
        "/home/ada/node_modules",
    ] {
        check_path(&["--memory-file", path], &[], path);
    }
}

#[test]
fn a_temporary_directory_that_is_the_root_warns_about_nothing() {
    let outcome = config_in(&["--memory-file", "/data/m"], &[], |around| {
        around.temporary = vec![PathBuf::from("/")];
    });
    check_warnings(outcome, &[]);
}

#[test]
fn only_the_default_looks_for_an_old_memory_json() {
    let old = |arguments: &[&str], variables: &[(&str, &str)]| {
        config(arguments, variables).unwrap().old_memory_file
    };
    let beside = Some(PathBuf::from("/srv/project/memory.json"));
    assert_eq!(old(&[], &[]), beside);
    assert_eq!(old(&[], &[("MEMORY_FILE_PATH", "")]), beside);
    assert_eq!(old(&["--memory-file", "memory.jsonl"], &[]), None);
    assert_eq!(old(&[], &[("MEMORY_FILE_PATH", "memory.jsonl")]), None);
}

#[test]
fn relations_are_strict_by_flag_or_by_variable() {
    let strict = |arguments: &[&str], value: &str| {
        let config = config(arguments, &[("MEMORY_STRICT_RELATIONS", value)]).unwrap();
        assert_eq!(config.warnings, Vec::<String>::new(), "{value:?}");
        config.strict_relations
    };
    assert!(strict(&["--strict-relations"], ""));
    assert!(strict(&["--strict-relations"], "0"));
    assert!(strict(&[], "1"));
    assert!(strict(&[], "true"));
    assert!(!strict(&[], ""));
    assert!(!strict(&[], "0"));
    assert!(!strict(&[], "false"));
    let odd = config(&[], &[("MEMORY_STRICT_RELATIONS", "yes")]).unwrap();
    assert!(!odd.strict_relations);
    assert_eq!(
        odd.warnings,
        [
            "MEMORY_STRICT_RELATIONS is \"yes\", which is neither 1 nor 0; relations to missing \
             entities are accepted"
        ]
    );
}

#[test]
fn data_is_forced_to_the_disk_unless_told_otherwise() {
    let fsync = |arguments: &[&str]| config(arguments, &[]).map(|config| config.fsync);
    assert_eq!(fsync(&[]), Ok(Fsync::Always));
    assert_eq!(fsync(&["--fsync=always"]), Ok(Fsync::Always));
    assert_eq!(fsync(&["--fsync", "never"]), Ok(Fsync::Never));
    assert_eq!(fsync(&["--fsync=sometimes"]).unwrap_err().code, 2);
}

#[test]
fn the_lock_timeout_is_seconds_and_45_by_default() {
    let timeout = |arguments: &[&str]| config(arguments, &[]).map(|config| config.lock_timeout);
    assert_eq!(timeout(&[]), Ok(Duration::from_secs(45)));
    assert_eq!(timeout(&["--lock-timeout", "0"]), Ok(Duration::ZERO));
    assert_eq!(
        timeout(&["--lock-timeout=0.25"]),
        Ok(Duration::from_millis(250))
    );
    for wrong in ["-1", "NaN", "inf", "1e9", "45s", ""] {
        let stop = timeout(&[&format!("--lock-timeout={wrong}")]).unwrap_err();
        assert_eq!(stop.code, 2, "{wrong}: {}", stop.text);
        assert!(
            stop.text.contains("seconds") || wrong.is_empty(),
            "{}",
            stop.text
        );
    }
}

#[test]
fn a_path_need_not_be_unicode() {
    use std::os::unix::ffi::OsStringExt as _;
    let odd = OsString::from_vec(b"/data/m\xFF.jsonl".to_vec());
    let surroundings = Surroundings {
        variable: Box::new(|name| (name == "MEMORY_FILE_PATH").then(|| odd.clone())),
        working_directory: Ok(PathBuf::from("/")),
        home: None,
        temporary: Vec::new(),
    };
    let arguments = [OsString::from("mcp-memory")];
    let line = CommandLine::parse(Binary::McpMemory, arguments).unwrap();
    let config = Config::resolve(line.flags, &surroundings).unwrap();
    assert_eq!(config.memory_file.as_os_str(), odd);
}
