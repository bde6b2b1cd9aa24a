//! The second text items: what a model must know beyond the first one, in
//! words that say what to do next. The same facts are in structuredContent,
//! for the clients that show only that.

use std::path::Path;

use super::contract::{NamedObservations, Relation};
use crate::graph::Graph;
use crate::words::{and_more, listed};

/// How many items a note lists; structuredContent has them all.
const LISTED: usize = 20;

/// After create_entities.
pub fn skipped_entities(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "Skipped, because an entity of this name exists already: {}. It was left as it is \
             and the observations given for it were not added; add them with add_observations.",
            list(names.iter().map(|name| quoted(name)))
        )
    })
}

/// After create_relations.
pub fn skipped_relations(relations: &[Relation]) -> Option<String> {
    (!relations.is_empty()).then(|| {
        format!(
            "Skipped, because the relation exists already: {}.",
            list(relations.iter().map(spelled))
        )
    })
}

/// After create_relations.
pub fn missing_entities(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "The relations are stored, but these entities do not exist: {}. If a name is \
             misspelt, delete the relation and create the right one; if the entity is new, add \
             it with create_entities.",
            list(names.iter().map(|name| quoted(name)))
        )
    })
}

/// Instead of create_relations' result, with strict relations.
pub fn refused_relations(names: &[String]) -> String {
    format!(
        "create_relations: these entities do not exist: {}; no relation was stored\n\
         create them with create_entities first, or correct the names",
        names
            .iter()
            .map(|name| quoted(name))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// Instead of add_observations' result. The first line is the reference
/// server's, word for word, which clients know.
pub fn entities_not_found(names: &[String]) -> String {
    let lines: Vec<String> = names
        .iter()
        .map(|name| format!("Entity with name {name} not found"))
        .collect();
    lines.join("\n")
}

/// After delete_entities and open_nodes.
pub fn names_not_found(graph: &Graph, names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let mut note = format!(
        "No such entity: {}. Names must match exactly; search_nodes finds a name by a \
         piece of it.",
        list(names.iter().map(|name| quoted(name)))
    );
    for name in names.iter().take(LISTED) {
        if let Some(stored) = graph.similar_name(name) {
            note.push_str(&format!(
                " Instead of {} there is {}.",
                quoted(name),
                quoted(stored)
            ));
        }
    }
    Some(note)
}

/// After delete_entities, for names of no entity.
pub fn unlinked_names(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "Relations from or to these names were removed all the same: {}.",
            list(names.iter().map(|name| quoted(name)))
        )
    })
}

/// After read_graph with entityTypes, when nothing was found.
pub fn types_not_found(graph: &Graph, types: &[String]) -> String {
    let wanted = list(types.iter().map(|name| quoted(name)));
    let stored = graph.entity_types();
    match stored.len() {
        0 => "Nothing is stored yet: the memory has no entities.".to_owned(),
        _ => format!(
            "No entity has the type {wanted}. Types must match exactly; the stored types are {}.",
            list(stored.into_iter().map(quoted))
        ),
    }
}

/// After delete_observations.
pub fn observations_not_found(graph: &Graph, missing: &[NamedObservations]) -> Option<String> {
    if missing.is_empty() {
        return None;
    }
    let lines = missing.iter().take(LISTED).map(|item| {
        let name = quoted(&item.entity_name);
        let Some(entity) = graph.find(&item.entity_name) else {
            let hint = names_not_found(graph, std::slice::from_ref(&item.entity_name));
            return format!("- {}", hint.unwrap_or_default());
        };
        let texts =
            item.observations
                .iter()
                .map(|text| match graph.similar_observation(entity, text) {
                    Some(stored) => format!("{} (stored is {})", quoted(text), quoted(stored)),
                    None => quoted(text),
                });
        format!("- {name} has no such observation: {}.", list(texts))
    });
    Some(format!(
        "Not everything was there to delete; a text must equal the stored one in every \
         character:\n{}{}",
        lines.collect::<Vec<_>>().join("\n"),
        and_more(missing.len(), LISTED).map_or(String::new(), |more| format!(" {more}")),
    ))
}

/// After delete_relations.
pub fn relations_not_found(graph: &Graph, relations: &[Relation]) -> Option<String> {
    let quoted = relations.iter().map(|missing| {
        let stored = graph.similar_relation(&missing.from, &missing.to);
        let Some(stored) = stored.map(|id| graph.relation(id)) else {
            return spelled(missing);
        };
        let [from, to, relation_type] =
            [stored.from, stored.to, stored.relation_type].map(|text| graph.text(text).to_owned());
        let stored = Relation {
            from,
            to,
            relation_type,
        };
        format!("{} (stored is {})", spelled(missing), spelled(&stored))
    });
    (!relations.is_empty()).then(|| {
        format!(
            "No such relation: {}. from, to and relationType must all equal the stored ones; \
             read them with open_nodes.",
            list(quoted)
        )
    })
}

