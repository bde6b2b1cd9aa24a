//! The path rules: from what a person wrote to the memory file's absolute path,
//! and what is odd about it. What lies there is the store's business.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::stop::Stop;
use super::surroundings::Surroundings;
use super::unfilled::{self, Trouble};

pub(super) const PATH_VARIABLE: &str = "MEMORY_FILE_PATH";
pub(super) const DEFAULT_FILE: &str = "memory.jsonl";

/// Who chose the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The FILE of a subcommand.
    File,
    Flag,
    Variable,
    Default,
}

impl Origin {
    pub(super) fn name(self) -> &'static str {
        match self {
            Origin::File => "FILE",
            Origin::Flag => "--memory-file",
            Origin::Variable => PATH_VARIABLE,
            Origin::Default => "the default",
        }
    }
}

/// The path as the rules read it: nothing left in it that was to be replaced,
/// `~` expanded, absolute. A `~` further in is an ordinary name.
pub(super) fn absolute(
    given: &Path,
    origin: Origin,
    surroundings: &Surroundings<'_>,
) -> Result<PathBuf, Stop> {
    let origin = origin.name();
    let given = match given
        .to_str()
        .map(|text| (text, unfilled::of_address(text)))
    {
        Some((_, Some(path))) => Cow::Owned(PathBuf::from(path)),
        Some((text, None)) => {
            if let Some(Trouble { what, advice }) = unfilled::refusal(text) {
                return Err(Stop::usage(format!(
                    "the path of the memory file {what}: {text} (from {origin})\n{advice}"
                )));
            }
            Cow::Borrowed(given)
        }
        None => Cow::Borrowed(given),
    };
    let shown = given.display();
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

/// Where files are deleted under the server, in words, when `path` is there.
pub(super) fn deletable_place(path: &Path, temporary: &[PathBuf]) -> Option<String> {
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
