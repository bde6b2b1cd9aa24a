//! The generated Rust: prepares what `tools.rs.j2` lays out. Names and types
//! are derived from the manifest here, never chosen twice. Whoever wants to read
//! the text lets rustfmt lay it out.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value, context};

use super::manifest::{Items, Manifest, Object, Paragraph, Property};
use super::names::{enum_name, identifier, pascal, snake};

/// The text of `tools.rs`.
pub fn tools_rs(manifest: &Manifest) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()?,
    );
    environment.add_filter("doc", |text: &str, indent: usize| doc(text, indent));
    environment.add_filter("literal", |text: &str| format!("{text:?}"));
    environment.add_template("tools.rs", include_str!("tools.rs.j2"))?;

    let shared = manifest.types.0.iter().map(|(name, object)| {
        let description = object.description.as_deref().unwrap_or(name);
        structure(name, description, object)
    });
    let tools = manifest.tools.iter().map(|tool| {
        let variant = pascal(&tool.name);
        let arguments = format!("The arguments of `{}`.", tool.name);
        let result = format!("The structuredContent of `{}`.", tool.name);
        context! {
            name => tool.name.as_str(),
            title => tool.title.as_str(),
            toolset => pascal(&tool.toolset),
            description => tool.description.as_str(),
            method => identifier(&tool.name),
            read_only => tool.annotations.read_only_hint,
            request => structure(&format!("{variant}Request"), &arguments, &tool.input_schema),
            result => structure(&format!("{variant}Result"), &result, &tool.output_schema),
            variant => variant,
        }
    });
    let toolsets = manifest.toolsets.iter().map(|set| {
        context! {
            name => set.name.as_str(),
            variant => pascal(&set.name),
            title => set.title.as_str(),
            description => set.description.trim(),
        }
    });
    let paragraph = |set: Option<&str>, paragraph: &Paragraph| {
        context! {
            toolset => set.map(pascal),
            text => paragraph.0.trim(),
            tools => variants(manifest, &paragraph.0),
        }
    };
    let instructions = manifest.instructions.iter().map(|own| paragraph(None, own));
    let of_sets = manifest.toolsets.iter().flat_map(|set| {
        let own = set.instructions.iter();
        own.map(|own| paragraph(Some(set.name.as_str()), own))
    });
    let prompts = manifest.prompts.iter().map(|prompt| {
        let arguments = prompt.arguments.0.iter().map(|(name, argument)| {
            context! { name => name.as_str(), description => argument.description.trim() }
        });
        context! {
            name => prompt.name.as_str(),
            title => prompt.title.as_str(),
            description => prompt.description.trim(),
            arguments => arguments.collect::<Vec<_>>(),
            text => prompt.text.trim(),
            tools => variants(manifest, &prompt.text),
        }
    });
    environment.get_template("tools.rs")?.render(context! {
        instructions => instructions.chain(of_sets).collect::<Vec<_>>(),
        toolsets => toolsets.collect::<Vec<_>>(),
        prompts => prompts.collect::<Vec<_>>(),
        resource => context! {
            uri => manifest.resource.uri.as_str(),
            name => manifest.resource.name.as_str(),
            title => manifest.resource.title.as_str(),
            description => manifest.resource.description.trim(),
            mime_type => manifest.resource.mime_type.as_str(),
        },
        types => shared.collect::<Vec<_>>(),
        tools => tools.collect::<Vec<_>>(),
    })
}

/// The variants of the tools that a text names.
fn variants(manifest: &Manifest, text: &str) -> Vec<String> {
    let named = manifest.named(text).into_iter();
    named.map(|tool| pascal(&tool.name)).collect()
}

/// An expression for the tests: what schemars makes of each tool's types. The
/// tests compare that with what is published, and a new tool is among them
/// without their being touched.
pub fn type_schemas_rs(manifest: &Manifest) -> String {
    let rows = manifest.tools.iter().map(|tool| {
        let variant = pascal(&tool.name);
        format!("(Tool::{variant}, schema_for!({variant}Request), schema_for!({variant}Result)),\n")
    });
    format!("[\n{}]\n", rows.collect::<String>())
}

