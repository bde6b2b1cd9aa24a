//! The methods: what each of them wants in its params and what it answers.
//! Whether a method may be asked at all is decided in `era`, how the answer
//! looks in each era in `reply`.

use std::sync::Arc;

use rmcp::model::{ErrorCode, ErrorData, SubscriptionFilter};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::era::{Era, MODERN, negotiate};
use super::error::{internal, invalid_params, shown};
use super::prompts;
use super::reply::{Caching, Content, Reply, SERVER_INFO};
use super::subscriptions::{Caller, Subscriptions};
use crate::tools::{self, RESOURCE, Served, Tool, ToolError, Tools};

type Params = Map<String, Value>;

/// The nine tools and the resource, behind MCP's methods.
pub(super) struct Server<T> {
    pub(super) tools: Arc<T>,
    pub(super) subscriptions: Subscriptions,
    /// Cancelled when open listens shall end with their result.
    pub(super) ending: CancellationToken,
}

impl<T: Tools> Server<T> {
    /// Answers one request of a method that the era has. What the answer does
    /// not hold goes to the caller.
    pub(super) async fn answer(
        &self,
        caller: impl Caller,
        era: Era,
        method: &str,
        params: Params,
    ) -> Result<Reply, ErrorData> {
        let content = match method {
            "initialize" => initialize(self.tools.served(), &params)?,
            "server/discover" => discover(self.tools.served()),
            "ping" => Content::Members(Caching::Unsaid, Map::new()),
            "tools/list" => {
                single_page(&params)?;
                Content::Tools(self.tools.served().clone())
            }
            "tools/call" => self.call_tool(params).await?,
            "prompts/list" => {
                single_page(&params)?;
                let served = self.tools.served();
                let list = object(json!({"prompts": prompts::list(served)}));
                Content::Members(Caching::of(served), list)
            }
            "prompts/get" => {
                let prompt = prompts::get(self.tools.served(), &params)?;
                Content::Members(Caching::Unsaid, object(prompt))
            }
            "resources/list" => single_page(&params).map(|()| list_resources())?,
            "resources/templates/list" => {
                single_page(&params)?;
                let none = object(json!({"resourceTemplates": []}));
                Content::Members(Caching::Constant, none)
            }
            "resources/read" => self.read_resource(era, &params).await?,
            "resources/subscribe" => self.subscribe(caller, method, &params)?,
            "resources/unsubscribe" => self.unsubscribe(method, &params)?,
            "subscriptions/listen" => self.listen(caller, params).await?,
            _ => return Err(internal("the method is in an era's list, but nowhere else")),
        };
        Ok(Reply { era, content })
    }

    async fn call_tool(&self, mut params: Params) -> Result<Content, ErrorData> {
        let Some(Value::String(name)) = params.get("name") else {
            return Err(invalid_params(
                "tools/call without params.name\nname the tool to call, a string",
            ));
        };
        let served = self.tools.served();
        let Some(tool) = served.find(name) else {
            let names: Vec<&str> = served.tools().iter().map(|tool| tool.name()).collect();
            let shown = shown(name);
            let reason = served.reason_against(name);
            let reason = reason.map_or(String::new(), |reason| format!("\n{reason}"));
            return Err(invalid_params(format!(
                "unknown tool: {shown}{reason}\nthe tools are {}",
                names.join(", ")
            )));
        };
        let arguments = match params.remove("arguments") {
            None | Some(Value::Null) => None,
            Some(Value::Object(arguments)) => Some(arguments),
            Some(other) => {
                return Err(invalid_params(format!(
                    "arguments of {} must be an object, not {}\ncorrect arguments look like this: {}",
                    tool.name(),
                    tools::validate::kind(&other),
                    tool.example()
                )));
            }
        };
        drop(params);
        match self.tools.call(tool, arguments).await {
            Ok(outcome) => Ok(Content::Done(outcome)),
            Err(ToolError::Internal(text)) => Err(internal(&text)),
            Err(error) => Ok(Content::Failed(error.to_string())),
        }
    }

