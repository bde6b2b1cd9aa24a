//! Systems on which extended attributes are left alone.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;

pub(in crate::store::disk) fn extended(_file: &File) -> io::Result<Vec<CString>> {
    Ok(Vec::new())
}

pub(in crate::store::disk) fn get_extended(_file: &File, _name: &CStr) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(in crate::store::disk) fn set_extended(
    _file: &File,
    _name: &CStr,
    _value: Option<&[u8]>,
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
