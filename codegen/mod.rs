//! Makes the tool contract from `tools.yaml`: the Rust that serves it and the
//! JSON that is published. Compiled into `build.rs` and into the tests; the
//! shipped binary has neither a YAML parser nor a template engine.

mod check;
mod error;
mod example;
mod fault;
pub mod lines;
pub mod manifest;
mod names;
pub mod rust;
pub mod schema;
mod values;

use manifest::Manifest;

/// The generated files, each a name and a text.
///
/// `tools.rs` is included by `src/tools/contract.rs`. For each tool there are what
/// `tools/list` says of it, its two schemas and its example, one JSON text in one
/// line a file, which `tools.rs` includes. `type_schemas.rs` is for the tests.
pub fn generate(manifest: &Manifest) -> Result<Vec<(String, String)>, String> {
    let rust =
        rust::tools_rs(manifest).map_err(|error| format!("codegen/tools.rs.j2: {error:#}"))?;
    let mut files = vec![
        ("tools.rs".to_owned(), rust),
        (
            "type_schemas.rs".to_owned(),
            rust::type_schemas_rs(manifest),
        ),
    ];
    for tool in &manifest.tools {
        let name = &tool.name;
        let input = schema::input_schema(manifest, tool);
        let output = schema::output_schema(manifest, tool);
        let listed = schema::listed(manifest, tool);
        files.push((format!("{name}.json"), listed.to_string()));
        files.push((format!("{name}.input.json"), input.to_string()));
        files.push((format!("{name}.output.json"), output.to_string()));
        files.push((format!("{name}.example.json"), tool.example.to_string()));
    }
    Ok(files)
}
