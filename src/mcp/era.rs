//! The rules of the eras: which one a request belongs to, and whether it may be
//! asked in it. Pure functions of the request, the same whatever it came over.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Value, json};

use super::error::invalid_params;

/// The two shapes of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// 2024-11-05 to 2025-11-25: a session that `initialize` opens.
    Legacy,
    /// 2026-07-28: every request stands for itself.
    Modern,
}

/// The only version of the modern era.
pub(super) const MODERN: &str = "2026-07-28";

/// The versions of the legacy era, oldest first.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The newest version whose schema has no error without an id.
const LAST_WITHOUT_BARE_ERRORS: &str = "2025-06-18";

const MODERN_METHODS: [&str; 9] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
];

const LEGACY_METHODS: [&str; 11] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
];

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

const LOG_LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The version a legacy session speaks: the one that was asked for if it is
/// one of that era, else the newest.
pub(super) fn negotiate(requested: &str) -> &'static str {
    let known = LEGACY.into_iter().find(|version| *version == requested);
    known.unwrap_or(LEGACY[LEGACY.len() - 1])
}

/// Whether a session of this version knows errors without an id.
pub(super) fn knows_bare_errors(version: &str) -> bool {
    version > LAST_WITHOUT_BARE_ERRORS
}

impl Era {
    /// The era of a request, or why it cannot be answered in any.
    pub(super) fn of(
        method: &str,
        meta: Option<&Value>,
        initialized: bool,
    ) -> Result<Era, ErrorData> {
        let claims =
            |meta: &&Value| meta.get(VERSION_KEY).is_some() || meta.get(CAPABILITIES_KEY).is_some();
        if let Some(meta) = meta.filter(claims) {
            check_meta(meta)?;
            return if MODERN_METHODS.contains(&method) {
                Ok(Era::Modern)
            } else {
                Err(not_found(method, "version 2026-07-28", &MODERN_METHODS))
            };
        }
        if LEGACY_METHODS.contains(&method) {
            if initialized || method == "initialize" || method == "ping" {
                return Ok(Era::Legacy);
            }
        } else if !MODERN_METHODS.contains(&method) || initialized {
            return Err(not_found(method, "this session", &LEGACY_METHODS));
        }
        Err(invalid_params(format!(
            "{method} before initialize, and without {VERSION_KEY} and {CAPABILITIES_KEY} in \
             params._meta\nsend initialize first, or _meta as version {MODERN} wants it"
        )))
    }
}

fn not_found(method: &str, place: &str, known: &[&str]) -> ErrorData {
    let text = format!(
        "method not found: {method:?} is not served in {place}\nthe methods are {}",
        known.join(", ")
    );
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}

/// Checks the `_meta` of a request of the modern era.
fn check_meta(meta: &Value) -> Result<(), ErrorData> {
    let complain = |key: &str, wanted: &str| {
        Err(invalid_params(format!(
            "params._meta[\"{key}\"] must be {wanted}"
        )))
    };
    match meta.get(VERSION_KEY).map(Value::as_str) {
        Some(Some(MODERN)) => {}
        Some(Some(version)) => {
            return Err(ErrorData::new(
                ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
                format!("unsupported protocol version {version:?}\nuse {MODERN}, or initialize"),
                Some(json!({"supported": [MODERN], "requested": version})),
            ));
        }
        Some(None) | None => return complain(VERSION_KEY, "a string, the protocol version"),
    }
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return complain(CAPABILITIES_KEY, "an object");
    }
    if meta
        .get(CLIENT_KEY)
        .is_some_and(|client| !client.is_object())
    {
        return complain(CLIENT_KEY, "an object with name and version");
    }
    if let Some(level) = meta.get(LOG_LEVEL_KEY) {
        let known = |level: &str| LOG_LEVELS.contains(&level);
        if !level.as_str().is_some_and(known) {
            return complain(LOG_LEVEL_KEY, &format!("one of {}", LOG_LEVELS.join(", ")));
        }
    }
    Ok(())
}
