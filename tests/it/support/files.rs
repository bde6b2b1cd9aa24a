//! What lies on the disk around a memory file.

use std::path::{Path, PathBuf};

/// What is in a directory, sorted.
#[track_caller]
pub fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What is in the memory file's directory besides the file itself, sorted.
#[track_caller]
pub fn names_beside(file: &Path) -> Vec<String> {
    let mut names = names_in(file.parent().unwrap());
    names.retain(|name| Some(name.as_ref()) != file.file_name());
    names
}

/// The path of the memory file's lock.
pub fn lock_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// The path with its links followed, as a program sees its working directory:
/// without the `\\?\` that resolving puts before it on Windows.
#[track_caller]
pub fn resolved(path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap();
    let plain = path.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    plain.map(PathBuf::from).unwrap_or(path)
}

/// A word with a blank in it, quoted for a shell of this system.
pub fn quoted(word: &str) -> String {
    let quote = if cfg!(windows) { '"' } else { '\'' };
    format!("{quote}{word}{quote}")
}
