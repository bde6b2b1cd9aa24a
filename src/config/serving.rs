//! Which tools are asked for: `--toolsets` and `--read-only`, or the variables
//! in their place. What a set holds is the manifest's business.

use super::flags::Flags;
use super::stop::Stop;
use super::surroundings::Surroundings;
use crate::tools::{Served, Toolset};

const SETS_VARIABLE: &str = "MEMORY_TOOLSETS";
const READ_ONLY_VARIABLE: &str = "MEMORY_READ_ONLY";
/// Stands for every set.
const ALL: &str = "all";

/// The tools that these flags ask for, and the variables where they are silent.
///
/// # Errors
/// A [`Stop`] with code 2: a set that does not exist, no set or no tool at all,
/// or a variable of which nobody can tell whether writing is wanted.
pub fn served(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Served, Stop> {
    let variable = surroundings.value(SETS_VARIABLE);
    let variable = variable.as_ref().map(|value| value.to_string_lossy());
    let sets = match (&flags.toolsets, variable) {
        (Some(text), _) => sets(text, "--toolsets")?,
        (None, Some(text)) => sets(&text, SETS_VARIABLE)?,
        (None, None) => vec![Toolset::DEFAULT],
    };
    let read_only = flags.read_only || read_only_variable(surroundings)?;
    some_tool(Served::of(&sets, read_only))
}

/// The tools that these flags ask for, whatever the variables say.
///
/// # Errors
/// As above.
pub fn served_by_flags(toolsets: Option<&str>, read_only: bool) -> Result<Served, Stop> {
    let sets = match toolsets {
        Some(text) => sets(text, "--toolsets")?,
        None => vec![Toolset::DEFAULT],
    };
    some_tool(Served::of(&sets, read_only))
}

fn some_tool(served: Served) -> Result<Served, Stop> {
    if served.tools().is_empty() {
        return Err(Stop::usage(
            "no tool is left to serve: none of these toolsets is read-only\n\
             add another to --toolsets, or leave out --read-only"
                .to_owned(),
        ));
    }
    Ok(served)
}

/// Reads `memory,upkeep`.
fn sets(text: &str, origin: &str) -> Result<Vec<Toolset>, Stop> {
    let names = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    let mut sets = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        match Toolset::from_name(name) {
            Some(set) => sets.push(set),
            None if name == ALL => sets.extend(Toolset::ALL),
            None => {
                let meant = meant(name).map(|name| format!("did you mean {name}? "));
                return Err(Stop::usage(format!(
                    "unknown toolset {name:?} (from {origin})\n{}the toolsets are {}",
                    meant.unwrap_or_default(),
                    known()
                )));
            }
        }
    }
    if sets.is_empty() {
        return Err(Stop::usage(format!(
            "{origin} names no toolset\nthe toolsets are {}",
            known()
        )));
    }
    Ok(sets)
}

fn names() -> impl Iterator<Item = &'static str> {
    Toolset::ALL.iter().map(|set| set.name())
}

fn known() -> String {
    let names: Vec<&str> = names().collect();
    format!("{}; {ALL} stands for every one", names.join(", "))
}

/// The set that is written nearly like this.
fn meant(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let near = names()
        .chain([ALL])
        .map(|known| (strsim::osa_distance(&lower, known), known));
    let (distance, known) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= known.len() / 3).then_some(known)
}

/// Nobody sets it who does not mean it, so what cannot be understood is no
/// permission to write.
fn read_only_variable(surroundings: &Surroundings<'_>) -> Result<bool, Stop> {
    let Some(value) = surroundings.value(READ_ONLY_VARIABLE) else {
        return Ok(false);
    };
    match value.to_str() {
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        _ => Err(Stop::usage(format!(
            "{READ_ONLY_VARIABLE} is {value:?}, which is neither 1 nor 0\n\
             write 1 to serve only tools that change nothing, 0 to serve all"
        ))),
    }
}
