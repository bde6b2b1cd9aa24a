//! What a replacement keeps of the file it replaces: owner, group, permission
//! bits, extended attributes.

use std::ffi::{CStr, CString};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::file_system::DiskFile;
use crate::diagnostics;

/// Gives `new` the owner, group, extended attributes and permission bits of
/// `old`, in this order: a change of owner takes away some bits, and where there
/// is an access control list the group's bits are its mask, which would let in
/// the group for as long as the list is not there.
pub(in crate::store) fn keep_attributes(
    target: &Path,
    old: &dyn DiskFile,
    new: &dyn DiskFile,
) -> io::Result<()> {
    let wanted = old.attributes()?;
    let given = new.attributes()?;
    if wanted.links > 1 {
        warn_of_links(target, wanted.links);
    }
    let user = (wanted.user != given.user).then_some(wanted.user);
    let group = (wanted.group != given.group).then_some(wanted.group);
    if (user.is_some() || group.is_some()) && !may_own(new.set_owner(user, group))? {
        // Giving a file away takes more than giving it to one's own groups.
        if user.is_some() && group.is_some() {
            may_own(new.set_owner(None, group))?;
        }
    }
    let mode = if keep_extended(old, new) {
        wanted.mode
    } else {
        wanted.mode & !GROUP_BITS
    };
    // Compared with what is there, because a file system without permission
    // bits shows the same for both and refuses to set any.
    if new.attributes()?.mode != mode {
        new.set_mode(mode)?;
    }
    Ok(())
}

const GROUP_BITS: u32 = 0o070;

/// Where Linux keeps the access control list.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// Attributes that tell something of the old contents, which a write in place
/// would take away too.
const OF_CONTENTS: [&CStr; 3] = [c"security.capability", c"security.ima", c"security.evm"];

/// Copies extended attributes, as far as the process may. `false`: the access
/// control list of `new` is not that of `old`, so that the group's bits do not
/// mean the same for both.
fn keep_extended(old: &dyn DiskFile, new: &dyn DiskFile) -> bool {
    let wanted = old.extended().unwrap_or_default();
    for name in &wanted {
        if OF_CONTENTS.contains(&name.as_c_str()) {
            continue;
        }
        let copied = old
            .get_extended(name)
            .and_then(|value| new.set_extended(name, Some(&value)));
        if copied.is_err() && name.as_c_str() == ACCESS_LIST {
            return false;
        }
    }
    // The directory may have given the new file a list that the old one
    // does not have.
    let is_list = |name: &CString| name.as_c_str() == ACCESS_LIST;
    wanted.iter().any(is_list)
        || !new.extended().unwrap_or_default().iter().any(is_list)
        || new.set_extended(ACCESS_LIST, None).is_ok()
}

fn may_own(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn warn_of_links(target: &Path, links: u64) {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        diagnostics::warn(format_args!(
            "{} has {links} names (hard links); each write replaces the file under this name \
             and leaves the others with the old contents",
            target.display()
        ));
    }
}
