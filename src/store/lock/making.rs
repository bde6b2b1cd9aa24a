//! How our own lock file or guard comes into being.

use std::io;
use std::sync::{Arc, Mutex};

use super::held::{Held, beside};
use super::holder::Holder;
use super::locks::Making;
use super::watched::{Watched, try_lock};
use crate::store::disk::cause::means_no_such_thing;
use crate::store::disk::file_system::{Access, DiskFile};
use crate::store::disk::identity::Identity;

impl Watched<'_> {
    /// An empty lock file is one of ours that is just being written only where
    /// it cannot appear whole; elsewhere some other program made it so.
    pub(super) fn appears_whole(&self) -> io::Result<bool> {
        if let Some(making) = self.locks.making(self.directory()) {
            return Ok(making != Making::InPlace);
        }
        let private = self.private_path();
        let probe = beside(&private, "~");
        match self.disk().create_hidden(&private)?.link(&probe) {
            Ok(()) => self.disk().remove(&probe).map(|()| true),
            Err(error) if means_no_such_thing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes the file, unless there is one: then `None`.
    pub(super) fn create(&self) -> io::Result<Option<Held>> {
        match self.locks.making(self.directory()) {
            Some(Making::InPlace) => self.create_in_place(),
            Some(Making::Whole { device }) => self.create_whole(Some(device)),
            None => self.create_whole(None),
        }
    }

    /// Makes it complete and locked, and then gives it its name. `known`: on
    /// this device that is known to work.
    fn create_whole(&self, known: Option<u64>) -> io::Result<Option<Held>> {
        let file = self.disk().create_hidden(&self.private_path())?;
        let Some(can_lock) = try_lock(file.as_ref())? else {
            // Somebody looked into it by chance.
            return Ok(None);
        };
        let identity = file.identity()?;
        let is_known = known == Some(identity.device);
        let mut holder = self.holder(&identity);
        holder.locked = can_lock && is_known;
        file.write_all(&[&holder.to_line()])?;
        match file.link(&self.path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) if means_no_such_thing(&error) => {
                drop(file);
                self.locks.learn(self.directory(), Making::InPlace);
                return self.create_in_place();
            }
            Err(error) => return Err(error),
        }
        let held = self.held(file, identity, holder);
        if is_known {
            return Ok(Some(held));
        }
        // From here on others may find it. Until it is known that they see our
        // advisory lock, the record does not say that there is one.
        let named = match self.disk().open(&self.path, Access::Lock) {
            Ok(Some(named)) => named,
            Ok(None) => return Ok(None),
            // SMB opens no file by its second name while it is open by the
            // first.
            Err(error) if means_no_such_thing(&error) => {
                drop(held);
                self.locks.learn(self.directory(), Making::InPlace);
                return self.create_in_place();
            }
            Err(error) => return Err(error),
        };
        let is_one_file = named.identity()?.is_same_file(&identity);
        if is_one_file && (!can_lock || is_taken(named.as_ref())?) {
            let device = identity.device;
            self.locks.learn(self.directory(), Making::Whole { device });
            if can_lock {
                held.say_locked()?;
            }
            return Ok(Some(held));
        }
        if !is_one_file && !held.is_said_by(named.as_ref()) {
            // Somebody took it for dead.
            return Ok(None);
        }
        drop((named, held));
        self.locks.learn(self.directory(), Making::InPlace);
        self.create_in_place()
    }

    /// Makes it under its name: for a moment it is there and empty.
    fn create_in_place(&self) -> io::Result<Option<Held>> {
        let file = match self.disk().create_new(&self.path, false) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error),
        };
        let identity = file.identity().inspect_err(|_| {
            let _ = self.disk().remove(&self.path);
        })?;
        let holder = self.holder(&identity);
        let held = self.held(file, identity, holder);
        let Some(mut is_seen) = try_lock(held.file.as_ref())? else {
            // It took us so long that somebody takes it for dead.
            return Ok(None);
        };
        if is_seen {
            // Even so, who opens the file by its name may see no lock on it.
            let Some(named) = self.disk().open(&self.path, Access::Lock)? else {
                return Ok(None);
            };
            is_seen = is_taken(named.as_ref())?;
        }
        held.write_record(is_seen)?;
        Ok(held.is_ours()?.then_some(held))
    }

    fn holder(&self, identity: &Identity) -> Holder {
        Holder::this(self.claim.temp_name, &self.private, identity.device)
    }

    fn held(&self, file: Box<dyn DiskFile>, identity: Identity, holder: Holder) -> Held {
        Held {
            disk: Arc::clone(&self.locks.disk),
            path: self.path.clone(),
            file: file.into(),
            identity,
            holder: Mutex::new(holder),
            heartbeat: None,
        }
    }
}

/// Whether this file, opened anew, shows that its advisory lock is taken.
fn is_taken(file: &dyn DiskFile) -> io::Result<bool> {
    Ok(try_lock(file)?.is_none())
}
