//! The rules of the house, held over the sources themselves: who may use whom,
//! who may touch files, the environment and the protocol library, and how the
//! files of a room are laid out. A failure says what to do.

mod graph;
mod sources;

use sources::sources;

/// How many lines of a file one reads in one go. Unit tests do not count.
const LONGEST: usize = 420;

/// Each room (a folder of `src`, or a file beside `lib.rs`) and the rooms it
/// may use. A room may use those before it only, so there is no circle.
const ROOMS: &[(&str, &[&str])] = &[
    ("json", &[]),
    ("words", &[]),
    ("ending", &[]),
    ("limits", &[]),
    ("diagnostics", &["words"]),
    ("graph", &["words"]),
    (
        "store",
        &["json", "words", "ending", "diagnostics", "graph"],
    ),
    ("tools", &["json", "words", "graph", "store"]),
    (
        "mcp",
        &["json", "words", "ending", "diagnostics", "store", "tools"],
    ),
    ("signals", &["ending", "diagnostics"]),
    ("config", &["words", "diagnostics", "tools"]),
    (
        "commands",
        &[
            "json",
            "words",
            "ending",
            "limits",
            "diagnostics",
            "store",
            "tools",
            "signals",
            "config",
        ],
    ),
    ("command_line", &["words", "config", "commands"]),
    (
        "program",
        &[
            "words",
            "ending",
            "limits",
            "diagnostics",
            "store",
            "tools",
            "mcp",
            "signals",
            "config",
            "commands",
            "command_line",
        ],
    ),
    ("lib", &[]),
    ("main", &["command_line", "program"]),
    ("bin", &["command_line", "program"]),
];

/// Words that only some files may say, and what the others do instead.
const RESERVED: &[(&str, &[&str], &str)] = &[
    (
        "std::fs",
        &["store/disk/"],
        "touch files through `store::disk::Disk`, so that a test can let it fail",
    ),
    (
        "std::env",
        &["config/"],
        "read the environment in `config`, and hand over what was read",
    ),
    (
        "rmcp",
        &["mcp/"],
        "keep the protocol library in `mcp`, and hand over types of our own",
    ),
];

/// Files that say a reserved word all the same, each with its reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "program.rs",
        "std::env",
        "the program's own arguments, handed to `command_line`",
    ),
    (
        "program.rs",
        "std::fs",
        "stdout as a file, which is written without a buffer",
    ),
];

#[test]
fn a_room_uses_only_the_rooms_before_it() {
    let known: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).collect();
    for (at, (room, uses)) in ROOMS.iter().enumerate() {
        for used in *uses {
            assert!(
                known[..at].contains(used),
                "ROOMS: {room} may use {used} only if {used} stands before it"
            );
        }
    }
    let mut wrong = Vec::new();
    for source in sources() {
        let room = source.room();
        let Some((_, uses)) = ROOMS.iter().find(|(known, _)| *known == room) else {
            panic!(
                "src/{}: a room that ROOMS in tests/it/rooms/mod.rs does not know: \
                 say there which rooms it may use, and in lib.rs's map what it is for",
                source.path
            );
        };
        for path in source.paths() {
            let [root, used, ..] = &path[..] else {
                continue;
            };
            let is_ours = root == "crate" || root == "mcp_memory";
            let is_allowed = used == room || uses.contains(&used.as_str());
            if is_ours && known.contains(&used.as_str()) && !is_allowed {
                wrong.push(format!(
                    "src/{} uses {}: {room} may not know {used}; let {used} hand it what it \
                     needs, or move the code to where both are known",
                    source.path,
                    path.join("::")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_the_environment_and_the_protocol_library_have_one_room_each() {
    let mut wrong = Vec::new();
    let mut needed = Vec::new();
    for source in sources() {
        for (word, rooms, instead) in RESERVED {
            let is_said = source.paths().iter().any(|path| {
                let path = path.join("::");
                path == *word || path.starts_with(&format!("{word}::"))
            });
            if !is_said || rooms.iter().any(|room| source.path.starts_with(room)) {
                continue;
            }
            if EXCEPTIONS
                .iter()
                .any(|(path, said, _)| source.path == *path && said == word)
            {
                needed.push((source.path.clone(), *word));
                continue;
            }
            wrong.push(format!("src/{} says {word}: {instead}", source.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (path, word, _) in EXCEPTIONS {
        assert!(
            needed
                .iter()
                .any(|(used, said)| used == path && said == word),
            "src/{path} no longer says {word}: take it out of EXCEPTIONS"
        );
    }
}

#[test]
fn the_graph_and_the_formats_know_no_runtime() {
    for source in sources() {
        let is_pure = ["graph/", "json/", "store/format/"];
        if !is_pure.iter().any(|room| source.path.starts_with(room)) {
            continue;
        }
        for path in source.paths() {
            let first = path[0].as_str();
            assert!(
                !["tokio", "serde_json", "futures_util"].contains(&first),
                "src/{} uses {first}: graph, json and store::format are plain functions on \
                 values; do it in the room that calls them",
                source.path
            );
        }
    }
}

#[test]
fn no_file_is_longer_than_one_reads_in_one_go() {
    for source in sources() {
        assert!(
            source.lines <= LONGEST,
            "src/{} has {} lines, more than {LONGEST}: give one of its concerns a file of its own",
            source.path,
            source.lines
        );
    }
}

#[test]
fn a_folder_begins_in_its_mod_rs_and_that_says_what_the_folder_is_for() {
    let sources = sources();
    for source in &sources {
        let Some((folder, _)) = source.path.rsplit_once('/') else {
            continue;
        };
        if folder == "bin" {
            continue;
        }
        let door = format!("{folder}/mod.rs");
        assert!(
            sources.iter().any(|other| other.path == door),
            "src/{folder} has no mod.rs: move src/{folder}.rs there"
        );
        let text = std::fs::read_to_string(crate::support::repository(&format!("src/{door}")));
        assert!(
            text.unwrap().starts_with("//! "),
            "src/{door}: its first line says what the folder is for"
        );
    }
}

#[test]
fn every_file_that_the_map_names_is_there() {
    let map = std::fs::read_to_string(crate::support::repository("src/lib.rs")).unwrap();
    let named: Vec<&str> = map
        .split('`')
        .filter(|word| word.ends_with(".rs") && word.contains('/'))
        .collect();
    assert!(!named.is_empty());
    for file in named {
        assert!(
            crate::support::repository(&format!("src/{file}")).is_file(),
            "src/lib.rs: its map names {file}, which is not there"
        );
    }
}

#[test]
fn the_files_of_the_crate_use_each_other_in_no_circle() {
    let sources = sources();
    let mut files = graph::uses(&sources);
    let mut circles = Vec::new();
    while let Some(circle) = graph::circle(&files) {
        for pair in circle.windows(2) {
            let because = &files[&pair[0]][&pair[1]];
            circles.push(format!(
                "src/{} says {because}, of src/{}",
                pair[0], pair[1]
            ));
        }
        circles.push("move what both need into a file of its own\n".to_owned());
        // The last arrow closes it; without it the next circle is found.
        let [.., last, first] = &circle[..] else {
            unreachable!("a circle has two files and more")
        };
        files.get_mut(last).unwrap().remove(first);
    }
    assert!(
        circles.is_empty(),
        "files in a circle:\n{}",
        circles.join("\n")
    );
}
