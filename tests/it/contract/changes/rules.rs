//! What changed in the contract since the last release, and what that means
//! for its users: [`Class`] is what a version number has to tell them. Where a
//! change stands in `tools.yaml` is found by the generator's `lines.rs`.
//!
//! What is compared is what clients see, so a change of the generator counts
//! like one of the manifest. A parameter and a result are judged from opposite
//! ends: a tool may ask for less and promise more, never the other way round.
//! What is not known to be harmless is breaking.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::contract::codegen::lines::Lines;

/// What a change means for those who use the tools; the worse, the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Only people and models read it.
    Text,
    /// Calls that worked go on working, and their results are still understood.
    Additive,
    /// A call that worked may fail, or its result be misread.
    Breaking,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Text => "text",
            Class::Additive => "additive",
            Class::Breaking => "breaking",
        }
    }
}

/// One line of the manifest that changed, with all that it is used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What it means.
    pub class: Class,
    /// The line in `tools.yaml`, from 1; of what was removed, the line that
    /// held it.
    pub line: usize,
    /// What happened, such as `removed`.
    pub what: String,
    /// Where clients see it, such as `open_nodes.inputSchema.names[]`. A shared
    /// type is seen in several places.
    pub places: Vec<String>,
}

/// What changed from one contract to the next, the worst first; `text` is the
/// manifest of the newer.
pub fn changes(released: &Value, current: &Value, text: &str) -> Vec<Change> {
    let mut comparison = Comparison {
        lines: Lines::of(text),
        changes: Vec::new(),
    };
    comparison.contracts(released, current);
    let mut changes = comparison.changes;
    changes.sort_by(|a, b| b.class.cmp(&a.class).then(a.line.cmp(&b.line)));
    changes
}

/// The lowest version that may have these changes, when it is not the
/// released one. While the first number is 0, the second takes its part and
/// the third the second's.
pub fn demanded_version(released: &str, changes: &[Change]) -> Option<String> {
    let [major, minor, patch] = numbers(released);
    let worst = changes.iter().map(|change| change.class).max()?;
    let next = match (worst, major) {
        (Class::Text, _) => return None,
        (Class::Additive, 0) => [0, minor, patch + 1],
        (Class::Breaking, 0) => [0, minor + 1, 0],
        (Class::Additive, _) => [major, minor + 1, 0],
        (Class::Breaking, _) => [major + 1, 0, 0],
    };
    Some(next.map(|number| number.to_string()).join("."))
}

/// Whether `version` is `demanded` or a later one.
pub fn reaches(version: &str, demanded: &str) -> bool {
    numbers(version) >= numbers(demanded)
}

fn numbers(version: &str) -> [u64; 3] {
    let core = version.split(['-', '+']).next().unwrap_or(version);
    let mut numbers = core
        .split('.')
        .map(|number| number.parse().expect("a version is made of numbers"));
    [0; 3].map(|_| numbers.next().expect("a version has three numbers"))
}

/// The changes as a reviewer reads them, a line each.
pub fn table(changes: &[Change]) -> String {
    let mut table = String::new();
    for change in changes {
        let at = format!("tools.yaml:{}", change.line);
        let places = change.places.join(", ");
        let _ = writeln!(
            table,
            "{:<8}  {at:<15}  {places}: {}",
            change.class.name(),
            change.what
        );
    }
    table
}

/// Which end a schema is judged from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

impl Side {
    /// The class of asking for more, or of promising more.
    fn more(self) -> Class {
        match self {
            Side::Input => Class::Breaking,
            Side::Output => Class::Additive,
        }
    }

    /// The class of asking for less, or of promising less.
    fn less(self) -> Class {
        match self {
            Side::Input => Class::Additive,
            Side::Output => Class::Breaking,
        }
    }
}

/// Where the comparison is: the keys that lead there, and what it is called.
#[derive(Clone)]
struct Spot {
    keys: Vec<String>,
    name: String,
}

impl Spot {
    fn key(&self, key: &str) -> Spot {
        let mut spot = self.clone();
        spot.keys.push(key.to_owned());
        spot
    }

    fn named(mut self, suffix: &str) -> Spot {
        self.name.push_str(suffix);
        self
    }
}

