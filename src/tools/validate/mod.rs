//! Arguments: coerce what models really send, check them against the tool's
//! schema, word the errors (docs/behaviour.md, "Arguments"). Behind it nothing
//! checks arguments again.
//!
//! Three steps: `coerce` changes the value in place, jsonschema alone
//! decides whether it is valid, and only an invalid value is walked by
//! `explain`, which finds words for every bad place. jsonschema collects all
//! its errors at once, which a large bad argument would turn into gigabytes;
//! that is why the words are our own.

mod coerce;
mod explain;
mod hint;
mod words;

use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::contract::Tool;
use super::outcome::ToolError;
use explain::Report;
pub use words::kind;

/// The longest `query` of search_nodes, in UTF-16 code units, which is how
/// JavaScript counts. JSON Schema's `maxLength` counts code points, so the
/// schema cannot say it.
pub const MAX_QUERY_UNITS: usize = 2048;

/// The arguments as the tool's schema wants them: `X::deserialize` succeeds on
/// the value for the tool's request type `X`.
///
/// Coerced, at any depth: a string that holds the JSON of a wanted array or
/// object is that value; any other string where a list of strings is wanted is
/// a list of one; an optional property that is null is absent; an integer may
/// be written `5.0`. An integer above 2^53 becomes 2^53, which no file can
/// reach, so it limits nothing; it still counts as given, so that a huge
/// `observationLimit` brings the `observationCount`s. Nothing else is coerced.
/// Unknown properties are left where they are, and no request type reads them.
///
/// # Errors
/// [`ToolError::Arguments`] with a text that names the tool and every bad place
/// by its path, says what was expected and what came, and shows correct
/// arguments where the shape was wrong. Its size is bounded, whatever came.
pub fn arguments(tool: Tool, arguments: Option<Map<String, Value>>) -> Result<Value, ToolError> {
    let contract = Contract::of(tool);
    let mut arguments = Value::Object(arguments.unwrap_or_default());
    coerce::coerce(&contract.schema, &mut arguments);
    let valid = contract.validator.is_valid(&arguments);
    let too_long = (tool == Tool::SearchNodes)
        .then(|| overlong_query(&arguments))
        .flatten();
    if valid && too_long.is_none() {
        return Ok(arguments);
    }

    let mut report = Report::default();
    if !valid {
        report.examine(&contract.schema, &arguments);
    }
    if let Some(units) = too_long {
        report.add(format!(
            "query: expected at most {MAX_QUERY_UNITS} UTF-16 code units, got {units}; \
             search for a shorter part of the text"
        ));
    }
    if report.is_empty() {
        // The schema uses a word that the report does not know.
        if let Err(error) = contract.validator.validate(&arguments) {
            let at = error.instance_path().as_str();
            report.add_misshapen(format!("{at}: {}", error.masked()));
        }
    }
    Err(ToolError::Arguments(report.text(tool)))
}

/// A tool's input schema, ready to check with.
struct Contract {
    schema: Value,
    validator: Validator,
}

impl Contract {
    /// Compiled when the tool is first called: a server that is only started
    /// and asked for its tools pays nothing.
    fn of(tool: Tool) -> &'static Contract {
        static CONTRACTS: [OnceLock<Contract>; Tool::ALL.len()] =
            [const { OnceLock::new() }; Tool::ALL.len()];
        CONTRACTS[tool as usize].get_or_init(|| {
            let schema = serde_json::from_str(tool.input_schema())
                .expect("input schemas are generated as JSON");
            let validator =
                Validator::new(&schema).expect("input schemas are generated as JSON Schema");
            Contract { schema, validator }
        })
    }
}

/// How long the query is, in UTF-16 code units, when that is too long.
fn overlong_query(arguments: &Value) -> Option<usize> {
    let query = arguments.get("query")?.as_str()?;
    // A UTF-16 code unit takes at least one byte of UTF-8.
    if query.len() <= MAX_QUERY_UNITS {
        return None;
    }
    Some(query.encode_utf16().count()).filter(|units| *units > MAX_QUERY_UNITS)
}
