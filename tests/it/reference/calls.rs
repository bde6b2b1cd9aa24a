//! Random tool calls that look like what clients and models send, and like
//! what they should not. Texts collide on purpose: a few names, facts and
//! types are used again and again, in spellings that are nearly the same.

use serde_json::{Map, Value, json};

use super::odd_lines::write_oddly;
use super::texts::{one_of, text, world};
use crate::support::random::Random;

/// One call, as it is sent.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool's name; [`RESOURCE`] stands for resources/read.
    pub tool: String,
    /// The `arguments`, whatever they are.
    pub sent: Value,
    /// The same in the shape the schema asks for, where `sent` has another
    /// that a reader can see through.
    pub meant: Option<Value>,
}

/// The name that stands for reading the resource.
pub const RESOURCE: &str = "resources/read";

/// Makes calls about a small world of names, facts and types.
pub struct Calls {
    random: Random,
    names: Vec<String>,
    types: Vec<String>,
    verbs: Vec<String>,
    facts: Vec<String>,
}

impl Calls {
    /// The world and the calls of this seed.
    pub fn new(seed: u64) -> Calls {
        let mut random = Random::new(seed);
        Calls {
            names: world(&mut random, 10),
            types: world(&mut random, 4),
            verbs: world(&mut random, 4),
            facts: world(&mut random, 10),
            random,
        }
    }

    /// The next call.
    pub fn next(&mut self) -> Call {
        let (tool, mut arguments) = self.valid();
        if self.random.percent(10) {
            self.add_unknown(&mut arguments);
        }
        let call = |sent, meant| Call {
            tool: tool.to_owned(),
            sent,
            meant,
        };
        match self.random.below(100) {
            0..7 => {
                let mut meant = arguments.clone();
                let mut sent = arguments;
                if self.disguise(&mut sent, &mut meant) {
                    call(sent, Some(meant))
                } else {
                    call(meant, None)
                }
            }
            7..13 => {
                self.spoil(&mut arguments);
                call(arguments, None)
            }
            13 if arguments == json!({}) => call(Value::Null, Some(json!({}))),
            14 => Call {
                tool: self
                    .random
                    .pick(&[
                        "",
                        "nope",
                        "Create_Entities",
                        "create-entities",
                        "__proto__",
                    ])
                    .to_string(),
                sent: arguments,
                meant: None,
            },
            _ => call(arguments, None),
        }
    }

    /// A memory file that both servers can read, of records about the same
    /// world, or `None` for none.
    pub fn file(&mut self) -> Option<Vec<u8>> {
        let odd = match self.random.below(100) {
            0..35 => return None,
            35..60 => false,
            _ => true,
        };
        let count = self.random.below(14);
        let mut records: Vec<Value> = (0..count).map(|_| self.record()).collect();
        if !odd {
            // As both servers write it: each name and each relation once.
            let mut seen = std::collections::HashSet::new();
            records.retain(|record| {
                let key = match record["type"] == "entity" {
                    true => json!(record["name"]),
                    false => record.clone(),
                };
                seen.insert(key.to_string())
            });
            records.sort_by_key(|record| record["type"] == "relation");
        }
        let mut file = Vec::new();
        for record in &records {
            if odd {
                write_oddly(&mut self.random, record, &mut file);
            } else {
                file.extend_from_slice(record.to_string().as_bytes());
                file.push(b'\n');
            }
        }
        if self.random.percent(40) {
            while file.last() == Some(&b'\n') {
                file.pop();
            }
        }
        Some(file)
    }

