//! The edge: where rmcp hands a request over, and what happens when a handler
//! panics. The rules of the eras are in [`era`](crate::mcp::era), the methods in
//! [`server`](crate::mcp::server).
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
    ClientNotification, ClientRequest, ErrorData, RequestId, ServerConfig, ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use serde_json::{Map, Value};

use super::ledger::{Ledger, Seq};
use crate::mcp::era::Era;
use crate::mcp::error::internal;
use crate::mcp::reply::Reply;
use crate::mcp::server::Server;
use crate::mcp::subscriptions::Caller;
use crate::tools::Tools;

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
        let initialized = self.initialized.load(Ordering::Relaxed);
        let caller = Asking {
            ledger: Arc::clone(&self.ledger),
            seq,
        };
        let era = Era::of(method, meta.as_ref(), initialized)?;
        let answer = self.server.answer(caller, era, method, params).await;
        if method == "initialize" && answer.is_ok() {
            self.initialized.store(true, Ordering::Relaxed);
        }
        answer
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

/// Who sent the request of this number.
#[derive(Clone)]
struct Asking {
    ledger: Arc<Ledger>,
    seq: Seq,
}

impl Caller for Asking {
    fn acknowledge(&self, updates: bool) {
        self.ledger.acknowledge(self.seq, updates);
    }

    fn update_listen(&self) {
        self.ledger.update(Some(self.seq));
    }

    fn update_session(&self) {
        self.ledger.update(None);
    }
}
