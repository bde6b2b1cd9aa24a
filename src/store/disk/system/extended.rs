//! Extended attributes, access control lists among them.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;

use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The most that Linux gives, for the list as for a value.
const LONGEST: usize = 65_536;

pub(in crate::store::disk) fn extended(file: &File) -> io::Result<Vec<CString>> {
    // Nearly all files have few or none.
    let mut list = Vec::with_capacity(1024);
    let listed = match flistxattr(file, spare_capacity(&mut list)) {
        Err(Errno::RANGE) => {
            list.reserve(LONGEST);
            flistxattr(file, spare_capacity(&mut list))
        }
        listed => listed,
    };
    match listed {
        Ok(_) => {}
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    }
    let names = list
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty());
    Ok(names.filter_map(|name| CString::new(name).ok()).collect())
}

pub(in crate::store::disk) fn get_extended(file: &File, name: &CStr) -> io::Result<Vec<u8>> {
    let mut value = Vec::with_capacity(LONGEST);
    fgetxattr(file, name, spare_capacity(&mut value))?;
    Ok(value)
}

pub(in crate::store::disk) fn set_extended(
    file: &File,
    name: &CStr,
    value: Option<&[u8]>,
) -> io::Result<()> {
    match value {
        Some(value) => fsetxattr(file, name, value, XattrFlags::empty())?,
        None => fremovexattr(file, name)?,
    }
    Ok(())
}
