//! The edge: which era a request belongs to, whether it may be asked now, and
//! what happens when a handler panics. The methods themselves are in `server`.
//!
//! Both eras are served at any time, in any order: a request that carries the
//! 2026-07-28 `_meta` is answered by itself, every other one belongs to the
//! session that `initialize` opens. rmcp's own handshake is not used, since it
//! ties a process to one era and ends at the first unexpected message.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, RequestId, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use serde_json::{Map, Value, json};

use super::ledger::{Ledger, Seq};
use super::reply::Reply;
use super::server::Server;
use crate::tools::Tools;

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

const MODERN_METHODS: [&str; 7] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
];

const LEGACY_METHODS: [&str; 9] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
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

/// See the module's text.
pub(super) struct Edge<T> {
    server: Server<T>,
    ledger: Arc<Ledger>,
    initialized: AtomicBool,
}

impl<T: Tools> Edge<T> {
    pub(super) fn new(server: Server<T>, ledger: Arc<Ledger>) -> Self {
        Edge {
            server,
            ledger,
            initialized: AtomicBool::new(false),
        }
    }

    async fn answer(
        &self,
        seq: Seq,
        method: &str,
        mut params: Map<String, Value>,
    ) -> Result<Reply, ErrorData> {
        let meta = params.remove("_meta");
        let era = self.era(method, meta.as_ref())?;
        let answer = self.server.answer(era, seq, method, params).await;
        if method == "initialize" && answer.is_ok() {
            self.initialized.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// The era of a request, or why it cannot be answered in any.
    fn era(&self, method: &str, meta: Option<&Value>) -> Result<Era, ErrorData> {
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
        let initialized = self.initialized.load(Ordering::Relaxed);
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

impl<T: Tools> Service<RoleServer> for Edge<T> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let (ClientRequest::CustomRequest(request), RequestId::Number(seq)) = (request, context.id)
        else {
            return Err(internal("a request did not come from the transport"));
        };
        let params = match request.params {
            Some(Value::Object(params)) => params,
            _ => Map::new(),
        };
        let answer = AssertUnwindSafe(self.answer(seq, &request.method, params)).catch_unwind();
        tokio::select! {
            biased;
            // The future of the handler is dropped, by which the store sees
            // that nobody waits. The transport knows already.
            () = context.ct.cancelled() => Err(internal("cancelled")),
            answer = answer => match answer {
                Ok(Ok(reply)) => {
                    // rmcp carries a stub; the transport puts this in its place.
                    self.ledger.put(seq, Ok(reply));
                    Ok(ServerResult::empty(()))
                }
                Ok(Err(error)) => Err(error),
                // The panic hook has told stderr where.
                Err(_) => Err(internal("the handler panicked, which is a bug")),
            },
        }
    }

    async fn handle_notification(
        &self,
        _: ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        // Only rmcp's own handshake would read it.
        ServerConfig::default()
    }
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
