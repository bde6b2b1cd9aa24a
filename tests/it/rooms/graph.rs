//! Which file uses which.

use std::collections::{BTreeMap, HashMap};

use super::sources::Source;

/// For each file the files it uses, and one path by which it does.
pub type Uses = BTreeMap<String, BTreeMap<String, String>>;

pub fn uses(sources: &[Source]) -> Uses {
    let modules: HashMap<&[String], &Source> = sources
        .iter()
        .map(|source| (&source.module[..], source))
        .collect();
    let mut uses = Uses::new();
    for source in sources {
        let entry = uses.entry(source.path.clone()).or_default();
        for path in source.paths() {
            if let Some(used) = resolve(&modules, source, &path)
                && used.path != source.path
            {
                entry.insert(used.path.clone(), path.join("::"));
            }
        }
    }
    uses
}

/// The file that defines what this path names, as far as it is ours.
fn resolve<'a>(
    modules: &HashMap<&[String], &'a Source>,
    from: &'a Source,
    path: &[String],
) -> Option<&'a Source> {
    let mut module = from.module.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" | "mcp_memory" => {
            module.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|first| first == "super") {
                module.pop()?;
                rest = &rest[1..];
            }
        }
        child => {
            let mut inner = module.clone();
            inner.push(child.to_owned());
            modules.get(&inner[..])?;
        }
    }
    let mut source = *modules.get(&module[..])?;
    while let Some(next) = rest.first() {
        let mut inner = module.clone();
        inner.push(next.clone());
        if let Some(found) = modules.get(&inner[..]) {
            (module, source, rest) = (inner, *found, &rest[1..]);
        } else if let Some(shown) = source.shown.get(next) {
            // A door that shows what another file defines.
            return resolve(modules, source, shown).or(Some(source));
        } else {
            break;
        }
    }
    Some(source)
}

/// The files of a circle, the first once more at the end.
pub fn circle(uses: &Uses) -> Option<Vec<String>> {
    let mut done = Vec::new();
    for file in uses.keys() {
        let mut way = Vec::new();
        if let Some(circle) = follow(uses, file, &mut way, &mut done) {
            return Some(circle);
        }
    }
    None
}

fn follow(
    uses: &Uses,
    file: &str,
    way: &mut Vec<String>,
    done: &mut Vec<String>,
) -> Option<Vec<String>> {
    if let Some(start) = way.iter().position(|before| before == file) {
        let mut circle = way[start..].to_vec();
        circle.push(file.to_owned());
        return Some(circle);
    }
    if done.iter().any(|known| known == file) {
        return None;
    }
    way.push(file.to_owned());
    for used in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
        if let Some(circle) = follow(uses, used, way, done) {
            return Some(circle);
        }
    }
    done.extend(way.pop());
    None
}

#[test]
fn a_circle_is_found_through_a_door_that_shows_what_it_does_not_define() {
    let files = [
        ("lib.rs", ""),
        ("room/mod.rs", "pub use a::{A};"),
        ("room/a.rs", "use super::b::B;"),
        ("room/b.rs", "use crate::room::A;"),
        ("room/c.rs", "use super::A;"),
    ];
    let sources: Vec<Source> = files
        .iter()
        .map(|(path, text)| Source::of((*path).to_owned(), text))
        .collect();
    let circle = circle(&uses(&sources)).unwrap();
    assert_eq!(circle, ["room/a.rs", "room/b.rs", "room/a.rs"]);
}
