//! What the rules look at besides the flags.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

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

impl Surroundings<'_> {
    /// A variable's value; an empty one counts as unset.
    pub(super) fn value(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

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