    async fn read_resource(&self, era: Era, params: &Params) -> Result<Content, ErrorData> {
        let uri = uri("resources/read", params)?;
        if uri != RESOURCE.uri {
            let code = match era {
                Era::Modern => ErrorCode::INVALID_PARAMS,
                Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
            };
            let text = format!(
                "resource not found: {uri}\nthe only resource is {}",
                RESOURCE.uri
            );
            return Err(ErrorData::new(code, text, Some(json!({"uri": uri}))));
        }
        match self.tools.call(Tool::ReadGraph, None).await {
            Ok(outcome) => Ok(Content::Resource(outcome.text)),
            Err(ToolError::Internal(text)) => Err(internal(&text)),
            Err(error) => {
                let code = ErrorCode::INTERNAL_ERROR;
                Err(ErrorData::new(code, error.to_string(), None))
            }
        }
    }

    /// Any URI may be subscribed to, as with the reference server
    /// (`resources-notify-other-uri.json`); only ours is ever updated.
    fn subscribe(
        &self,
        caller: impl Caller,
        method: &str,
        params: &Params,
    ) -> Result<Content, ErrorData> {
        if uri(method, params)? == RESOURCE.uri {
            self.subscriptions.subscribe_session(caller);
        }
        Ok(Content::Members(Caching::Unsaid, Map::new()))
    }

    fn unsubscribe(&self, method: &str, params: &Params) -> Result<Content, ErrorData> {
        if uri(method, params)? == RESOURCE.uri {
            self.subscriptions.unsubscribe_session();
        }
        Ok(Content::Members(Caching::Unsaid, Map::new()))
    }

    async fn listen(&self, caller: impl Caller, mut params: Params) -> Result<Content, ErrorData> {
        let wanted = match params.remove("notifications") {
            Some(wanted @ Value::Object(_)) => wanted,
            _ => {
                return Err(invalid_params(
                    "subscriptions/listen needs params.notifications, an object",
                ));
            }
        };
        let wanted: SubscriptionFilter = serde_json::from_value(wanted).map_err(|error| {
            invalid_params(format!(
                "params.notifications of subscriptions/listen: {error}"
            ))
        })?;
        let uris = wanted.resource_subscriptions.unwrap_or_default();
        let updates = uris.iter().any(|uri| uri == RESOURCE.uri);
        let Some(_listening) = self.subscriptions.open(&caller, updates) else {
            return Err(ErrorData::new(
                ErrorCode::INTERNAL_ERROR,
                "too many open subscriptions\ncancel one before opening another",
                None,
            ));
        };
        self.ending.cancelled().await;
        Ok(Content::ListenEnded)
    }
}

fn initialize(served: &Served, params: &Params) -> Result<Content, ErrorData> {
    let Some(Value::String(requested)) = params.get("protocolVersion") else {
        return Err(invalid_params(
            "initialize needs params.protocolVersion, a string",
        ));
    };
    let mut result = about(served);
    result.insert("protocolVersion".into(), negotiate(requested).into());
    Ok(Content::Members(Caching::Unsaid, result))
}

fn discover(served: &Served) -> Content {
    let mut result = about(served);
    result.insert("supportedVersions".into(), json!([MODERN]));
    // The envelope of every modern result names the server.
    result.remove("serverInfo");
    // The instructions speak of the tools.
    Content::Members(Caching::of(served), result)
}

/// What both eras say about the server.
fn about(served: &Served) -> Params {
    let server_info: Value = serde_json::from_str(SERVER_INFO).expect("a constant that is JSON");
    object(json!({
        "capabilities": {"tools": {}, "resources": {"subscribe": true}, "prompts": {}},
        "serverInfo": server_info,
        "instructions": served.instructions(),
    }))
}

fn list_resources() -> Content {
    let resources = object(json!({"resources": [{
        "uri": RESOURCE.uri,
        "name": RESOURCE.name,
        "title": RESOURCE.title,
        "description": RESOURCE.description,
        "mimeType": RESOURCE.mime_type,
    }]}));
    Content::Members(Caching::Constant, resources)
}

/// Every list is one page, so no cursor was ever handed out. The empty one is
/// how some clients ask for the first page.
fn single_page(params: &Params) -> Result<(), ErrorData> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(cursor)) if cursor.is_empty() => Ok(()),
        Some(cursor) => Err(invalid_params(format!(
            "invalid cursor {cursor}\nask without a cursor: the list is one page"
        ))),
    }
}

fn uri<'a>(method: &str, params: &'a Params) -> Result<&'a str, ErrorData> {
    let uri = params.get("uri").and_then(Value::as_str);
    uri.ok_or_else(|| invalid_params(format!("{method} needs params.uri, a string")))
}

fn object(value: Value) -> Params {
    match value {
        Value::Object(members) => members,
        _ => unreachable!("only called with objects"),
    }
}
