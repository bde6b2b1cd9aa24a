//! Arguments: coerce what models really send, check, word the errors.

use serde_json::{Map, Value};

use super::{Tool, ToolError};

/// The arguments as the tool's schema wants them.
pub fn arguments(_tool: Tool, arguments: Option<Map<String, Value>>) -> Result<Value, ToolError> {
    Ok(Value::Object(arguments.unwrap_or_default()))
}