    /// Arguments that fit the schema of some tool.
    fn valid(&mut self) -> (&'static str, Value) {
        match self.random.below(100) {
            0..18 => {
                let length = self.length();
                let entities = self.list(length, Calls::entity);
                ("create_entities", json!({"entities": entities}))
            }
            18..32 => {
                let length = self.length();
                let relations = self.list(length, Calls::relation);
                ("create_relations", json!({"relations": relations}))
            }
            32..46 => {
                // Rarely more than one item: any unknown name fails them all.
                let length = 1 + usize::from(self.random.percent(25));
                let items = self.list(
                    length,
                    |calls| json!({"entityName": calls.name(), "contents": calls.some_facts()}),
                );
                ("add_observations", json!({"observations": items}))
            }
            46..51 => ("delete_entities", json!({"entityNames": self.some_names()})),
            51..60 => {
                let length = self.length();
                let items = self.list(
                    length,
                    |calls| json!({"entityName": calls.name(), "observations": calls.some_facts()}),
                );
                ("delete_observations", json!({"deletions": items}))
            }
            60..66 => {
                let length = self.length();
                let relations = self.list(length, Calls::relation);
                ("delete_relations", json!({"relations": relations}))
            }
            66..74 => {
                let mut arguments = json!({});
                if self.random.percent(20) {
                    let length = 1 + self.random.below(2);
                    arguments["entityTypes"] = json!(self.list(length, |calls| calls.kind()));
                }
                self.limit(&mut arguments, "observationLimit", 0);
                ("read_graph", arguments)
            }
            74..88 => {
                let mut arguments = json!({"query": self.query()});
                self.limit(&mut arguments, "limit", 1);
                self.limit(&mut arguments, "observationLimit", 0);
                ("search_nodes", arguments)
            }
            88..97 => {
                let mut arguments = json!({"names": self.some_names()});
                self.limit(&mut arguments, "observationLimit", 0);
                ("open_nodes", arguments)
            }
            _ => (RESOURCE, json!({})),
        }
    }

    fn limit(&mut self, arguments: &mut Value, name: &str, least: usize) {
        if self.random.percent(12) {
            arguments[name] = match self.random.below(12) {
                0 => json!(null),
                1 => json!(2.0),
                2 => json!(1e300),
                3 => json!(-1),
                4 => json!(1.5),
                5 => json!("many"),
                _ => json!(least + self.random.below(4)),
            };
        }
    }

    fn query(&mut self) -> String {
        let known = match self.random.below(4) {
            0 => self.name(),
            1 => self.kind(),
            _ => self.fact(),
        };
        match self.random.below(20) {
            0 => String::new(),
            1 => "query ".repeat(400),
            2 => "x".repeat(2046 + self.random.below(5)),
            3 => text(&mut self.random),
            4..8 => known.to_uppercase(),
            8..12 => known.to_lowercase(),
            12..17 => {
                let characters: Vec<char> = known.chars().collect();
                let start = self.random.below(characters.len() + 1);
                let length = self.random.below(characters.len() - start + 1);
                characters[start..start + length.min(1000)].iter().collect()
            }
            _ => known,
        }
    }

    fn entity(&mut self) -> Value {
        json!({"name": self.name(), "entityType": self.kind(), "observations": self.some_facts()})
    }

    fn relation(&mut self) -> Value {
        json!({"from": self.name(), "to": self.name(), "relationType": self.random.pick(&self.verbs)})
    }

    fn record(&mut self) -> Value {
        let (kind, fields) = match self.random.below(10) {
            0..6 => ("entity", self.entity()),
            _ => ("relation", self.relation()),
        };
        let mut record = Map::from_iter([("type".to_owned(), json!(kind))]);
        record.extend(fields.as_object().unwrap().clone());
        Value::Object(record)
    }

    fn name(&mut self) -> String {
        one_of(&mut self.random, &self.names)
    }

    fn kind(&mut self) -> String {
        one_of(&mut self.random, &self.types)
    }

    fn fact(&mut self) -> String {
        one_of(&mut self.random, &self.facts)
    }

    fn some_names(&mut self) -> Vec<String> {
        let length = self.length();
        self.list(length, Calls::name)
    }

    fn some_facts(&mut self) -> Vec<String> {
        let length = self.random.below(4);
        self.list(length, Calls::fact)
    }

    fn length(&mut self) -> usize {
        *self.random.pick(&[0, 1, 1, 1, 1, 2, 2, 3, 5])
    }

