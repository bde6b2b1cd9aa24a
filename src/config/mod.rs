//! Flags, environment and the path rules: everything a person can set, read
//! once at start (docs/behaviour.md, "Where the file is" and "The program").
//!
//! No other module reads the environment, and this one touches no file: what
//! lies at the paths is the store's business. How a command line is parsed is
//! [`command_line`](crate::command_line)'s.

use std::path::PathBuf;
use std::time::Duration;

pub mod flags;
mod path;
pub mod serving;
pub mod stop;
pub mod surroundings;
mod unfilled;

pub use flags::{Flags, Fsync};
pub use stop::Stop;
pub use surroundings::Surroundings;

use path::{DEFAULT_FILE, Origin, PATH_VARIABLE, absolute, deletable_place};

/// What was set, every value ready to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
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

const STRICT_VARIABLE: &str = "MEMORY_STRICT_RELATIONS";
/// Names that people write when they mean [`PATH_VARIABLE`].
const LOOK_ALIKES: [&str; 2] = ["MEMORY_FILE", "MEMORY_PATH"];

const OLD_DEFAULT_FILE: &str = "memory.json";

impl Config {
    /// What the flags say, and the surroundings where they are silent.
    ///
    /// # Errors
    /// A [`Stop`] with code 2: a path that cannot be the memory file's.
    pub fn resolve(flags: Flags, surroundings: &Surroundings<'_>) -> Result<Self, Stop> {
        let mut warnings = Vec::new();
        let path_variable = surroundings.value(PATH_VARIABLE);
        if path_variable.is_none() {
            for name in LOOK_ALIKES {
                if surroundings.value(name).is_some() {
                    warnings.push(format!(
                        "{name} is set but means nothing here; the variable for the memory file \
                         is {PATH_VARIABLE}"
                    ));
                }
            }
        }

        let (given, origin) = match (flags.file, flags.memory_file, path_variable) {
            (Some(path), ..) => (path, Origin::File),
            (_, Some(path), _) => (path, Origin::Flag),
            (_, _, Some(path)) => (PathBuf::from(path), Origin::Variable),
            (None, None, None) => (PathBuf::from(DEFAULT_FILE), Origin::Default),
        };
        let memory_file = absolute(&given, origin, surroundings)?;
        if let Some(part) = given.to_str().and_then(unfilled::suspicion) {
            warnings.push(format!(
                "the path of the memory file {} (from {}) holds {part}, which looks like a \
                 placeholder or like an example's; if it is one, write a path of your own",
                memory_file.display(),
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

fn strict_variable(surroundings: &Surroundings<'_>, warnings: &mut Vec<String>) -> bool {
    let Some(value) = surroundings.value(STRICT_VARIABLE) else {
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
