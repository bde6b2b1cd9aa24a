//! The rules of the operations, and the indices against a graph without any.

use super::*;
use proptest::prelude::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A graph with these entities, all of type `t`, and relations.
fn graph(entities: &[(&str, &[&str])], relations: &[(&str, &str, &str)]) -> Graph {
    let mut graph = Graph::default();
    for (name, observations) in entities {
        graph.create_entity(name, "t", &strings(observations));
    }
    for (from, to, relation_type) in relations {
        graph.create_relation(from, to, relation_type);
    }
    graph.take_changes();
    graph
}

fn names(graph: &Graph, ids: &[EntityId]) -> Vec<String> {
    ids.iter()
        .map(|&id| graph.text(graph.entity(id).name).to_owned())
        .collect()
}

fn observations(graph: &Graph, name: &str) -> Vec<String> {
    let id = graph.find(name).unwrap();
    let list = graph.observations(id).iter();
    list.map(|&text| graph.text(text).to_owned()).collect()
}

#[test]
fn names_are_compared_code_unit_by_code_unit() {
    let mut graph = graph(&[("é", &[])], &[]);
    for other in ["e\u{301}", "É", " é", "é "] {
        assert_eq!(graph.find(other), None);
        assert!(graph.create_entity(other, "t", &[]));
    }
    assert!(!graph.create_entity("é", "t", &[]));
}

#[test]
fn an_empty_name_is_a_name() {
    let mut graph = graph(&[("", &[""])], &[("", "", "")]);
    assert!(!graph.create_entity("", "t", &[]));
    assert!(!graph.create_relation("", "", ""));
    assert_eq!(graph.delete_relation("", "", ""), 1);
}

#[test]
fn a_created_entity_that_exists_changes_nothing() {
    let mut graph = graph(&[("A", &["old"])], &[]);
    assert!(!graph.create_entity("A", "other", &strings(&["new"])));
    assert_eq!(graph.take_changes(), []);
    assert_eq!(observations(&graph, "A"), ["old"]);
}

#[test]
fn stored_observations_are_not_added_but_repeats_inside_one_list_are() {
    let mut graph = graph(&[("A", &["old"])], &[]);
    let contents = strings(&["new", "old", "new"]);
    let id = graph.find("A").unwrap();
    assert_eq!(graph.add_observations(&[(id, &contents)]), [["new", "new"]]);
    assert!(graph.add_observations(&[(id, &contents)])[0].is_empty());
    assert_eq!(observations(&graph, "A"), ["old", "new", "new"]);
}

#[test]
fn a_later_item_sees_what_an_earlier_one_added() {
    let mut graph = graph(&[("A", &["old"]), ("B", &[])], &[]);
    let [a, b] = ["A", "B"].map(|name| graph.find(name).unwrap());
    let [first, other, second] = [&["x", "old"][..], &["x"], &["x", "y"]].map(strings);
    let added = graph.add_observations(&[(a, &first), (b, &other), (a, &second)]);
    assert_eq!(added, [["x"], ["x"], ["y"]]);
    assert_eq!(observations(&graph, "A"), ["old", "x", "y"]);
    assert_eq!(observations(&graph, "B"), ["x"]);
}

#[test]
fn deleting_an_observation_takes_its_duplicates_and_names_what_is_missing_once() {
    let mut graph = graph(&[("A", &["x", "y", "x"])], &[]);
    let id = graph.find("A").unwrap();
    let unwanted = strings(&["x", "z", "z"]);
    assert_eq!(
        graph.delete_observations(id, &unwanted),
        (2, vec![&unwanted[1]])
    );
    assert_eq!(
        graph.take_changes(),
        [Change::ObservationsRemoved(id, vec![0, 2])]
    );
    assert_eq!(observations(&graph, "A"), ["y"]);
}

