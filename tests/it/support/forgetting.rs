//! A disk in memory that loses its power on demand. Afterwards only that is
//! sure to be there which was synced; of the rest, what happened to reach the
//! platters, names and contents each for itself.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use mcp_memory::store::disk::{
    Access, Attributes, Content, Disk, DiskDirectory, DiskFile, Identity, Kind, directory_of,
    nanoseconds,
};

/// The disk. Clones are the same disk.
#[derive(Clone, Default)]
pub struct Forgetting {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    nodes: Vec<Node>,
    names: Layers<BTreeMap<PathBuf, usize>>,
    operations: usize,
    power_ends_after: Option<usize>,
    clock: i128,
    handles: u64,
}

struct Node {
    kind: Kind,
    bytes: Layers<Vec<u8>>,
    mode: u32,
    modified: i128,
    changed: i128,
    locked_by: Option<u64>,
}

/// What processes see, and what is on the platters.
#[derive(Default)]
struct Layers<T> {
    seen: T,
    durable: T,
}

/// What reached the platters although it was not synced.
#[derive(Debug, Clone, Copy)]
pub struct Luck {
    pub names: bool,
    pub contents: bool,
}

/// Every kind of luck.
pub const LUCK: [Luck; 4] = [
    Luck {
        names: false,
        contents: false,
    },
    Luck {
        names: true,
        contents: false,
    },
    Luck {
        names: false,
        contents: true,
    },
    Luck {
        names: true,
        contents: true,
    },
];

impl Forgetting {
    /// A disk with these durable files, and the directories they are in.
    pub fn with(files: &BTreeMap<PathBuf, Vec<u8>>) -> Forgetting {
        let disk = Forgetting::default();
        let mut state = disk.state.lock().unwrap();
        for (path, bytes) in files {
            for directory in path.ancestors().skip(1) {
                if !state.names.seen.contains_key(directory) {
                    state.add(directory, Kind::Directory, Vec::new());
                }
            }
            state.add(path, Kind::File, bytes.clone());
        }
        for node in &mut state.nodes {
            node.bytes.durable = node.bytes.seen.clone();
        }
        state.names.durable = state.names.seen.clone();
        drop(state);
        disk
    }

    /// How many operations changed something so far.
    pub fn operations(&self) -> usize {
        self.state.lock().unwrap().operations
    }

    /// After that many changes every operation fails.
    pub fn end_power_after(&self, operations: usize) {
        self.state.lock().unwrap().power_ends_after = Some(operations);
    }

    /// The files that are found when the power is back.
    pub fn after_power_cut(&self, luck: Luck) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state.lock().unwrap();
        let names = if luck.names {
            &state.names.seen
        } else {
            &state.names.durable
        };
        names
            .iter()
            .filter(|(path, _)| {
                let mut parents = path.ancestors().skip(1);
                parents.all(|parent| names.contains_key(parent))
            })
            .filter_map(|(path, node)| {
                let node = &state.nodes[*node];
                let bytes = if luck.contents {
                    &node.bytes.seen
                } else {
                    &node.bytes.durable
                };
                (node.kind == Kind::File).then(|| (path.clone(), bytes.clone()))
            })
            .collect()
    }

    fn change<T>(&self, act: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.lock().unwrap();
        state.has_power()?;
        state.operations += 1;
        state.clock += 1;
        act(&mut state)
    }

    fn look<T>(&self, act: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.lock().unwrap();
        state.has_power()?;
        act(&mut state)
    }

    fn open_node(&self, state: &mut State, node: usize) -> Box<dyn DiskFile> {
        state.handles += 1;
        Box::new(File {
            disk: self.clone(),
            node,
            handle: state.handles,
        })
    }
}

impl State {
    fn has_power(&self) -> io::Result<()> {
        match self.power_ends_after {
            Some(end) if self.operations >= end => Err(io::Error::other("the power is gone")),
            _ => Ok(()),
        }
    }

    fn new_node(&mut self, kind: Kind, bytes: Vec<u8>) -> usize {
        self.nodes.push(Node {
            kind,
            bytes: Layers {
                seen: bytes,
                durable: Vec::new(),
            },
            mode: 0o644,
            modified: self.clock,
            changed: self.clock,
            locked_by: None,
        });
        self.nodes.len() - 1
    }

    fn add(&mut self, path: &Path, kind: Kind, bytes: Vec<u8>) -> usize {
        let node = self.new_node(kind, bytes);
        self.names.seen.insert(path.to_path_buf(), node);
        node
    }

    fn must_be_free(&self, path: &Path) -> io::Result<()> {
        if !self.names.seen.contains_key(directory_of(path)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        if self.names.seen.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(())
    }

    fn identity(&self, node: usize) -> Identity {
        let it = &self.nodes[node];
        Identity {
            device: 1,
            inode: node as u64,
            size: it.bytes.seen.len() as u64,
            modified: it.modified,
            changed: it.changed,
            kind: it.kind,
        }
    }
}

impl Disk for Forgetting {
    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    fn identity(&self, path: &Path) -> io::Result<Option<Identity>> {
        self.look(|state| {
            let node = state.names.seen.get(path).copied();
            Ok(node.map(|node| state.identity(node)))
        })
    }

    fn identity_of_name(&self, path: &Path) -> io::Result<Option<Identity>> {
        self.identity(path)
    }

