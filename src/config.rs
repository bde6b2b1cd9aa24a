//! Flags, environment and the path rules: everything a person can set, parsed
//! once at start (docs/behaviour.md, "Where the file is" and "The program").
//!
//! No other module reads the environment, and this one touches no file: what
//! lies at the paths is the store's business.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod flags;

use clap::ValueEnum;

use flags::{Flags, McpMemory, ModelContextProtocol, parse};

/// What the process was started to do, every value ready to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Serve, or look after the file.
    pub task: Task,
    /// The memory file, absolute. Links are not followed yet.
    pub memory_file: PathBuf,
    /// The `memory.json` of earlier days, absolute, to be moved to
    /// `memory_file` when that does not exist. Only where neither flag nor
    /// variable chose the path.
    pub old_memory_file: Option<PathBuf>,
    /// Whether a relation to an entity that does not exist fails its call.
    pub strict_relations: bool,
    /// When written data is forced to the disk.
    pub fsync: Fsync,
    /// How long a write waits for the lock.
    pub lock_timeout: Duration,
    /// Sentences a person should see at start, in order.
    pub warnings: Vec<String>,
}

/// What the process is there for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Task {
    /// Serve MCP on stdio.
    #[default]
    Serve,
    /// Report on the memory file.
    Check {
        /// For programs.
        json: bool,
    },
    /// Make the memory file load.
    Repair {
        /// Only say what would be done.
        dry_run: bool,
        /// Make one entity of those that share a name.
        merge_duplicates: bool,
    },
}

/// When written data is forced to the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Fsync {
    /// Before each reply to a write: what was answered survives a power cut
    #[default]
    Always,
    /// When the system sees fit: faster, a power cut may lose the last writes
    Never,
}

/// Which binary was started; both do the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `mcp-memory`
    McpMemory,
    /// `modelcontextprotocol`, which wants to be told `memory` or `--memory`.
    ModelContextProtocol,
}

/// Why the process ends before it serves: help or the list of the tools that
/// was asked for, or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The exit code. 0: `text` belongs on stdout; else on stderr.
    pub code: u8,
    /// What to print, as it is.
    pub text: String,
}

/// What the rules look at besides the flags. Made by
/// [`Surroundings::of_process`]; tests make their own.
pub struct Surroundings<'a> {
    /// The environment.
    pub variable: Lookup<'a>,
    /// The working directory, absolute.
    pub working_directory: io::Result<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Directories that the system may empty.
    pub temporary: Vec<PathBuf>,
}

/// Finds the value of the environment variable of this name.
type Lookup<'a> = Box<dyn Fn(&str) -> Option<OsString> + 'a>;

impl Surroundings<'static> {
    /// The real ones of this process.
    pub fn of_process() -> Self {
        let mut temporary = vec![std::env::temp_dir()];
        if cfg!(unix) {
            // TMPDIR may point elsewhere, and /tmp is emptied all the same.
            temporary.push(PathBuf::from("/tmp"));
        }
        if cfg!(target_os = "macos") {
            // Where the links lead that these paths go through.
            let real = |path: &PathBuf| {
                path.strip_prefix("/")
                    .map(|path| Path::new("/private").join(path))
                    .ok()
            };
            let real: Vec<PathBuf> = temporary.iter().filter_map(real).collect();
            temporary.extend(real);
        }
        Surroundings {
            variable: Box::new(|name| std::env::var_os(name)),
            working_directory: std::env::current_dir(),
            home: std::env::home_dir(),
            temporary,
        }
    }
}

const PATH_VARIABLE: &str = "MEMORY_FILE_PATH";
const STRICT_VARIABLE: &str = "MEMORY_STRICT_RELATIONS";
/// Names that people write when they mean [`PATH_VARIABLE`].
const LOOK_ALIKES: [&str; 2] = ["MEMORY_FILE", "MEMORY_PATH"];

const DEFAULT_FILE: &str = "memory.jsonl";
const OLD_DEFAULT_FILE: &str = "memory.json";

impl Config {
    /// Reads the command line. `arguments` begins with the program's own name,
    /// as `std::env::args_os` does.
    ///
    /// # Errors
    /// A [`Stop`]: `--help`, `--version` and the tools with code 0, anything
    /// that cannot be understood with code 2.
    pub fn from_args(
        program: Program,
        arguments: impl IntoIterator<Item = OsString>,
        surroundings: &Surroundings<'_>,
    ) -> Result<Self, Stop> {
        let mut task = Task::Serve;
        let flags = match program {
            Program::McpMemory => {
                let McpMemory { mut flags, command } = parse(arguments)?;
                if let Some(command) = command {
                    let file;
                    (task, file) = command.split()?;
                    flags.memory_file = file.or(flags.memory_file);
                }
                flags
            }
            Program::ModelContextProtocol => parse::<ModelContextProtocol>(arguments)?.flags,
        };
        let config = Config::resolve(flags, surroundings)?;
        Ok(Config { task, ..config })
    }