#[test]
fn deleting_a_name_takes_its_relations_even_when_no_entity_has_it() {
    let mut graph = graph(
        &[("A", &[])],
        &[("A", "B", "r"), ("ghost", "B", "r"), ("B", "ghost", "r")],
    );
    let gone = graph.delete_entity("ghost");
    assert_eq!((gone.entities, gone.relations), (0, 2));
    assert_eq!(graph.all().relations, [0]);
    let gone = graph.delete_entity("A");
    assert_eq!((gone.entities, gone.relations), (1, 1));
    assert_eq!(graph.all(), Selection::default());
}

#[test]
fn of_two_entities_of_one_name_the_first_changes_and_both_are_deleted() {
    let mut graph = Graph::default();
    let text = graph.push_text("A");
    graph.load_entity(text, text, []);
    graph.load_entity(text, text, []);
    assert_eq!(graph.find("A"), Some(0));
    assert_eq!(graph.open(&strings(&["A"])), [0, 1]);
    assert_eq!(graph.delete_entity("A").entities, 2);
    assert_eq!(graph.entity_count(), 0);
}

#[test]
fn of_equal_relations_in_a_file_all_are_deleted_in_stored_order() {
    let mut graph = Graph::default();
    let [a, other] = ["a", "b"].map(|text| graph.push_text(text));
    for relation_type in [a, other, a] {
        graph.load_relation(a, a, relation_type);
    }
    assert!(!graph.create_relation("a", "a", "a"));
    assert_eq!(graph.delete_relation("a", "a", "a"), 2);
    let removed = [0, 2].map(Change::RelationRemoved);
    assert_eq!(graph.take_changes(), removed);
    assert!(graph.create_relation("a", "a", "a"));
    assert_eq!(graph.all().relations, [1, 3]);
}

#[test]
fn only_what_the_file_holds_stands_there_as_it_is() {
    let mut graph = Graph::over(Texts::new(std::sync::Arc::new("Ada".to_owned()), 3));
    assert!(graph.is_verbatim(Text::in_base(0, 3)));
    let pushed = graph.push_text("Ada");
    assert!(!graph.is_verbatim(pushed));
}

#[test]
fn entity_types_are_those_of_stored_entities_sorted() {
    let mut graph = Graph::default();
    for (name, entity_type) in [("A", "z"), ("B", "y"), ("C", "z"), ("D", "x")] {
        graph.create_entity(name, entity_type, &[]);
    }
    graph.delete_entity("D");
    graph.delete_entity("A");
    assert_eq!(graph.entity_types(), ["y", "z"]);
}

/// The store reads a file again when the changes since took much memory.
#[test]
fn growth_counts_new_texts_and_lists_that_moved() {
    let mut graph = graph(&[("A", &["x"])], &[]);
    let created = graph.growth();
    assert_eq!(created, "A".len() + "t".len() + "x".len());
    graph.add_observations(&[(0, &strings(&["yz"]))]);
    assert_eq!(graph.growth() - created, "yz".len() + 2 * size_of::<Text>());
}

#[test]
fn opening_returns_each_entity_once_in_stored_order() {
    let graph = graph(&[("A", &[]), ("B", &[])], &[]);
    let found = graph.open(&strings(&["B", "A", "B", "C"]));
    assert_eq!(names(&graph, &found), ["A", "B"]);
}

#[test]
fn entities_of_a_type_are_found_after_every_change() {
    let mut graph = Graph::default();
    for (name, entity_type) in [("A", "t"), ("B", "u"), ("C", "t")] {
        graph.create_entity(name, entity_type, &[]);
    }
    let types = strings(&["u", "t", "t", "T", ""]);
    #[track_caller]
    fn check(graph: &Graph, types: &[String], expected: &[&str]) {
        let found = graph.of_types(types).entities;
        assert_eq!(names(graph, &found), expected);
    }
    check(&graph, &types, &["A", "B", "C"]);
    check(&graph, &types[1..], &["A", "C"]);
    graph.create_entity("D", "t", &[]);
    graph.delete_entity("A");
    check(&graph, &types[1..], &["C", "D"]);
}