/// After search_nodes, when nothing was found or not everything is shown.
pub fn search(graph: &Graph, query: &str, shown: usize, total: usize) -> Option<String> {
    let entities = graph.entity_count();
    if total == 0 {
        return Some(match entities {
            0 => "Nothing is stored yet: the memory has no entities.".to_owned(),
            _ => {
                let none = match entities {
                    1 => "The only stored entity does not contain".to_owned(),
                    _ => format!("None of the {entities} stored entities contains"),
                };
                format!(
                    "{none} {}. The match is literal (only upper and lower case are alike), so \
                     try a single word, a part of a word or a synonym.",
                    quoted(query)
                )
            }
        });
    }
    (shown < total).then(|| {
        format!(
            "{total} entities match; the first {shown} in stored order are shown. Raise limit or \
             use a more telling query to see others."
        )
    })
}

/// After the first read that found no memory file.
pub fn no_file(file: &Path, read_only: bool) -> String {
    let (file, expected) = (
        file.display(),
        "Where a memory was expected, the server was started with another path than before.",
    );
    if read_only {
        return format!(
            "There is no memory file {file}, so the memory is empty, and this server makes none. \
             {expected}"
        );
    }
    format!(
        "There is no memory file yet, so the memory is empty; the first write makes {file}. \
         {expected}"
    )
}

/// Notes one after the other; None when there is none.
pub fn joined<const N: usize>(notes: [Option<String>; N]) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("\n"))
}

fn spelled(relation: &Relation) -> String {
    format!(
        "{} {} {}",
        quoted(&relation.from),
        quoted(&relation.relation_type),
        quoted(&relation.to)
    )
}

/// How many characters of a name or text a note shows.
const SHOWN: usize = 200;

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(SHOWN).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    let json = serde_json::to_string(&short).expect("a string is always JSON");
    format!("{json}{dots}")
}

fn list(items: impl ExactSizeIterator<Item = String>) -> String {
    listed(items, LISTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("n{number}")).collect()
    }

    fn graph(names: &[&str]) -> Graph {
        let mut graph = Graph::default();
        for name in names {
            graph.create_entity(name, "t", &["Likes tea.".to_owned()]);
        }
        graph
    }

    /// How often a note names something that [`names`] made.
    fn named(note: &str) -> usize {
        note.matches("\"n").count()
    }

    #[test]
    fn a_note_lists_twenty_and_says_how_many_more_there_are() {
        let graph = graph(&[]);
        let notes = |count: usize| {
            let names = names(count);
            let missing = |name: &String| NamedObservations {
                entity_name: name.clone(),
                observations: Vec::new(),
            };
            let observations: Vec<_> = names.iter().map(missing).collect();
            [
                skipped_entities(&names),
                missing_entities(&names),
                names_not_found(&graph, &names),
                unlinked_names(&names),
                observations_not_found(&graph, &observations),
            ]
            .map(Option::unwrap)
        };
        for note in notes(20) {
            assert_eq!(
                (named(&note), note.contains(" more")),
                (20, false),
                "{note}"
            );
        }
        for note in notes(23) {
            assert_eq!(
                (named(&note), note.contains("and 3 more")),
                (20, true),
                "{note}"
            );
        }
    }

    #[test]
    fn a_relation_is_three_texts_of_a_list_that_is_cut_in_the_same_way() {
        let relations: Vec<Relation> = (0..21)
            .map(|number| Relation {
                from: "A".to_owned(),
                to: format!("n{number}"),
                relation_type: "r".to_owned(),
            })
            .collect();
        for note in [
            skipped_relations(&relations),
            relations_not_found(&graph(&[]), &relations),
        ] {
            let note = note.unwrap();
            assert_eq!(
                (named(&note), note.contains("and 1 more")),
                (20, true),
                "{note}"
            );
        }
    }

    #[test]
    fn a_text_is_shown_up_to_two_hundred_characters() {
        let text = |length: usize| "é".repeat(length);
        assert_eq!(quoted(&text(200)), format!("\"{}\"", text(200)));
        assert_eq!(quoted(&text(201)), format!("\"{}\"…", text(200)));
    }

    #[test]
    fn each_name_that_is_not_there_is_told_its_own_similar_one() {
        let graph = graph(&["Ada", "Bob", "Cid"]);
        let names = ["ada", "x", "BOB", " Cid"].map(str::to_owned);
        let note = names_not_found(&graph, &names).unwrap();
        let similar = note.split_once("by a piece of it.").unwrap().1;
        assert_eq!(
            similar,
            " Instead of \"ada\" there is \"Ada\". Instead of \"BOB\" there is \"Bob\". \
             Instead of \" Cid\" there is \"Cid\"."
        );
    }

    #[test]
    fn each_observation_that_is_not_there_is_told_its_own_similar_one() {
        let graph = graph(&["Ada", "Bob"]);
        let missing = ["Ada", "Bob"].map(|name| NamedObservations {
            entity_name: name.to_owned(),
            observations: ["likes tea", "x"].map(str::to_owned).to_vec(),
        });
        let note = observations_not_found(&graph, &missing).unwrap();
        let lines: Vec<&str> = note.lines().skip(1).collect();
        let line = |name| {
            format!(
                "- \"{name}\" has no such observation: \"likes tea\" (stored is \"Likes tea.\"), \
                 \"x\"."
            )
        };
        assert_eq!(lines, [line("Ada"), line("Bob")]);
    }
}
