//! The file system of this machine. The small differences between systems are
//! [`system`]'s; decisions are the callers'.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, IoSlice, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tempfile::TempPath;

use super::cause::means_nothing_there;
use super::file_system::{Access, Disk, DiskDirectory, DiskFile, directory_of};
use super::identity::{Attributes, Content, Identity};
use super::rename_new::rename_new;
use super::system;

/// As many links as Linux follows.
const LONGEST_CHAIN: usize = 40;

/// The real thing.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        let mut path = path.to_path_buf();
        for _ in 0..=LONGEST_CHAIN {
            match std::fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => {
                    // An absolute link replaces the whole path.
                    path = directory_of(&path).join(std::fs::read_link(&path)?);
                }
                Ok(_) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many symbolic links"))
    }

    fn identity(&self, path: &Path) -> io::Result<Option<Identity>> {
        present(system::look(path, true))
    }

    fn identity_of_name(&self, path: &Path) -> io::Result<Option<Identity>> {
        present(system::look(path, false))
    }

    fn read(&self, path: &Path) -> io::Result<Option<Content>> {
        let Some(mut file) = open_regular(path, Access::Read, true)? else {
            return Ok(None);
        };
        let before = system::look_at(&file)?;
        // One byte more than the size, so that the end is seen without
        // growing the buffer.
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(usize::try_from(before.size).unwrap_or(usize::MAX - 1) + 1)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        file.read_to_end(&mut bytes)?;
        let after = system::look_at(&file)?;
        Ok(Some(Content {
            bytes,
            before,
            after,
        }))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Option<Box<dyn DiskFile>>> {
        let file = present(open_regular(path, access, false))?.flatten();
        let exclusive = system::Exclusive::of_opened(path);
        Ok(file.map(|file| boxed(file, Hidden::No, exclusive)))
    }

    fn create_new(&self, path: &Path, private: bool) -> io::Result<Box<dyn DiskFile>> {
        system::create(path, private).map(|file| boxed_new(file, Hidden::No))
    }

    fn create_hidden(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        match system::create_unnamed(directory_of(path))? {
            Some(file) => Ok(boxed_new(file, Hidden::Unnamed)),
            None => create_named(path),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        system::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        rename_new(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        system::remove(path)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        Ok(Box::new(system::Directory::open(path)?))
    }
}

impl DiskDirectory for system::Directory {
    fn sync(&self) -> io::Result<()> {
        system::Directory::sync(self)
    }
}

/// An open file of this machine.
struct RealFile {
    // In this order they are dropped: some systems remove no name of a file
    // that is open.
    file: File,
    exclusive: system::Exclusive,
    hidden: Hidden,
}

/// How a file is hidden until it gets its name.
enum Hidden {
    /// It is not.
    No,
    /// It has no name at all, so that nothing is left of it when the process
    /// is killed.
    Unnamed,
    /// It has a name that nobody looks for, removed when it gets its own, and
    /// with this value.
    Named(Mutex<Option<TempPath>>),
}

impl DiskFile for RealFile {
    fn write_all(&self, slices: &[&[u8]]) -> io::Result<()> {
        let mut slices: Vec<IoSlice<'_>> = slices.iter().map(|slice| IoSlice::new(slice)).collect();
        let mut rest = &mut slices[..];
        // Drops empty slices at the front, or all-empty input would look like
        // a disk that takes nothing.
        IoSlice::advance_slices(&mut rest, 0);
        while !rest.is_empty() {
            match (&self.file).write_vectored(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut rest, written),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_over(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        file.write_all(bytes)
    }

    fn read_start(&self, limit: usize) -> io::Result<Vec<u8>> {
        let mut file = &self.file;
        file.rewind()?;
        let mut bytes = Vec::new();
        file.take(limit as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.file.set_modified(time)
    }

    fn touch(&self) -> io::Result<()> {
        system::touch(&self.file)
    }

    fn identity(&self) -> io::Result<Identity> {
        system::look_at(&self.file)
    }

    fn attributes(&self) -> io::Result<Attributes> {
        Ok(system::attributes(&self.file.metadata()?))
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        system::set_mode(&self.file, mode)
    }

    fn set_owner(&self, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
        system::set_owner(&self.file, user, group)
    }

    fn extended(&self) -> io::Result<Vec<CString>> {
        system::extended(&self.file)
    }

    fn get_extended(&self, name: &CStr) -> io::Result<Vec<u8>> {
        system::get_extended(&self.file, name)
    }

    fn set_extended(&self, name: &CStr, value: Option<&[u8]>) -> io::Result<()> {
        system::set_extended(&self.file, name, value)
    }

    fn may_be_open_when_replaced(&self) -> bool {
        system::may_be_open_when_replaced(&self.file)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.exclusive.try_lock(&self.file)
    }

    fn link(&self, path: &Path) -> io::Result<()> {
        match &self.hidden {
            Hidden::No => Err(io::ErrorKind::Unsupported.into()),
            Hidden::Unnamed => system::link_unnamed(&self.file, path),
            Hidden::Named(name) => {
                let mut name = name.lock().unwrap_or_else(PoisonError::into_inner);
                let old = name.as_ref().ok_or(io::ErrorKind::Unsupported)?;
                system::link(old, path)?;
                *name = None;
                Ok(())
            }
        }
    }
}

fn boxed(file: File, hidden: Hidden, exclusive: system::Exclusive) -> Box<dyn DiskFile> {
    Box::new(RealFile {
        file,
        exclusive,
        hidden,
    })
}

fn boxed_new(file: File, hidden: Hidden) -> Box<dyn DiskFile> {
    boxed(file, hidden, system::Exclusive::of_new())
}

fn create_named(path: &Path) -> io::Result<Box<dyn DiskFile>> {
    let file = system::create(path, false)?;
    let name = TempPath::try_from_path(path)?;
    Ok(boxed_new(file, Hidden::Named(Mutex::new(Some(name)))))
}

/// Opens what is at the path if it is a regular file. It is looked at before
/// it is opened and again when it is open, because it may be swapped between.
fn open_regular(path: &Path, access: Access, follow: bool) -> io::Result<Option<File>> {
    let Some(there) = found(system::look(path, follow))? else {
        return Ok(None);
    };
    there.kind.must_be_file()?;
    let Some(file) = found(system::open(path, access, follow))? else {
        return Ok(None);
    };
    system::look_at(&file)?.kind.must_be_file()?;
    Ok(Some(file))
}

/// Nothing where there is no such name. A stale handle stays an error: there is
/// a file, and it was replaced just now.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if means_nothing_there(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

// What is tested here needs hard links, which only locks on Unix are made of.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::store::disk::cause::means_no_such_thing;

    fn check_hidden(hide: impl Fn(&Path) -> io::Result<Box<dyn DiskFile>>, is_seen: bool) {
        let directory = tempfile::tempdir().unwrap();
        let private = directory.path().join("private");
        let public = directory.path().join("public");
        let file = hide(&private).unwrap();
        assert_eq!(private.exists(), is_seen);
        drop(file);
        assert!(!private.exists(), "nothing is left of a file without name");

        let file = hide(&private).unwrap();
        file.write_all(&[b"", b"con", b"", b"tents", b""]).unwrap();
        if cfg!(windows) {
            let error = file.link(&public).unwrap_err();
            assert!(means_no_such_thing(&error), "{error}");
            return;
        }
        file.link(&public).unwrap();
        assert!(!private.exists());
        assert_eq!(std::fs::read(&public).unwrap(), b"contents");
        let error = hide(&private).unwrap().link(&public).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert!(!private.exists());
        drop(file);
        assert!(public.exists());
    }

    #[test]
    fn a_hidden_file_appears_whole_under_its_name_only() {
        check_hidden(create_named, true);
        check_hidden(
            |path| RealDisk.create_hidden(path),
            !cfg!(target_os = "linux"),
        );
    }

    #[test]
    fn a_chain_of_links_is_followed_to_where_a_file_would_be_made() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let link = std::os::unix::fs::symlink::<&str, PathBuf>;
        link("relative", at("first")).unwrap();
        std::os::unix::fs::symlink(at("sub/../nothing"), at("relative")).unwrap();
        assert_eq!(
            RealDisk.resolve(&at("first")).unwrap(),
            at("sub/../nothing")
        );
        link("round", at("round")).unwrap();
        let error = RealDisk.resolve(&at("round")).unwrap_err();
        assert_eq!(error.to_string(), "too many symbolic links");
    }
}