#[test]
fn relations_come_with_either_end_and_only_once() {
    let graph = graph(
        &[("A", &[]), ("B", &[])],
        &[
            ("A", "A", "r"),
            ("B", "A", "r"),
            ("B", "C", "r"),
            ("A", "B", "s"),
        ],
    );
    let selection = graph.with_relations(graph.open(&strings(&["A"])));
    assert_eq!(selection.relations, [0, 1, 3]);
}

#[test]
fn a_search_does_not_reach_across_fields() {
    let graph = graph(&[("ab", &["cd", "ef"])], &[]);
    for query in ["bt", "tc", "de", "b", "D"] {
        let is_inside = ["b", "D"].contains(&query);
        assert_eq!(graph.search(query).len(), usize::from(is_inside), "{query}");
    }
}

proptest! {
    #[test]
    fn lower_case_is_the_full_mapping_also_for_runs_of_ascii(
        text in "([A-Za-z0-9 .]{0,9}|[ÄÖÜßİΣσςΩДжǅ東ﬀ\u{307}]{0,3}|\\PC{0,4}){0,6}"
    ) {
        prop_assert_eq!(lower(&text), text.to_lowercase());
    }
}

/// The index starts with room for few and is made anew when there are more.
#[test]
fn every_relation_is_found_however_many_come_after_the_index_was_built() {
    let mut graph = graph(&[("hub", &[])], &[]);
    for number in 0..100 {
        assert!(graph.create_relation("hub", &number.to_string(), "r"));
        assert!(!graph.create_relation("hub", &number.to_string(), "r"));
        let hub = graph.open(&strings(&["hub"]));
        assert_eq!(graph.with_relations(hub).relations.len(), number + 1);
    }
}

#[test]
fn a_search_lowers_both_sides_as_javascript_does() {
    #[track_caller]
    fn check(stored: &str, query: &str, is_found: bool) {
        let graph = graph(&[(stored, &[])], &[]);
        assert_eq!(!graph.search(query).is_empty(), is_found);
    }
    check("STRASSE", "strasse", true);
    check("Straße", "STRASSE", false);
    check("İstanbul", "i\u{307}stanbul", true);
    check("ΟΔΟΣ", "οδος", true); // ends in a final sigma
    check("ΟΔΟΣ", "οδοσ", false);
    check("K", "k", true); // the Kelvin sign
}

#[test]
fn a_hint_for_a_relation_has_its_two_ends_the_same_way_round_if_there_is_one() {
    let graph = graph(&[], &[("B", "A", "r"), ("A", "B", "s"), ("C", "A", "t")]);
    let hint = |from: &str, to: &str| graph.similar_relation(from, to);
    assert_eq!(hint("A", "B"), Some(1));
    assert_eq!(hint("B", "A"), Some(0));
    assert_eq!(hint("A", "C"), Some(2));
    assert_eq!(hint("B", "C"), None);
}

#[test]
fn a_hint_differs_only_in_case_and_surrounding_space() {
    let graph = graph(&[("Ada Lovelace", &["Likes tea."])], &[]);
    assert_eq!(graph.similar_name(" ada lovelace"), Some("Ada Lovelace"));
    assert_eq!(graph.similar_name("AdaLovelace"), None);
    assert_eq!(
        graph.similar_observation(0, "likes  tea"),
        Some("Likes tea.")
    );
    assert_eq!(graph.similar_observation(0, "likes coffee"), None);
    assert_eq!(graph.similar_observation(0, "!"), None);
}

/// The graph as plain lists, every operation by looking at everything.
#[derive(Debug, Default)]
struct Plain {
    entities: Vec<(String, Vec<String>)>,
    relations: Vec<(String, String, String)>,
}

#[derive(Debug, Clone)]
enum Step {
    Create(String, Vec<String>),
    Relate(String, String, String),
    Add(String, Vec<String>),
    Forget(String, Vec<String>),
    Delete(String),
    Cut(String, String, String),
    Search(String),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || "[abA]{1,2}";
    let word = || "[rs]";
    let texts = || proptest::collection::vec("[abcxΣ]{0,3}", 0..4);
    prop_oneof![
        (name(), texts()).prop_map(|(name, texts)| Step::Create(name, texts)),
        (name(), name(), word()).prop_map(|(from, to, word)| Step::Relate(from, to, word)),
        (name(), texts()).prop_map(|(name, texts)| Step::Add(name, texts)),
        (name(), texts()).prop_map(|(name, texts)| Step::Forget(name, texts)),
        name().prop_map(Step::Delete),
        (name(), name(), word()).prop_map(|(from, to, word)| Step::Cut(from, to, word)),
        "[abcx]{0,2}".prop_map(Step::Search),
    ]
}