struct Comparison<'a> {
    lines: Lines<'a>,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn add(&mut self, class: Class, spot: &Spot, what: impl Into<String>) {
        let (line, what) = (self.lines.place(&spot.keys).0, what.into());
        let place = spot.name.clone();
        let same =
            |known: &&mut Change| (known.class, known.line, &known.what) == (class, line, &what);
        match self.changes.iter_mut().find(same) {
            Some(known) => known.places.push(place),
            None => self.changes.push(Change {
                class,
                line,
                what,
                places: vec![place],
            }),
        }
    }

    fn contracts(&mut self, old: &Value, new: &Value) {
        // A release from before there were sets had one.
        let first = |sets: &Value| sets[0]["name"].clone();
        let mut old = old.clone();
        if old["toolsets"].is_null() {
            for tool in old["tools"].as_array_mut().into_iter().flatten() {
                tool["toolset"] = first(&new["toolsets"]);
            }
            old["toolsets"] = json!([new["toolsets"][0]]);
            old["prompts"] = json!([]);
        }
        for part in ["instructions", "resource", "toolsets", "tools", "prompts"] {
            let spot = Spot {
                keys: vec![part.to_owned()],
                name: part.to_owned(),
            };
            match part {
                "instructions" => self.text(&old[part], &new[part], &spot),
                "resource" => self.members(object(&old[part]), object(&new[part]), &spot),
                "toolsets" => {
                    let (was, now) = (first(&old[part]), first(&new[part]));
                    if was != now {
                        let what = format!("the default {was} became {now}");
                        self.add(Class::Breaking, &spot, what);
                    }
                    self.items("toolset", &old[part], &new[part], &spot);
                }
                "prompts" => self.items("prompt", &old[part], &new[part], &spot),
                _ => self.items("tool", &old[part], &new[part], &spot),
            }
        }
    }

    /// Tools, toolsets or prompts.
    fn items(&mut self, kind: &str, old: &Value, new: &Value, spot: &Spot) {
        let (old, new) = (&by_name(old), &by_name(new));
        self.order(old, new, spot);
        for (name, item) in old {
            let mut own = spot.key(name);
            own.name.clone_from(name);
            match (kind, new.get(name)) {
                (_, None) => self.add(Class::Breaking, &own, format!("{kind} removed")),
                ("tool", Some(now)) => self.tool(object(item), object(now), &own),
                ("prompt", Some(now)) => self.prompt(object(item), object(now), &own),
                (_, Some(now)) => self.members(object(item), object(now), &own),
            }
        }
        for name in new.keys().filter(|name| !old.contains_key(*name)) {
            let mut own = spot.key(name);
            own.name.clone_from(name);
            self.add(Class::Additive, &own, format!("new {kind}"));
        }
    }

    /// All arguments of a prompt have to be given.
    fn prompt(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, spot: &Spot) {
        let (mut old, mut new) = (old.clone(), new.clone());
        let taken = |prompt: &mut Map<String, Value>| match prompt.shift_remove("arguments") {
            Some(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let (was, now) = (taken(&mut old), taken(&mut new));
        self.members(&old, &new, spot);
        let all = spot.key("arguments");
        for name in keys(&was, &now) {
            let own = all.key(name).named(&format!(".{name}"));
            match (was.get(name), now.get(name)) {
                (Some(was), Some(now)) => self.members(object(was), object(now), &own),
                (Some(_), None) => self.add(Class::Breaking, &own, "argument removed"),
                (None, _) => self.add(Class::Breaking, &own, "new argument"),
            }
        }
    }

    fn tool(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, spot: &Spot) {
        let (mut old, mut new) = (old.clone(), new.clone());
        for (side, key) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
            if let (Some(was), Some(now)) = (old.get(key), new.get(key)) {
                let spot = spot.key(key).named(&format!(".{key}"));
                self.schema(object(was), object(now), side, &spot);
                old.shift_remove(key);
                new.shift_remove(key);
            }
        }
        if let (Some(was), Some(now)) = (old.get("annotations"), new.get("annotations")) {
            let spot = spot.key("annotations").named(".annotations");
            self.members(object(was), object(now), &spot);
            old.shift_remove("annotations");
            new.shift_remove("annotations");
        }
        self.members(&old, &new, spot);
    }

    /// Members that are no schemas: texts may change, nothing else may.
    fn members(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, spot: &Spot) {
        for key in keys(old, new) {
            let spot = spot.key(key).named(&format!(".{key}"));
            match (old.get(key), new.get(key)) {
                (Some(was), Some(now)) if is_text(key) => self.text(was, now, &spot),
                (Some(was), Some(now)) if was != now => {
                    self.add(Class::Breaking, &spot, format!("{was} became {now}"));
                }
                (Some(_), Some(_)) => {}
                (Some(_), None) => self.add(Class::Breaking, &spot, "removed"),
                (None, _) => self.add(Class::Additive, &spot, "new"),
            }
        }
    }

    fn schema(
        &mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: Side,
        spot: &Spot,
    ) {
        let kind = |schema: &Map<String, Value>| schema.get("type").cloned().unwrap_or_default();
        if kind(old) != kind(new) {
            let what = format!("type {} became {}", kind(old), kind(new));
            self.add(Class::Breaking, &spot.key("type"), what);
            return;
        }
        self.properties(old, new, side, spot);
        for key in keys(old, new) {
            let (was, now) = (old.get(key), new.get(key));
            match key {
                "type" | "properties" | "required" => {}
                "items" => {
                    let spot = spot.key(key).named("[]");
                    match (was, now) {
                        (Some(was), Some(now)) => {
                            self.schema(object(was), object(now), side, &spot);
                        }
                        _ => self.add(Class::Breaking, &spot, "items changed"),
                    }
                }
                _ if is_text(key) => {
                    let absent = &Value::Null;
                    let (was, now) = (was.unwrap_or(absent), now.unwrap_or(absent));
                    self.text(was, now, &spot.key(key));
                }
                "minimum" | "minItems" => self.least(key, was, now, side, spot),
                "enum" => self.values(was, now, side, spot),
                _ if was != now => {
                    self.add(Class::Breaking, &spot.key(key), format!("{key} changed"));
                }
                _ => {}
            }
        }
    }

    fn properties(
        &mut self,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        side: Side,
        spot: &Spot,
    ) {
        let (was_required, is_required) = (required(old), required(new));
        let nothing = Map::new();
        let of = |schema: &Map<String, Value>| {
            let properties = schema.get("properties").map(object);
            properties.unwrap_or(&nothing).clone()
        };
        let (old, new) = (of(old), of(new));
        let all = spot.key("properties");
        self.order(&old, &new, &all);
        let what = match side {
            Side::Input => "parameter",
            Side::Output => "result field",
        };
        for (name, property) in &old {
            let own = all.key(name).named(&format!(".{name}"));
            let Some(now) = new.get(name) else {
                self.add(Class::Breaking, &own, format!("{what} removed"));
                continue;
            };
            let required = Spot {
                keys: spot.key("required").keys,
                name: own.name.clone(),
            };
            match (was_required.contains(name), is_required.contains(name)) {
                (false, true) => self.add(side.more(), &required, "now required"),
                (true, false) => self.add(side.less(), &required, "now optional"),
                _ => {}
            }
            self.schema(object(property), object(now), side, &own);
        }
        for name in new.keys().filter(|name| !old.contains_key(*name)) {
            let own = all.key(name).named(&format!(".{name}"));
            if is_required.contains(name) {
                self.add(side.more(), &own, format!("new required {what}"));
            } else {
                self.add(Class::Additive, &own, format!("new optional {what}"));
            }
        }
    }

    /// A lower bound: raised, a parameter asks for more and a result promises
    /// more.
    fn least(
        &mut self,
        key: &str,
        was: Option<&Value>,
        now: Option<&Value>,
        side: Side,
        spot: &Spot,
    ) {
        let bound = |value: Option<&Value>| value.and_then(Value::as_u64);
        let said = |value: Option<&Value>| value.map_or("none".to_owned(), Value::to_string);
        let (old, new) = (bound(was), bound(now));
        if old == new {
            return;
        }
        let class = if new > old { side.more() } else { side.less() };
        let what = format!("{key} {} became {}", said(was), said(now));
        self.add(class, &spot.key(key), what);
    }

    /// The values that a string can have: more of them, a parameter asks for
    /// less and a result promises less.
    fn values(&mut self, was: Option<&Value>, now: Option<&Value>, side: Side, spot: &Spot) {
        let spot = spot.key("enum");
        let (was, now) = match (was.and_then(Value::as_array), now.and_then(Value::as_array)) {
            (Some(was), Some(now)) => (was, now),
            (None, Some(_)) => return self.add(side.more(), &spot, "any string became an enum"),
            (_, None) => return self.add(side.less(), &spot, "an enum became any string"),
        };
        for gone in was.iter().filter(|value| !now.contains(value)) {
            self.add(side.more(), &spot, format!("value {gone} removed"));
        }
        for new in now.iter().filter(|value| !was.contains(value)) {
            self.add(side.less(), &spot, format!("new value {new}"));
        }
        let kept = |values: &[Value], others: &[Value]| -> Vec<Value> {
            let kept = values.iter().filter(|value| others.contains(value));
            kept.cloned().collect()
        };
        if kept(was, now) != kept(now, was) {
            self.add(Class::Text, &spot, "in another order");
        }
    }

    fn text(&mut self, old: &Value, new: &Value, spot: &Spot) {
        if old != new {
            let word = spot.keys.last().map_or("text", String::as_str);
            self.add(Class::Text, spot, format!("{word} reworded"));
        }
    }

    fn order(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, spot: &Spot) {
        let kept_in_old = old.keys().filter(|name| new.contains_key(*name));
        let kept_in_new = new.keys().filter(|name| old.contains_key(*name));
        if !kept_in_old.eq(kept_in_new) {
            self.add(Class::Text, spot, "in another order");
        }
    }
}

/// What only people and models read.
fn is_text(key: &str) -> bool {
    matches!(key, "title" | "description" | "text")
}

/// The keys of both, each once.
fn keys<'a>(old: &'a Map<String, Value>, new: &'a Map<String, Value>) -> Vec<&'a str> {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    old.keys().chain(added).map(String::as_str).collect()
}

fn required(schema: &Map<String, Value>) -> BTreeSet<String> {
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

fn by_name(tools: &Value) -> Map<String, Value> {
    let tools = tools.as_array().expect("tools are a list").iter();
    tools
        .map(|tool| {
            let name = tool["name"].as_str().expect("a tool has a name");
            (name.to_owned(), tool.clone())
        })
        .collect()
}

fn object(value: &Value) -> &Map<String, Value> {
    value
        .as_object()
        .expect("schemas, tools and hints are objects")
}