    fn read(&self, path: &Path) -> io::Result<Option<Content>> {
        self.look(|state| {
            let Some(node) = state.names.seen.get(path).copied() else {
                return Ok(None);
            };
            state.nodes[node].kind.must_be_file()?;
            Ok(Some(Content {
                bytes: state.nodes[node].bytes.seen.clone(),
                before: state.identity(node),
                after: state.identity(node),
            }))
        })
    }

    fn open(&self, path: &Path, _access: Access) -> io::Result<Option<Box<dyn DiskFile>>> {
        self.look(|state| {
            let Some(node) = state.names.seen.get(path).copied() else {
                return Ok(None);
            };
            state.nodes[node].kind.must_be_file()?;
            Ok(Some(self.open_node(state, node)))
        })
    }

    fn create_new(&self, path: &Path, _private: bool) -> io::Result<Box<dyn DiskFile>> {
        self.change(|state| {
            state.must_be_free(path)?;
            let node = state.add(path, Kind::File, Vec::new());
            Ok(self.open_node(state, node))
        })
    }

    fn create_hidden(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.change(|state| {
            state.must_be_free(path)?;
            let node = state.new_node(Kind::File, Vec::new());
            Ok(self.open_node(state, node))
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change(|state| {
            let node = state.names.seen.remove(from);
            let node = node.ok_or(io::ErrorKind::NotFound)?;
            state.names.seen.insert(to.to_path_buf(), node);
            state.nodes[node].changed = state.clock;
            Ok(())
        })
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.look(|state| state.must_be_free(to))?;
        self.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change(|state| match state.names.seen.remove(path) {
            Some(_) => Ok(()),
            None => Err(io::ErrorKind::NotFound.into()),
        })
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.change(|state| {
            state.must_be_free(path)?;
            state.add(path, Kind::Directory, Vec::new());
            Ok(())
        })
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        self.remove(path)
    }

    fn open_directory(&self, path: &Path) -> io::Result<Box<dyn DiskDirectory>> {
        self.look(|_| {
            Ok(Box::new(Directory {
                disk: self.clone(),
                path: path.to_path_buf(),
            }))
        })
        .map(|directory| directory as Box<dyn DiskDirectory>)
    }
}

struct Directory {
    disk: Forgetting,
    path: PathBuf,
}

impl DiskDirectory for Directory {
    fn sync(&self) -> io::Result<()> {
        self.disk.change(|state| {
            let Layers { seen, durable } = &mut state.names;
            let inside = |name: &Path| name.parent() == Some(&self.path);
            durable.retain(|name, _| !inside(name) || seen.contains_key(name));
            for (name, node) in seen.iter().filter(|(name, _)| inside(name)) {
                durable.insert(name.clone(), *node);
            }
            Ok(())
        })
    }
}

struct File {
    disk: Forgetting,
    node: usize,
    handle: u64,
}

impl File {
    fn change(&self, act: impl FnOnce(&mut Node, i128)) -> io::Result<()> {
        self.disk.change(|state| {
            let clock = state.clock;
            act(&mut state.nodes[self.node], clock);
            Ok(())
        })
    }
}

impl DiskFile for File {
    fn write_all(&self, slices: &[&[u8]]) -> io::Result<()> {
        // Each slice is an operation, so that the power can end in between.
        for slice in slices {
            self.change(|node, clock| {
                node.bytes.seen.extend_from_slice(slice);
                node.modified = clock;
            })?;
        }
        Ok(())
    }

    fn write_over(&self, bytes: &[u8]) -> io::Result<()> {
        self.change(|node, clock| {
            node.bytes.seen[..bytes.len()].copy_from_slice(bytes);
            node.modified = clock;
        })
    }

    fn read_start(&self, limit: usize) -> io::Result<Vec<u8>> {
        self.disk.look(|state| {
            let bytes = &state.nodes[self.node].bytes.seen;
            Ok(bytes[..limit.min(bytes.len())].to_vec())
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.change(|node, _| node.bytes.durable = node.bytes.seen.clone())
    }

    fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.change(|node, _| node.modified = nanoseconds(time))
    }

    fn touch(&self) -> io::Result<()> {
        self.change(|node, clock| node.modified = clock)
    }

    fn identity(&self) -> io::Result<Identity> {
        self.disk.look(|state| Ok(state.identity(self.node)))
    }

    fn attributes(&self) -> io::Result<Attributes> {
        self.disk.look(|state| {
            Ok(Attributes {
                mode: state.nodes[self.node].mode,
                user: 0,
                group: 0,
                links: 1,
            })
        })
    }

    fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.change(|node, _| node.mode = mode)
    }

    fn set_owner(&self, _user: Option<u32>, _group: Option<u32>) -> io::Result<()> {
        Ok(())
    }

    fn extended(&self) -> io::Result<Vec<CString>> {
        Ok(Vec::new())
    }

    fn get_extended(&self, _name: &CStr) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn set_extended(&self, _name: &CStr, _value: Option<&[u8]>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn may_be_open_when_replaced(&self) -> bool {
        true
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.disk.look(|state| {
            let holder = &mut state.nodes[self.node].locked_by;
            Ok(*holder.get_or_insert(self.handle) == self.handle)
        })
    }

    fn link(&self, path: &Path) -> io::Result<()> {
        self.disk.change(|state| {
            state.must_be_free(path)?;
            state.names.seen.insert(path.to_path_buf(), self.node);
            Ok(())
        })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let mut state = self.disk.state.lock().unwrap();
        let holder = &mut state.nodes[self.node].locked_by;
        if *holder == Some(self.handle) {
            *holder = None;
        }
    }
}