impl Plain {
    fn apply(&mut self, step: &Step) {
        match step.clone() {
            Step::Create(name, texts) => {
                if self.entities.iter().all(|entity| entity.0 != name) {
                    self.entities.push((name, texts));
                }
            }
            Step::Relate(from, to, word) => {
                let relation = (from, to, word);
                if !self.relations.contains(&relation) {
                    self.relations.push(relation);
                }
            }
            Step::Add(name, texts) => {
                for entity in self.entities.iter_mut().filter(|entity| entity.0 == name) {
                    let old = entity.1.clone();
                    entity
                        .1
                        .extend(texts.iter().filter(|text| !old.contains(text)).cloned());
                }
            }
            Step::Forget(name, texts) => {
                for entity in self.entities.iter_mut().filter(|entity| entity.0 == name) {
                    entity.1.retain(|text| !texts.contains(text));
                }
            }
            Step::Delete(name) => {
                self.entities.retain(|entity| entity.0 != name);
                self.relations
                    .retain(|(from, to, _)| *from != name && *to != name);
            }
            Step::Cut(from, to, word) => {
                let relation = (from, to, word);
                self.relations.retain(|it| *it != relation);
            }
            Step::Search(_) => {}
        }
    }

    fn search(&self, query: &str) -> Vec<String> {
        let query = query.to_lowercase();
        let has = |text: &String| text.to_lowercase().contains(&query);
        let hits = self
            .entities
            .iter()
            .filter(|(name, texts)| has(name) || "t".contains(&query) || texts.iter().any(has));
        hits.map(|(name, _)| name.clone()).collect()
    }
}

proptest! {
    #[test]
    fn indices_say_the_same_as_looking_at_everything(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let (mut graph, mut plain) = (Graph::default(), Plain::default());
        for step in &steps {
            plain.apply(step);
            match step {
                Step::Create(name, texts) => {
                    graph.create_entity(name, "t", texts);
                }
                Step::Relate(from, to, word) => {
                    graph.create_relation(from, to, word);
                }
                Step::Add(name, texts) => {
                    if let Some(id) = graph.find(name) {
                        graph.add_observations(&[(id, texts)]);
                    }
                }
                Step::Forget(name, texts) => {
                    if let Some(id) = graph.find(name) {
                        graph.delete_observations(id, texts);
                    }
                }
                Step::Delete(name) => {
                    graph.delete_entity(name);
                }
                Step::Cut(from, to, word) => {
                    graph.delete_relation(from, to, word);
                }
                Step::Search(query) => {
                    prop_assert_eq!(names(&graph, &graph.search(query)), plain.search(query));
                }
            }
            let all = graph.all();
            let stored: Vec<_> = names(&graph, &all.entities)
                .into_iter()
                .map(|name| (name.clone(), observations(&graph, &name)))
                .collect();
            prop_assert_eq!(&stored, &plain.entities);
            let relations: Vec<_> = all.relations.iter().map(|&id| graph.relation(id)).collect();
            let triples: Vec<_> = relations
                .iter()
                .map(|it| [it.from, it.to, it.relation_type].map(|text| graph.text(text).to_owned()))
                .map(|[from, to, word]| (from, to, word))
                .collect();
            prop_assert_eq!(&triples, &plain.relations);
            for (name, _) in &plain.entities {
                let selection = graph.with_relations(graph.open(std::slice::from_ref(name)));
                let touching = plain.relations.iter().filter(|it| it.0 == *name || it.1 == *name);
                prop_assert_eq!(selection.relations.len(), touching.count());
            }
        }
    }
}
