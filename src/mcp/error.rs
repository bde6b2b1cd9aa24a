//! The JSON-RPC errors that more than one part of the wire gives.

use rmcp::model::{ErrorCode, ErrorData};

/// So many characters of a name that nobody knows are repeated in an error.
const LONGEST_ECHO: usize = 200;

/// The beginning of a name that nobody knows.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(LONGEST_ECHO).collect()
}

/// -32602: what was asked cannot be asked this way.
pub(super) fn invalid_params(text: impl Into<String>) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_PARAMS, text.into(), None)
}

/// -32603: it is our fault.
pub(super) fn internal(text: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::INTERNAL_ERROR,
        format!("internal error: {text}"),
        None,
    )
}
