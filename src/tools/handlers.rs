//! The nine tools on the graph: one method each, in the manifest's order
//! (docs/behaviour.md, "The nine tools"). What the second text items say is in
//! `notes.rs`.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::contract::{
    AddObservationsRequest, AddObservationsResult, AddedObservations, CreateEntitiesRequest,
    CreateEntitiesResult, CreateRelationsRequest, CreateRelationsResult, DeleteEntitiesRequest,
    DeleteEntitiesResult, DeleteObservationsRequest, DeleteObservationsResult,
    DeleteRelationsRequest, DeleteRelationsResult, Handlers, NamedObservations, OpenNodesRequest,
    ReadGraphRequest, Relation, SearchNodesRequest,
};
use super::notes;
use super::outcome::{Outcome, ToolError, pretty};
use super::render::GraphView;
use crate::graph::Graph;
use crate::store::Snapshot;

/// The nine tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryHandlers {
    /// Whether a relation needs both its entities.
    pub strict_relations: bool,
}

impl Handlers for MemoryHandlers {
    fn create_entities(
        &self,
        graph: &mut Graph,
        request: &CreateEntitiesRequest,
    ) -> Result<Outcome, ToolError> {
        let (added, skipped) = request.entities.iter().partition::<Vec<_>, _>(|entity| {
            graph.create_entity(&entity.name, &entity.entity_type, &entity.observations)
        });
        let skipped = unique(skipped.into_iter().map(|entity| entity.name.clone()));
        let note = notes::skipped_entities(&skipped);
        let result = CreateEntitiesResult {
            entities: added.into_iter().cloned().collect(),
            skipped: listed(skipped),
        };
        Ok(Outcome::new(pretty(&result.entities), note, &result))
    }

    fn create_relations(
        &self,
        graph: &mut Graph,
        request: &CreateRelationsRequest,
    ) -> Result<Outcome, ToolError> {
        let ends = request.relations.iter().flat_map(|it| [&it.from, &it.to]);
        let missing = unique(ends.filter(|name| graph.find(name).is_none()).cloned());
        if self.strict_relations && !missing.is_empty() {
            return Err(ToolError::Graph(notes::refused_relations(&missing)));
        }
        let (added, skipped) = request.relations.iter().partition::<Vec<_>, _>(|it| {
            graph.create_relation(&it.from, &it.to, &it.relation_type)
        });
        let skipped = unique(skipped.into_iter().cloned());
        let note = notes::joined([
            notes::skipped_relations(&skipped),
            notes::missing_entities(&missing),
        ]);
        let result = CreateRelationsResult {
            relations: added.into_iter().cloned().collect(),
            skipped: listed(skipped),
            missing_entities: listed(missing),
        };
        Ok(Outcome::new(pretty(&result.relations), note, &result))
    }

    fn add_observations(
        &self,
        graph: &mut Graph,
        request: &AddObservationsRequest,
    ) -> Result<Outcome, ToolError> {
        let mut items = Vec::new();
        let mut missing = Vec::new();
        for item in &request.observations {
            match graph.find(&item.entity_name) {
                Some(entity) => items.push((entity, &*item.contents)),
                None => missing.push(item.entity_name.clone()),
            }
        }
        if !missing.is_empty() {
            let missing = unique(missing.into_iter());
            return Err(ToolError::Graph(notes::entities_not_found(&missing)));
        }
        let added = graph.add_observations(&items).into_iter();
        let results = request.observations.iter().zip(added);
        let results = results.map(|(item, added)| AddedObservations {
            entity_name: item.entity_name.clone(),
            added_observations: added.into_iter().cloned().collect(),
        });
        let result = AddObservationsResult {
            results: results.collect(),
        };
        Ok(Outcome::new(pretty(&result.results), None, &result))
    }