fn structure(owner: &str, description: &str, object: &Object) -> Value {
    let enums = object.properties.0.iter();
    let enums = enums.filter(|(_, property)| !property.values.is_empty());
    let enums = enums.map(|(name, property)| {
        let values = property.values.iter();
        context! {
            name => enum_name(owner, name),
            property => name.as_str(),
            values => values
                .map(|value| context! { name => value.as_str(), variant => pascal(value) })
                .collect::<Vec<_>>(),
        }
    });
    let fields = object.properties.0.iter().map(|(name, property)| {
        let required = object.required.contains(name);
        let field = identifier(&snake(name));
        context! {
            rename => (field.trim_start_matches("r#") != name).then_some(name),
            name => field,
            description => property.description.as_str(),
            optional => !required,
            kind => rust_type(owner, name, property, required),
            limit => limit(property),
        }
    });
    context! {
        name => owner,
        description => description,
        enums => enums.collect::<Vec<_>>(),
        default => object.required.is_empty(),
        fields => fields.collect::<Vec<_>>(),
    }
}

fn rust_type(owner: &str, name: &str, property: &Property, required: bool) -> String {
    let plain = if property.values.is_empty() {
        item_type(&property.kind, property.items.as_ref())
    } else {
        enum_name(owner, name)
    };
    if required {
        plain
    } else {
        format!("Option<{plain}>")
    }
}

fn item_type(kind: &str, items: Option<&Items>) -> String {
    match (kind, items) {
        ("string", _) => "String".to_owned(),
        ("boolean", _) => "bool".to_owned(),
        ("integer", _) => "u64".to_owned(),
        ("array", Some(Items { kind, items })) => {
            format!("Vec<{}>", item_type(kind, items.as_deref()))
        }
        ("array", None) => unreachable!("the manifest's arrays were checked to have items"),
        (shared, _) => shared.to_owned(),
    }
}

/// schemars' words for the limits, so that the types say what the schema says.
fn limit(property: &Property) -> Option<String> {
    match (property.minimum, property.min_items) {
        // A u64 says `minimum: 0` by itself.
        (Some(minimum @ 1..), _) => Some(format!("range(min = {minimum})")),
        (_, Some(length)) => Some(format!("length(min = {length})")),
        _ => None,
    }
}

/// A text as doc comment lines, each with the indent before it.
///
/// rustfmt leaves comments as they are, so the wrapping is done here. What
/// Markdown would take for a list, a heading, a link or a tag is escaped:
/// the text is prose for a model, and rustdoc and clippy would stumble.
fn doc(text: &str, indent: usize) -> String {
    let width = 96 - indent;
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.trim().lines() {
        let mut line = String::new();
        let mut in_code = false;
        for word in paragraph.split_whitespace() {
            let mut word = escape(word, &mut in_code);
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if line.is_empty() {
                word = escape_marker(word);
            } else {
                line.push(' ');
            }
            line.push_str(&word);
        }
        lines.push(line);
    }
    let margin = " ".repeat(indent);
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{margin}/// {line}").trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// Escapes links, tags and emphasis outside `code`. An underscore inside a
/// word is no emphasis.
fn escape(word: &str, in_code: &mut bool) -> String {
    let mut escaped = String::new();
    for (at, letter) in word.char_indices() {
        *in_code ^= letter == '`';
        let at_an_end = at == 0 || at + 1 == word.len();
        let special = matches!(letter, '[' | ']' | '<' | '\\' | '*') || letter == '_' && at_an_end;
        if !*in_code && special {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Escapes what starts a list, a heading, a quotation or a fence at the start
/// of a line.
fn escape_marker(word: String) -> String {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < word.len() && matches!(digits, "." | ")") {
        let number = &word[..word.len() - digits.len()];
        format!("{number}\\{digits}")
    } else if matches!(word.as_str(), "-" | "+")
        || word.starts_with(['#', '>', '=', '|', '~'])
        || word.starts_with("```")
        || word.starts_with("--")
    {
        format!("\\{word}")
    } else {
        word
    }
}
