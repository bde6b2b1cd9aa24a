//! Generates the tool contract from `tools.yaml`; `codegen` knows how.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::{env, fs, process};

#[path = "codegen/mod.rs"]
mod codegen;

fn main() {
    println!("cargo::rerun-if-changed=tools.yaml");
    println!("cargo::rerun-if-changed=codegen");
    if let Err(message) = run() {
        eprintln!("{message}");
        process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let text = fs::read_to_string("tools.yaml").map_err(|error| format!("tools.yaml: {error}"))?;
    let manifest = codegen::manifest::Manifest::parse(&text).map_err(|error| error.to_string())?;
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for (name, text) in codegen::generate(&manifest)? {
        let path = Path::new(&out).join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