    fn list<T>(&mut self, length: usize, mut make: impl FnMut(&mut Calls) -> T) -> Vec<T> {
        (0..length).map(|_| make(self)).collect()
    }

    /// Puts members that no schema knows somewhere into the arguments.
    fn add_unknown(&mut self, arguments: &mut Value) {
        let name = *self.random.pick(&[
            "note",
            "type",
            "__proto__",
            "constructor",
            "id",
            "Name",
            "success",
            "",
        ]);
        let value = self
            .random
            .pick(&[
                json!(null),
                json!(1e20),
                json!({"name": "x"}),
                json!([[]]),
                json!("entity"),
            ])
            .clone();
        let mut place = &mut *arguments;
        while self.random.percent(60) {
            let deeper: Vec<String> = children(place);
            if deeper.is_empty() {
                break;
            }
            let path = self.random.pick(&deeper).clone();
            place = place.pointer_mut(&path).unwrap();
        }
        if let Some(members) = place.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    }

    /// Sends a list, or an item of one, as the text of its JSON, or a list of
    /// strings as its only string. False when there is nothing to disguise.
    fn disguise(&mut self, sent: &mut Value, meant: &mut Value) -> bool {
        let mut places: Vec<String> = descendants(sent);
        places.retain(|path| {
            let value = sent.pointer(path).unwrap();
            let declared = path
                .split('/')
                .all(|key| key.parse::<usize>().is_ok() || key.is_empty() || LISTS.contains(&key));
            declared && (value.is_array() || value.is_object())
        });
        if places.is_empty() {
            return false;
        }
        let path = self.random.pick(&places).clone();
        let of_strings = ["contents", "observations", "entityNames", "names", "entityTypes"]
            .iter()
            .any(|name| path.ends_with(&format!("/{name}")))
            && meant.pointer(&path).unwrap().as_array().unwrap().iter().all(Value::is_string)
            // The list of items of add_observations has the same name.
            && path != "/observations";
        let value = sent.pointer_mut(&path).unwrap();
        if of_strings && self.random.percent(50) {
            let only = self.fact();
            let parsed: Option<Vec<String>> = serde_json::from_str(&only).ok();
            *value = json!(only);
            *meant.pointer_mut(&path).unwrap() = json!(parsed.unwrap_or_else(|| vec![only]));
        } else {
            *value = json!(value.to_string());
        }
        true
    }

    /// Makes arguments that no reading can save, most of the time.
    fn spoil(&mut self, arguments: &mut Value) {
        let places = descendants(arguments);
        if places.is_empty() || self.random.percent(10) {
            *arguments = self
                .random
                .pick(&[json!([]), json!("{}"), json!(5), json!(false)])
                .clone();
            return;
        }
        let path = self.random.pick(&places).clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        if self.random.percent(40)
            && let Some(members) = arguments.pointer_mut(parent).unwrap().as_object_mut()
        {
            members.remove(key);
            return;
        }
        // No string: where a list is wanted, that would be one that is meant.
        *arguments.pointer_mut(&path).unwrap() = self
            .random
            .pick(&[
                json!(null),
                json!(0),
                json!(true),
                json!({}),
                json!({"name": 1}),
                json!(1.5),
            ])
            .clone();
    }
}

/// Names of list properties in the tools' arguments.
const LISTS: [&str; 8] = [
    "entities",
    "relations",
    "observations",
    "contents",
    "entityNames",
    "deletions",
    "names",
    "entityTypes",
];

/// Pointers to everything below this value.
pub fn descendants(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for path in children(value) {
        all.push(path.clone());
        for below in descendants(value.pointer(&path).unwrap()) {
            all.push(format!("{path}{below}"));
        }
    }
    all
}

/// Pointers to what this value holds. A key that a pointer would have to
/// escape is none of ours.
fn children(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members.keys().map(|key| format!("/{key}")).collect(),
        Value::Array(items) => (0..items.len()).map(|at| format!("/{at}")).collect(),
        _ => Vec::new(),
    }
}