    fn resolve(flags: Flags, surroundings: &Surroundings<'_>) -> Result<Self, Stop> {
        let mut warnings = Vec::new();
        let path_variable = set(surroundings, PATH_VARIABLE);
        if path_variable.is_none() {
            for name in LOOK_ALIKES {
                if set(surroundings, name).is_some() {
                    warnings.push(format!(
                        "{name} is set but means nothing here; the variable for the memory file \
                         is {PATH_VARIABLE}"
                    ));
                }
            }
        }

        let (given, origin) = match (flags.memory_file, path_variable) {
            (Some(path), _) => (path, Origin::Flag),
            (None, Some(path)) => (PathBuf::from(path), Origin::Variable),
            (None, None) => (PathBuf::from(DEFAULT_FILE), Origin::Default),
        };
        let memory_file = absolute(&given, origin, surroundings)?;
        if let Some(variable) = bare_variable(&given) {
            warnings.push(format!(
                "the path of the memory file begins with {variable} (from {}), which is taken for \
                 the name of a directory; if a variable is meant, the client did not replace it: \
                 write the path out in the client's configuration",
                origin.name()
            ));
        }
        if let Some(place) = deletable_place(&memory_file, &surroundings.temporary) {
            warnings.push(format!(
                "the memory file {} lies in {place} and can be deleted at any time; \
                 choose another place with --memory-file or {PATH_VARIABLE}",
                memory_file.display()
            ));
        }
        let old_memory_file =
            (origin == Origin::Default).then(|| memory_file.with_file_name(OLD_DEFAULT_FILE));

        Ok(Config {
            task: Task::Serve,
            old_memory_file,
            strict_relations: flags.strict_relations
                || strict_variable(surroundings, &mut warnings),
            fsync: flags.fsync,
            lock_timeout: flags.lock_timeout,
            memory_file,
            warnings,
        })
    }
}

/// Who chose the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Flag,
    Variable,
    Default,
}

impl Origin {
    fn name(self) -> &'static str {
        match self {
            Origin::Flag => "--memory-file",
            Origin::Variable => PATH_VARIABLE,
            Origin::Default => "the default",
        }
    }
}

/// The path as the rules read it: no placeholder left in it, `~` expanded,
/// absolute. `~name` and a `~` further in are ordinary names.
fn absolute(
    given: &Path,
    origin: Origin,
    surroundings: &Surroundings<'_>,
) -> Result<PathBuf, Stop> {
    let shown = given.display();
    let origin = origin.name();
    if given.to_string_lossy().contains("${") {
        return Err(Stop::usage(format!(
            "the path of the memory file still holds a placeholder: {shown} (from {origin})\n\
             the client did not replace it; write the path out in the client's configuration"
        )));
    }
    if given.to_string_lossy().ends_with(std::path::is_separator) {
        return Err(Stop::usage(format!(
            "the path of the memory file ends like a directory's: {shown} (from {origin})\n\
             name a file, for example {}",
            given.join(DEFAULT_FILE).display()
        )));
    }
    let path = match given.strip_prefix("~") {
        Ok(below) => {
            let home = surroundings.home.as_deref();
            let home = home.filter(|home| !home.as_os_str().is_empty());
            let home = home.ok_or_else(|| {
                Stop::usage(format!(
                    "cannot expand ~ in {shown} (from {origin}): the home directory is unknown\n\
                     write the path out"
                ))
            })?;
            // Joining an empty rest would add a slash at the end.
            if below.as_os_str().is_empty() {
                home.to_path_buf()
            } else {
                home.join(below)
            }
        }
        Err(_) => given.to_path_buf(),
    };
    let path = if path.is_absolute() {
        path
    } else {
        match &surroundings.working_directory {
            Ok(directory) => directory.join(path),
            Err(error) => {
                return Err(Stop::usage(format!(
                    "cannot resolve the relative path {shown} (from {origin}): the working \
                     directory is unknown: {error}\nwrite an absolute path"
                )));
            }
        }
    };
    // Drops `.` and doubled slashes, and keeps `..`, which may follow a link.
    std::path::absolute(&path).map_err(|error| {
        Stop::usage(format!(
            "cannot use {shown} (from {origin}) as the path of the memory file: {error}"
        ))
    })
}

/// The `$NAME` with which a path begins, when more follows.
fn bare_variable(given: &Path) -> Option<&str> {
    let mut components = given.components();
    let first = components.next()?.as_os_str().to_str()?;
    let name = first.strip_prefix('$')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && components.next().is_some()).then_some(first)
}

/// Where files are deleted under the server, in words, when `path` is there.
fn deletable_place(path: &Path, temporary: &[PathBuf]) -> Option<String> {
    let path = without_parents(path);
    let mut directories = path.ancestors().skip(1);
    if let Some(modules) =
        directories.find(|directory| directory.file_name() == Some(OsStr::new("node_modules")))
    {
        return Some(format!("{}, a package directory,", modules.display()));
    }
    let temporary = temporary
        .iter()
        .map(|directory| without_parents(directory))
        .find(|directory| directory.parent().is_some() && path.starts_with(directory))?;
    Some(format!("the temporary directory {}", temporary.display()))
}

/// `path` with each `..` taken together with the name before it. Good enough
/// for a warning; never used to open anything, since links make it wrong.
fn without_parents(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// A variable's value; an empty one counts as unset.
fn set(surroundings: &Surroundings<'_>, name: &str) -> Option<OsString> {
    (surroundings.variable)(name).filter(|value| !value.is_empty())
}

fn strict_variable(surroundings: &Surroundings<'_>, warnings: &mut Vec<String>) -> bool {
    let Some(value) = set(surroundings, STRICT_VARIABLE) else {
        return false;
    };
    match value.to_str() {
        Some("1" | "true") => true,
        Some("0" | "false") => false,
        _ => {
            warnings.push(format!(
                "{STRICT_VARIABLE} is {value:?}, which is neither 1 nor 0; relations to missing \
                 entities are accepted"
            ));
            false
        }
    }
}

impl Stop {
    /// The command line or the environment cannot be used.
    fn usage(text: String) -> Self {
        Stop {
            code: 2,
            text: format!("error: {text}\n"),
        }
    }
}