    fn delete_entities(
        &self,
        graph: &mut Graph,
        request: &DeleteEntitiesRequest,
    ) -> Result<Outcome, ToolError> {
        let mut deleted = 0;
        let mut not_found = Vec::new();
        let mut unlinked = Vec::new();
        for name in unique(request.entity_names.iter().cloned()) {
            let gone = graph.delete_entity(&name);
            deleted += gone.entities;
            if gone.entities == 0 {
                if gone.relations > 0 {
                    unlinked.push(name.clone());
                }
                not_found.push(name);
            }
        }
        let note = notes::joined([
            notes::names_not_found(graph, &not_found),
            notes::unlinked_names(&unlinked),
        ]);
        let message = "Entities deleted successfully".to_owned();
        let result = DeleteEntitiesResult {
            success: true,
            message: message.clone(),
            deleted: Some(deleted as u64),
            not_found: listed(not_found),
        };
        Ok(Outcome::new(message, note, &result))
    }

    fn delete_observations(
        &self,
        graph: &mut Graph,
        request: &DeleteObservationsRequest,
    ) -> Result<Outcome, ToolError> {
        // By entity, so that its list is gone through once.
        let mut texts: HashMap<&String, Vec<&String>> = HashMap::new();
        for item in &request.deletions {
            let texts = texts.entry(&item.entity_name).or_default();
            texts.extend(&item.observations);
        }
        let mut deleted = 0;
        let mut not_found = Vec::new();
        for name in unique(request.deletions.iter().map(|item| &item.entity_name)) {
            let texts = unique(texts[name].iter().copied().cloned());
            let entity = graph.find(name);
            let missing = match entity {
                Some(entity) => {
                    let (count, missing) = graph.delete_observations(entity, &texts);
                    deleted += count;
                    missing.into_iter().cloned().collect()
                }
                None => texts,
            };
            if entity.is_none() || !missing.is_empty() {
                not_found.push(NamedObservations {
                    entity_name: name.clone(),
                    observations: missing,
                });
            }
        }
        let note = notes::observations_not_found(graph, &not_found);
        let message = "Observations deleted successfully".to_owned();
        let result = DeleteObservationsResult {
            success: true,
            message: message.clone(),
            deleted: Some(deleted as u64),
            not_found: listed(not_found),
        };
        Ok(Outcome::new(message, note, &result))
    }

    fn delete_relations(
        &self,
        graph: &mut Graph,
        request: &DeleteRelationsRequest,
    ) -> Result<Outcome, ToolError> {
        let mut deleted = 0;
        let mut not_found = Vec::new();
        for relation in unique(request.relations.iter().cloned()) {
            let Relation {
                from,
                to,
                relation_type,
            } = &relation;
            match graph.delete_relation(from, to, relation_type) {
                0 => not_found.push(relation),
                count => deleted += count,
            }
        }
        let note = notes::relations_not_found(graph, &not_found);
        let message = "Relations deleted successfully".to_owned();
        let result = DeleteRelationsResult {
            success: true,
            message: message.clone(),
            deleted: Some(deleted as u64),
            not_found: listed(not_found),
        };
        Ok(Outcome::new(message, note, &result))
    }

    fn read_graph(
        &self,
        snapshot: &Snapshot,
        request: &ReadGraphRequest,
    ) -> Result<Outcome, ToolError> {
        let graph = snapshot.graph();
        let mut view = GraphView::of(snapshot, request.observation_limit);
        let mut note = None;
        match &request.entity_types {
            None => view.selection = graph.all(),
            Some(types) => {
                view.selection = graph.of_types(types);
                let is_empty = view.selection.entities.is_empty();
                note = is_empty.then(|| notes::types_not_found(graph, types));
            }
        }
        Ok(view.into_outcome(note))
    }

    fn search_nodes(
        &self,
        snapshot: &Snapshot,
        request: &SearchNodesRequest,
    ) -> Result<Outcome, ToolError> {
        let graph = snapshot.graph();
        let mut view = GraphView::of(snapshot, request.observation_limit);
        let mut entities = graph.search(&request.query);
        let total = entities.len();
        let limit = request.limit.and_then(|limit| usize::try_from(limit).ok());
        entities.truncate(limit.unwrap_or(total));
        view.total_matches = (entities.len() < total).then_some(total);
        let note = notes::search(graph, &request.query, entities.len(), total);
        view.selection = graph.with_relations(entities);
        Ok(view.into_outcome(note))
    }

