//! Disks that are not what they should be: [`Scripted`] writes down every step
//! and fails one on demand, [`Coarse`] has a slow clock. The disk that forgets
//! what was not synced is in [`forgetting`](super::forgetting).

use std::ffi::{CStr, CString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use mcp_memory::store::disk::{
    Access, Attributes, Content, Disk, DiskDirectory, DiskFile, Identity,
};

/// The system's numbers of the errors that tests inject.
pub const NO_PERMISSION: i32 = 13;
pub const INPUT_OUTPUT: i32 = 5;
pub const NO_SPACE: i32 = 28;

/// Another disk, with every step written down and any step failing.
#[derive(Clone)]
pub struct Scripted {
    inner: Arc<dyn Disk>,
    script: Arc<Script>,
}

type Fails = dyn Fn(usize, &str) -> Option<io::Error> + Send + Sync;

struct Script {
    fails: Box<Fails>,
    steps: Mutex<Vec<String>>,
    failed: Mutex<Option<String>>,
}

impl Scripted {
    /// Everything works.
    pub fn recording(inner: impl Disk) -> Scripted {
        Scripted::new(inner, |_, _| None)
    }

    /// Fails the step with this number, from 0, once.
    pub fn failing_at(inner: impl Disk, number: usize, error: i32) -> Scripted {
        Scripted::new(inner, move |step, _| {
            (step == number).then(|| io::Error::from_raw_os_error(error))
        })
    }

    /// Fails every step whose name begins like this.
    pub fn failing_always(inner: impl Disk, name: &'static str, kind: io::ErrorKind) -> Scripted {
        Scripted::new(inner, move |_, step| {
            step.starts_with(name).then(|| kind.into())
        })
    }

    /// Asks before every step, by its number and name, whether it fails; the
    /// answer may take its time.
    pub fn new(
        inner: impl Disk,
        fails: impl Fn(usize, &str) -> Option<io::Error> + Send + Sync + 'static,
    ) -> Scripted {
        Scripted {
            inner: Arc::new(inner),
            script: Arc::new(Script {
                fails: Box::new(fails),
                steps: Mutex::default(),
                failed: Mutex::default(),
            }),
        }
    }

    /// The steps so far: what was done, to which file. Temp files are called
    /// `TEMP`.
    pub fn steps(&self) -> Vec<String> {
        self.script.steps.lock().unwrap().clone()
    }

    /// The step that failed last.
    pub fn failed(&self) -> Option<String> {
        self.script.failed.lock().unwrap().clone()
    }

    fn step(&self, what: &str, path: &Path) -> io::Result<()> {
        self.script.step(format!("{what} {}", label(path)))
    }

    fn wrap(&self, file: Box<dyn DiskFile>, path: &Path) -> Box<dyn DiskFile> {
        Box::new(ScriptedFile {
            inner: file,
            name: label(path),
            script: Arc::clone(&self.script),
        })
    }
}

impl Script {
    fn step(&self, step: String) -> io::Result<()> {
        let mut steps = self.steps.lock().unwrap();
        let number = steps.len();
        steps.push(step.clone());
        // What happens at a step may take as long as a test likes.
        drop(steps);
        match (self.fails)(number, &step) {
            Some(error) => {
                *self.failed.lock().unwrap() = Some(step);
                Err(error)
            }
            None => Ok(()),
        }
    }
}

impl Disk for Scripted {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.step("resolve", path)?;
        self.inner.resolve(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<Identity>> {
        self.step("identity", path)?;
        self.inner.identity(path)
    }

    fn identity_of_name(&self, path: &Path) -> io::Result<Option<Identity>> {
        self.step("identity_of_name", path)?;
        self.inner.identity_of_name(path)
    }

    fn read(&self, path: &Path) -> io::Result<Option<Content>> {
        self.step("read", path)?;
        self.inner.read(path)
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Option<Box<dyn DiskFile>>> {
        self.step("open", path)?;
        let file = self.inner.open(path, access)?;
        Ok(file.map(|file| self.wrap(file, path)))
    }

    fn create_new(&self, path: &Path, private: bool) -> io::Result<Box<dyn DiskFile>> {
        self.step("create", path)?;
        let file = self.inner.create_new(path, private)?;
        Ok(self.wrap(file, path))
    }

    fn create_hidden(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.step("hide", path)?;
        let file = self.inner.create_hidden(path)?;
        Ok(self.wrap(file, Path::new("hidden")))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.script
            .step(format!("rename {} {}", label(from), label(to)))?;
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.script
            .step(format!("rename_new {} {}", label(from), label(to)))?;
        self.inner.rename_new(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step("remove", path)?;
        self.inner.remove(path)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.step("mkdir", path)?;
        self.inner.create_directory(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.step("rmdir", path)?;
        self.inner.remove_directory(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        self.script.step("open_directory".to_owned())?;
        Ok(Box::new(ScriptedDirectory {
            inner: self.inner.open_directory(path)?,
            script: Arc::clone(&self.script),
        }))
    }
}

struct ScriptedDirectory {
    inner: Box<dyn DiskDirectory>,
    script: Arc<Script>,
}

impl DiskDirectory for ScriptedDirectory {
    fn sync(&self) -> io::Result<()> {
        self.script.step("sync_directory".to_owned())?;
        self.inner.sync()
    }
}

struct ScriptedFile {
    inner: Box<dyn DiskFile>,
    name: String,
    script: Arc<Script>,
}

impl ScriptedFile {
    fn step(&self, what: &str) -> io::Result<()> {
        self.script.step(format!("{what} {}", self.name))
    }
}

impl Drop for ScriptedFile {
    fn drop(&mut self) {
        // The step may be what panics.
        if !std::thread::panicking() {
            let _ = self.step("close");
        }
    }
}

impl DiskFile for ScriptedFile {
    fn write_all(&self, slices: &[&[u8]]) -> io::Result<()> {
        if let Err(error) = self.step("write") {
            // A write that fails has often written something.
            let bytes = slices.concat();
            self.inner.write_all(&[&bytes[..bytes.len() / 2]])?;
            return Err(error);
        }
        self.inner.write_all(slices)
    }

    fn write_over(&self, bytes: &[u8]) -> io::Result<()> {
        self.step("write_over")?;
        self.inner.write_over(bytes)
    }

    fn read_start(&self, limit: usize) -> io::Result<Vec<u8>> {
        self.step("read")?;
        self.inner.read_start(limit)
    }

    fn sync(&self) -> io::Result<()> {
        self.step("sync")?;
        self.inner.sync()
    }

    fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.step("set_modified")?;
        self.inner.set_modified(time)
    }

    fn touch(&self) -> io::Result<()> {
        self.step("touch")?;
        self.inner.touch()
    }

    fn identity(&self) -> io::Result<Identity> {
        self.step("look_at")?;
        self.inner.identity()
    }

    fn attributes(&self) -> io::Result<Attributes> {
        self.step("attributes")?;
        self.inner.attributes()
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.step("set_mode")?;
        self.inner.set_mode(mode)
    }

    fn set_owner(&self, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
        self.step("set_owner")?;
        self.inner.set_owner(user, group)
    }

    fn extended(&self) -> io::Result<Vec<CString>> {
        // Asked at every write, and no step: that would be one more to fail
        // without any effect.
        self.inner.extended()
    }

    fn get_extended(&self, name: &CStr) -> io::Result<Vec<u8>> {
        self.inner.get_extended(name)
    }

    fn set_extended(&self, name: &CStr, value: Option<&[u8]>) -> io::Result<()> {
        self.step("set_extended")?;
        self.inner.set_extended(name, value)
    }

    fn may_be_open_when_replaced(&self) -> bool {
        // A "no" for an error.
        self.step("may_be_open").is_ok() && self.inner.may_be_open_when_replaced()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.step("try_lock")?;
        self.inner.try_lock()
    }

    fn link(&self, path: &Path) -> io::Result<()> {
        self.script.step(format!("link {}", label(path)))?;
        self.inner.link(path)
    }
}

/// Another disk whose clock ticks this slowly and is this far behind.
pub struct Coarse<D> {
    pub inner: D,
    pub tick: Duration,
    pub behind: Duration,
}

impl<D> Coarse<D> {
    fn blur(&self, identity: Identity) -> Identity {
        blur(identity, self.tick, self.behind)
    }

    fn wrap(&self, file: Box<dyn DiskFile>) -> Box<dyn DiskFile> {
        Box::new(CoarseFile {
            inner: file,
            tick: self.tick,
            behind: self.behind,
        })
    }
}

fn blur(mut identity: Identity, tick: Duration, behind: Duration) -> Identity {
    let [tick, behind] = [tick, behind].map(|it| i128::try_from(it.as_nanos()).unwrap());
    for stamp in [&mut identity.modified, &mut identity.changed] {
        *stamp -= behind;
        *stamp -= stamp.rem_euclid(tick);
    }
    identity
}

impl<D: Disk> Disk for Coarse<D> {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.inner.resolve(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<Identity>> {
        Ok(self.inner.identity(path)?.map(|it| self.blur(it)))
    }

    fn identity_of_name(&self, path: &Path) -> io::Result<Option<Identity>> {
        Ok(self.inner.identity_of_name(path)?.map(|it| self.blur(it)))
    }

    fn read(&self, path: &Path) -> io::Result<Option<Content>> {
        Ok(self.inner.read(path)?.map(|content| Content {
            before: self.blur(content.before),
            after: self.blur(content.after),
            ..content
        }))
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Option<Box<dyn DiskFile>>> {
        Ok(self.inner.open(path, access)?.map(|file| self.wrap(file)))
    }

    fn create_new(&self, path: &Path, private: bool) -> io::Result<Box<dyn DiskFile>> {
        Ok(self.wrap(self.inner.create_new(path, private)?))
    }

    fn create_hidden(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        Ok(self.wrap(self.inner.create_hidden(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename_new(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.inner.create_directory(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_directory(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        self.inner.open_directory(path)
    }
}

struct CoarseFile {
    inner: Box<dyn DiskFile>,
    tick: Duration,
    behind: Duration,
}

impl DiskFile for CoarseFile {
    fn write_all(&self, slices: &[&[u8]]) -> io::Result<()> {
        self.inner.write_all(slices)
    }

    fn write_over(&self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_over(bytes)
    }

    fn read_start(&self, limit: usize) -> io::Result<Vec<u8>> {
        self.inner.read_start(limit)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.inner.set_modified(time)
    }

    fn touch(&self) -> io::Result<()> {
        self.inner.touch()
    }

    fn identity(&self) -> io::Result<Identity> {
        Ok(blur(self.inner.identity()?, self.tick, self.behind))
    }

    fn attributes(&self) -> io::Result<Attributes> {
        self.inner.attributes()
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.inner.set_mode(mode)
    }

    fn set_owner(&self, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
        self.inner.set_owner(user, group)
    }

    fn extended(&self) -> io::Result<Vec<CString>> {
        self.inner.extended()
    }

    fn get_extended(&self, name: &CStr) -> io::Result<Vec<u8>> {
        self.inner.get_extended(name)
    }

    fn set_extended(&self, name: &CStr, value: Option<&[u8]>) -> io::Result<()> {
        self.inner.set_extended(name, value)
    }

    fn may_be_open_when_replaced(&self) -> bool {
        self.inner.may_be_open_when_replaced()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn link(&self, path: &Path) -> io::Result<()> {
        self.inner.link(path)
    }
}

/// How a step names a file.
fn label(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    if name.starts_with(".mcp-memory-") {
        "TEMP".to_owned()
    } else {
        name.into_owned()
    }
}
