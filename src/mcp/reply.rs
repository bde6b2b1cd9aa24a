//! How messages look on the wire: the envelopes of results, errors and
//! notifications, in both eras. What they carry is decided in `server`
//! and `era`.
//!
//! Results are written piece by piece into the output instead of being built
//! as a value first: a graph of any size is never in memory as JSON.

use std::io::{self, Write};

use rmcp::model::{ErrorData, RequestId};
use serde_json::{Map, Value, json};

use super::era::Era;
use crate::tools::{Body, Outcome, RESOURCE, Served};

/// Who answers, as `initialize` and every result of the modern era say it.
pub(super) const SERVER_INFO: &str = concat!(
    r#"{"name":"mcp-memory","title":"Memory","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// The `_meta` key of the above.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// The `_meta` key that ties a message to its `subscriptions/listen`.
const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// A message to the client.
pub(super) enum Message {
    /// The answer to a request.
    Answer(RequestId, Answer),
    /// The error for a line that is no request, with its id if there is one.
    Refusal(Option<Value>, ErrorData),
    /// `notifications/subscriptions/acknowledged`.
    Acknowledged {
        /// The id of the listen request.
        listen: RequestId,
        /// Whether it gets updates of the resource.
        updates: bool,
    },
    /// `notifications/resources/updated`.
    Updated {
        /// The listen it is for; none in the legacy era.
        listen: Option<RequestId>,
    },
}

/// A result or a JSON-RPC error.
pub(super) type Answer = Result<Reply, ErrorData>;

/// A result, in the shape of an era.
pub(super) struct Reply {
    pub(super) era: Era,
    pub(super) content: Content,
}

/// What a result carries.
pub(super) enum Content {
    /// `tools/call`: the tool did its work.
    Done(Outcome),
    /// `tools/call`: it did not, and this text says why.
    Failed(String),
    /// `tools/list`: what the build generated for each of them, byte for byte.
    Tools(Served),
    /// `resources/read`: the text of the resource.
    Resource(Body),
    /// These members.
    Members(Caching, Map<String, Value>),
    /// `subscriptions/listen`: the server ends it.
    ListenEnded,
}

/// What the modern era says of keeping a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    /// Nothing: the method's results have no such hint.
    Unsaid,
    /// Only an update of the program changes it: an hour, shared by everybody.
    Constant,
    /// It may be another one at any moment, as the graph, or for another
    /// server, as what flags chose.
    Never,
}

impl Caching {
    /// Of what is said about these tools.
    pub(super) fn of(served: &Served) -> Caching {
        if served.is_default() {
            Caching::Constant
        } else {
            Caching::Never
        }
    }

    fn members(self) -> &'static str {
        match self {
            Caching::Unsaid => "",
            Caching::Constant => r#""ttlMs":3600000,"cacheScope":"public","#,
            Caching::Never => r#""ttlMs":0,"cacheScope":"private","#,
        }
    }
}

impl Message {
    /// Writes the message, which is JSON without a line feed in it. What stands
    /// between messages is for those to say who carry them.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Message::Answer(id, answer) => {
                write!(out, r#"{{"jsonrpc":"2.0","id":{},"#, Id(id))?;
                match answer {
                    Ok(reply) => {
                        out.write_all(br#""result":{"#)?;
                        reply.write_members(id, out)?;
                        out.write_all(b"}}")
                    }
                    Err(error) => {
                        out.write_all(br#""error":"#)?;
                        json(out, error)?;
                        out.write_all(b"}")
                    }
                }
            }
            Message::Refusal(id, error) => {
                let mut message = json!({"jsonrpc": "2.0"});
                if let Some(id) = id {
                    message["id"] = id.clone();
                }
                message["error"] = json!(error);
                json(out, &message)
            }
            Message::Acknowledged { listen, updates } => {
                let mut honoured = json!({});
                if *updates {
                    honoured["resourceSubscriptions"] = json!([RESOURCE.uri]);
                }
                let params =
                    json!({"_meta": {SUBSCRIPTION_KEY: listen}, "notifications": honoured});
                let method = "notifications/subscriptions/acknowledged";
                json(
                    out,
                    &json!({"jsonrpc": "2.0", "method": method, "params": params}),
                )
            }
            Message::Updated { listen } => {
                let mut params = json!({"uri": RESOURCE.uri});
                if let Some(listen) = listen {
                    params["_meta"] = json!({SUBSCRIPTION_KEY: listen});
                }
                let method = "notifications/resources/updated";
                json(
                    out,
                    &json!({"jsonrpc": "2.0", "method": method, "params": params}),
                )
            }
        }
    }
}

impl Reply {
    fn caching(&self) -> Caching {
        match &self.content {
            Content::Members(caching, _) => *caching,
            Content::Tools(served) => Caching::of(served),
            Content::Resource(_) => Caching::Never,
            Content::Done(_) | Content::Failed(_) | Content::ListenEnded => Caching::Unsaid,
        }
    }

    /// The members of the result: first what the era wants, then the content.
    fn write_members(&self, id: &RequestId, out: &mut dyn Write) -> io::Result<()> {
        let mut separator = "";
        if self.era == Era::Modern {
            out.write_all(br#""resultType":"complete","#)?;
            out.write_all(self.caching().members().as_bytes())?;
            write!(out, r#""_meta":{{"{SERVER_INFO_KEY}":{SERVER_INFO}"#)?;
            if let Content::ListenEnded = self.content {
                write!(out, r#","{SUBSCRIPTION_KEY}":{}"#, Id(id))?;
            }
            out.write_all(b"}")?;
            separator = ",";
        }
        match &self.content {
            Content::Done(outcome) => {
                out.write_all(separator.as_bytes())?;
                out.write_all(br#""content":[{"type":"text","text":""#)?;
                outcome.text.write_escaped(out)?;
                out.write_all(br#""}"#)?;
                if let Some(note) = &outcome.note {
                    out.write_all(br#",{"type":"text","text":"#)?;
                    json(out, note)?;
                    out.write_all(b"}")?;
                }
                out.write_all(br#"],"structuredContent":"#)?;
                outcome.structured.write_plain(out)
            }
            Content::Failed(text) => {
                out.write_all(separator.as_bytes())?;
                out.write_all(br#""content":[{"type":"text","text":"#)?;
                json(out, text)?;
                out.write_all(br#"}],"isError":true"#)
            }
            Content::Tools(served) => {
                out.write_all(separator.as_bytes())?;
                out.write_all(br#""tools":"#)?;
                served.write_list(out)
            }
            Content::Resource(text) => {
                out.write_all(separator.as_bytes())?;
                let (uri, mime_type) = (json!(RESOURCE.uri), json!(RESOURCE.mime_type));
                write!(
                    out,
                    r#""contents":[{{"uri":{uri},"mimeType":{mime_type},"text":""#
                )?;
                text.write_escaped(out)?;
                out.write_all(br#""}]"#)
            }
            Content::Members(_, members) => {
                for (key, value) in members {
                    write!(out, "{separator}{}:{value}", json!(key))?;
                    separator = ",";
                }
                Ok(())
            }
            Content::ListenEnded => Ok(()),
        }
    }
}

/// An id as JSON.
struct Id<'a>(&'a RequestId);

impl std::fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            RequestId::Number(number) => number.fmt(f),
            RequestId::String(text) => json!(text).fmt(f),
        }
    }
}

fn json(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(out, value).map_err(io::Error::from)
}
