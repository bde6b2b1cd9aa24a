//! The README's promises, each shown with the built binary as a user runs it.
//! How each part keeps its share is tested where the part is.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::files::names_beside;
use crate::support::session::Session;
use crate::support::tools::{call_request, create, creating, names};

/// Sends a create without waiting for its answer; the name is the id.
fn send_create(session: &mut Session, name: &str) {
    session.send(&call_request(name, "create_entities", creating(name)));
}

#[test]
fn servers_that_write_one_file_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let mut servers: Vec<Session> = (0..4).map(|_| Session::initialized(&file)).collect();
    let mut expected = BTreeSet::new();
    for number in 0..25 {
        for (server, session) in servers.iter_mut().enumerate() {
            let name = format!("{server}-{number}");
            send_create(session, &name);
            expected.insert(name);
        }
    }
    for session in &mut servers {
        for _ in 0..25 {
            let answer = session.next();
            assert_eq!(
                answer["result"]["structuredContent"]["entities"][0]["name"],
                answer["id"]
            );
        }
    }
    let stored: Vec<String> = names(&mut servers[0]);
    assert_eq!(stored.len(), expected.len(), "each once");
    assert_eq!(stored.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(
        names_beside(&file),
        [""; 0],
        "no lock or temporary file stays"
    );
}

#[test]
fn a_server_killed_while_it_writes_keeps_every_answered_write() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("memory.jsonl");
    let mut answered = Vec::new();
    for round in 0..8 {
        let mut session = Session::initialized(&file);
        for number in 0..20 {
            send_create(&mut session, &format!("{round}-{number}"));
        }
        // Killed after a few answers, while the others are under way.
        for _ in 0..round {
            answered.push(session.next()["id"].as_str().unwrap().to_owned());
        }
        session.kill();
    }
    let mut survivor = Session::initialized(&file);
    let stored: BTreeSet<String> = names(&mut survivor).into_iter().collect();
    for name in answered {
        assert!(stored.contains(&name), "{name} was answered and is gone");
    }
    create(&mut survivor, "last");
    assert_eq!(
        names_beside(&file),
        [""; 0],
        "what the dead left is gone after the next write"
    );
}

#[test]
fn a_bad_line_is_named_by_every_tool_and_costs_no_byte() {
    let file = "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[]}\n\
                {\"type\":\"entity\",\"name\":\"Bo\",\n";
    let mut session = Session::holding(file);
    session.initialize("2025-11-25");
    let path = session.file().display().to_string();
    let relation = json!([{"from": "a", "to": "b", "relationType": "r"}]);
    let calls = [
        ("create_entities", creating("Cy")),
        ("create_relations", json!({"relations": relation})),
        (
            "add_observations",
            json!({"observations": [{"entityName": "Ada", "contents": ["x"]}]}),
        ),
        ("delete_entities", json!({"entityNames": ["Ada"]})),
        (
            "delete_observations",
            json!({"deletions": [{"entityName": "Ada", "observations": ["x"]}]}),
        ),
        ("delete_relations", json!({"relations": relation})),
        ("read_graph", json!({})),
        ("search_nodes", json!({"query": "a"})),
        ("open_nodes", json!({"names": ["Ada"]})),
    ];
    for (tool, arguments) in calls {
        let result = session.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}");
        let text = result["content"][0]["text"].as_str().unwrap();
        for part in [
            format!("{path}:2:30: "),
            "nothing was changed".into(),
            format!("mcp-memory check {path}"),
        ] {
            assert!(text.contains(&part), "{tool} does not say {part:?}: {text}");
        }
    }
    let answer = session.request("resources/read", json!({"uri": "memory://knowledge-graph"}));
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains(&format!("{path}:2:30: ")), "{text}");
    assert_eq!(session.bytes(), file.as_bytes());

    // The server went on, and goes on to serve once the line is mended.
    std::fs::write(session.file(), file.lines().next().unwrap()).unwrap();
    assert_eq!(names(&mut session), ["Ada"]);
}

#[test]
fn what_another_program_wrote_is_seen_by_the_next_call() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    create(&mut session, "Ada");
    let mut bytes = session.bytes();
    bytes.extend_from_slice(
        b"{\"type\":\"entity\",\"name\":\"Bo\",\"entityType\":\"\",\"observations\":[]}",
    );
    std::fs::write(session.file(), bytes).unwrap();
    assert_eq!(names(&mut session), ["Ada", "Bo"]);
    create(&mut session, "Cy");
    std::fs::remove_file(session.file()).unwrap();
    assert_eq!(names(&mut session), [""; 0]);
}

#[test]
fn what_a_call_does_not_touch_keeps_its_bytes() {
    let odd = "{ \"name\" : \"\\u0041da\", \"type\":\"entity\", \"mood\": 1e400 }\n\
               {\"type\":\"note\",\"text\":\"not ours\"}\n";
    let mut session = Session::holding(odd);
    session.initialize("2025-11-25");
    session.call(
        "create_relations",
        json!({"relations": [{"from": "Ada", "to": "Ada", "relationType": "is"}]}),
    );
    let expected = format!(
        "{odd}{{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Ada\",\"relationType\":\"is\"}}\n"
    );
    assert_eq!(String::from_utf8(session.bytes()).unwrap(), expected);
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_a_link_stays_a_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("private.jsonl");
    let link = directory.path().join("memory.jsonl");
    std::fs::write(&target, "").unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o600)).unwrap();
    symlink("private.jsonl", &link).unwrap();
    let mut session = Session::initialized(&link);
    create(&mut session, "Ada");
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(
        target.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(std::fs::read_to_string(&target).unwrap().contains("Ada"));
}

#[test]
fn a_call_that_changes_nothing_writes_nothing() {
    let mut session = Session::holding(
        "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"\",\"observations\":[]}",
    );
    session.initialize("2025-11-25");
    let before = session.bytes();
    create(&mut session, "Ada");
    session.call("delete_entities", json!({"entityNames": ["Nobody"]}));
    assert_eq!(
        session.bytes(),
        before,
        "not even the missing line feed was added"
    );
}

#[test]
fn a_subscriber_hears_of_what_another_process_wrote() {
    let mut session = Session::fresh();
    session.initialize("2025-11-25");
    session.request(
        "resources/subscribe",
        json!({"uri": "memory://knowledge-graph"}),
    );
    let mut other = Session::initialized(session.file());
    create(&mut other, "Ada");
    let update = session.next();
    assert_eq!(update["method"], "notifications/resources/updated");
    assert_eq!(update["params"]["uri"], "memory://knowledge-graph");
}
