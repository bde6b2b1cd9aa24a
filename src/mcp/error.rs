//! The JSON-RPC errors that more than one part of the wire gives.

use rmcp::model::{ErrorCode, ErrorData};

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