    fn open_nodes(
        &self,
        snapshot: &Snapshot,
        request: &OpenNodesRequest,
    ) -> Result<Outcome, ToolError> {
        let graph = snapshot.graph();
        let mut view = GraphView::of(snapshot, request.observation_limit);
        view.selection = graph.with_relations(graph.open(&request.names));
        let names = request.names.iter();
        view.not_found = unique(names.filter(|name| graph.find(name).is_none()).cloned());
        let note = notes::names_not_found(graph, &view.not_found);
        Ok(view.into_outcome(note))
    }
}

/// The items in their order, each once.
fn unique<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}

/// A list that a result leaves out when it is empty.
fn listed<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Document;

    fn relations(ends: [&str; 2]) -> CreateRelationsRequest {
        let [from, to] = ends.map(str::to_owned);
        let relation_type = "r".to_owned();
        CreateRelationsRequest {
            relations: vec![Relation {
                from,
                to,
                relation_type,
            }],
        }
    }

    fn written(outcome: &Outcome) -> (String, String) {
        let write = |body: &crate::tools::Body| {
            let mut bytes = Vec::new();
            body.write_plain(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        (write(&outcome.text), write(&outcome.structured))
    }

    /// The store runs a change again when somebody else wrote the file.
    #[test]
    fn a_change_that_runs_again_tells_what_it_did_the_last_time() {
        let tools = MemoryHandlers::default();
        let request = relations(["A", "B"]);
        let mut first = Graph::default();
        let outcome = tools.create_relations(&mut first, &request).unwrap();
        assert!(
            written(&outcome)
                .1
                .contains(r#""missingEntities":["A","B"]"#)
        );
        let mut second = Graph::default();
        second.create_entity("B", "t", &[]);
        let outcome = tools.create_relations(&mut second, &request).unwrap();
        assert!(written(&outcome).1.contains(r#""missingEntities":["A"]"#));
        assert_eq!(second.all().relations.len(), 1);
    }

    #[test]
    fn a_change_that_is_refused_leaves_the_graph_as_it_was() {
        let tools = MemoryHandlers {
            strict_relations: true,
        };
        let mut graph = Graph::default();
        graph.create_entity("A", "t", &[]);
        graph.take_changes();
        let refused = tools.create_relations(&mut graph, &relations(["A", "B"]));
        assert!(matches!(refused, Err(ToolError::Graph(_))));
        assert_eq!(graph.take_changes(), []);
    }

    #[test]
    fn a_read_shows_the_snapshot_however_the_graph_goes_on() {
        let line = br#"{"type":"entity","name":"A","entityType":"t","observations":[]}"#;
        let mut document = Document::parse(line.to_vec()).unwrap();
        let snapshot = Snapshot::from(document.clone());
        let request = OpenNodesRequest {
            names: vec!["A".to_owned(), "B".to_owned()],
            observation_limit: None,
        };
        let outcome = MemoryHandlers::default().open_nodes(&snapshot, &request);
        document.graph_mut().delete_entity("A");
        drop(snapshot);
        let structured = concat!(
            r#"{"entities":[{"name":"A","entityType":"t","observations":[]}],"#,
            r#""relations":[],"notFound":["B"]}"#
        );
        assert_eq!(written(&outcome.unwrap()).1, structured);
    }

    /// For read tools that count or list something.
    #[test]
    fn a_result_that_is_no_graph_is_its_own_text() {
        let result = DeleteEntitiesResult {
            success: true,
            message: "m".to_owned(),
            deleted: Some(2),
            not_found: None,
        };
        let outcome = Outcome::showing(&result, Some("Note.".to_owned()));
        let text = "{\n  \"success\": true,\n  \"message\": \"m\",\n  \"deleted\": 2\n}";
        let structured = r#"{"success":true,"message":"m","deleted":2}"#;
        assert_eq!(written(&outcome), (text.to_owned(), structured.to_owned()));
        assert_eq!(outcome.note.as_deref(), Some("Note."));
    }
}
