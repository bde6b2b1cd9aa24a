//! The rmcp client, once with the handshake and once with discovery: what is
//! said and expected stands in script.json, for all clients alike.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ProtocolVersion, ReadResourceRequestParams, ResourceContents,
    ResourceUpdatedNotificationParam, ServerNotification, SubscribeRequestParams,
    SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer, RoleClient,
};
use rmcp::transport::TokioChildProcess;
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::mpsc;

/// How long the official clients wait after closing the server's input before
/// they kill it. A close that takes as long was no close.
const GRACE: Duration = Duration::from_secs(2);
const UPDATE: Duration = Duration::from_secs(30);

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let command = PathBuf::from(std::env::args_os().nth(1).ok_or("which binary?")?);
    let script: Value = serde_json::from_str(include_str!("../../script.json"))?;
    let modern = ProtocolVersion::V_2026_07_28;
    let discover = ClientLifecycleMode::Discover {
        preferred_versions: vec![modern],
    };
    session(&command, &script, "legacy", ClientLifecycleMode::Initialize).await?;
    session(&command, &script, "discover", discover).await
}

/// Hands the updates of a legacy subscription on.
struct Updates(mpsc::UnboundedSender<String>);

impl ClientHandler for Updates {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        // Nobody waits any more: the session is over.
        let _ = self.0.send(params.uri);
    }
}

async fn session(
    binary: &Path,
    script: &Value,
    era: &str,
    lifecycle: ClientLifecycleMode,
) -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("memory.jsonl");
    let mut command = Command::new(binary);
    command
        .env("MEMORY_FILE_PATH", &file)
        .current_dir(directory.path());
    let (sender, mut updates) = mpsc::unbounded_channel();
    let transport = TokioChildProcess::builder(command)
        .stderr(std::process::Stdio::null())
        .spawn()?
        .0;
    let modern = lifecycle != ClientLifecycleMode::Initialize;
    let mut client = Updates(sender)
        .serve_with_lifecycle(transport, lifecycle)
        .await?;
    let version = match modern {
        true => ProtocolVersion::V_2026_07_28,
        false => client
            .peer_info()
            .ok_or("no handshake")?
            .protocol_version
            .clone(),
    };

    let tools: Vec<Value> = client
        .list_all_tools()
        .await?
        .into_iter()
        .map(|tool| tool.name.into_owned().into())
        .collect();
    equal("the tools", &Value::from(tools), &script["tools"])?;
    for step in script["steps"].as_array().ok_or("no steps")? {
        let (failed, text, structured) = call(&client, step).await?;
        if let Some(error) = step["error"].as_str() {
            if !failed || !text.starts_with(error) {
                return Err(format!("{}: expected {error:?}, got {text:?}", step["tool"]).into());
            }
            continue;
        }
        let wanted = match step["text"].as_str() {
            Some(wanted) => wanted.to_owned(),
            None => serde_json::to_string_pretty(&step["value"])?,
        };
        equal(&step["tool"].to_string(), &text.into(), &wanted.into())?;
        equal(&step["tool"].to_string(), &structured, &step["structured"])?;
    }

    let uri = script["uri"].as_str().ok_or("no uri")?;
    let read = client
        .read_resource(ReadResourceRequestParams::new(uri))
        .await?;
    let Some(ResourceContents::TextResourceContents { text, .. }) = read.contents.first() else {
        return Err("the resource is no text".into());
    };
    equal(
        "the resource",
        &serde_json::from_str(text)?,
        &script["resource"],
    )?;

    let updated = if modern {
        let filter = SubscriptionFilter::builder()
            .resource_subscription(uri)
            .build();
        let mut subscription = client.listen(filter).await?;
        call(&client, &script["update"]).await?;
        match tokio::time::timeout(UPDATE, subscription.next()).await?? {
            Some(ServerNotification::ResourceUpdatedNotification(update)) => update.params.uri,
            other => return Err(format!("no update, but {other:?}").into()),
        }
    } else {
        #[expect(deprecated, reason = "this is how one subscribed up to 2025-11-25")]
        client.subscribe(SubscribeRequestParams::new(uri)).await?;
        call(&client, &script["update"]).await?;
        tokio::time::timeout(UPDATE, updates.recv())
            .await?
            .ok_or("no update")?
    };
    equal("the update", &updated.into(), &uri.into())?;
    let lines: Vec<&str> = script["file"]
        .as_array()
        .ok_or("no file")?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    equal(
        "the file",
        &std::fs::read_to_string(&file)?.into(),
        &(lines.join("\n") + "\n").into(),
    )?;

    let closing = Instant::now();
    client.close().await?;
    let took = closing.elapsed();
    if took >= GRACE {
        return Err(format!("the server had to be killed, after {took:?}").into());
    }
    println!(
        "ok rmcp client, {era} ({version}), closed in {} ms",
        took.as_millis()
    );
    Ok(())
}

/// Makes a call of the script: whether it failed, its first text item and its
/// structuredContent.
async fn call(client: &Peer<RoleClient>, step: &Value) -> Outcome<(bool, String, Value)> {
    let tool = step["tool"].as_str().ok_or("no tool")?.to_owned();
    let arguments = step["arguments"].as_object().ok_or("no arguments")?.clone();
    let result = client
        .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
        .await?;
    let text = result
        .content
        .first()
        .and_then(|item| item.as_text())
        .ok_or("no text")?;
    Ok((
        result.is_error == Some(true),
        text.text.clone(),
        result.structured_content.clone().unwrap_or_default(),
    ))
}

fn equal(what: &str, got: &Value, wanted: &Value) -> Outcome<()> {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("{what}: expected {wanted}\n got {got}").into()),
    }
}
