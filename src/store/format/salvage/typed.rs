//! Records that lost their type: an object that has an entity's or a relation's
//! fields is one.

use std::collections::HashSet;

use super::super::line::Content;
use super::pieces::{members, read};

/// Where an object without a `type` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Among others: its keys tell what it is.
    Any,
    /// Under "entities" of a whole graph.
    Entities,
    /// Under "relations" of a whole graph.
    Relations,
}

/// What an unknown record becomes.
pub(super) enum Typed {
    /// It stays as it is.
    Unknown,
    /// This entity or relation.
    Record(Vec<u8>),
    /// It cannot be what its place says that it is.
    Neither,
}

/// Gives an unknown record the type that its place or its keys tell.
pub(super) fn add_type(value: &[u8], context: Context) -> Typed {
    let keys: HashSet<String> = members(value)
        .into_iter()
        .map(|(key, ..)| key.text(value).into_owned())
        .collect();
    let has = |key: &str| keys.contains(key);
    let record_type: &[u8] = match context {
        // A type that is not ours makes it an unknown record, but where
        // entities or relations are listed something unclear.
        Context::Any if has("type") => return Typed::Unknown,
        _ if has("type") => return Typed::Neither,
        Context::Entities => b"entity",
        Context::Relations => b"relation",
        Context::Any if has("from") && has("to") && has("relationType") => b"relation",
        Context::Any if has("name") && (has("entityType") || has("observations")) => b"entity",
        Context::Any => return Typed::Unknown,
    };
    let rest = value[1..].trim_ascii_start();
    let record = [b"{\"type\":\"", record_type, b"\",", rest].concat();
    match (read(&record), context) {
        (Ok(Content::Entity { .. } | Content::Relation { .. }), _) => Typed::Record(record),
        (_, Context::Any) => Typed::Unknown,
        _ => Typed::Neither,
    }
}

/// The entity or relation that an unknown record with a line of its own is but
/// for its missing type.
pub fn with_type(record: &[u8]) -> Option<Vec<u8>> {
    match add_type(record, Context::Any) {
        Typed::Record(record) => Some(record),
        _ => None,
    }
}
