#!/usr/bin/env bash
# usage: tests/mutants/run.sh [ARGUMENTS OF cargo mutants]
#
# Changes a line of the core (src/graph, src/json, src/store/format), runs the
# tests that know nothing else, and says which changes no test noticed.
# `--re '^src/graph/'` takes one folder, `--shard 0/8` an eighth.
# Needs cargo-mutants: cargo install --locked cargo-mutants
set -euo pipefail
cd "$(dirname "$0")/../.."
core=${CARGO_TARGET_DIR:-target}/mutants
mkdir -p "$core"
core=$(realpath "$core")
rm -rf "$core/src" "$core/tests" "$core/.cargo"
mkdir -p "$core"/src/store "$core"/tests/it/{file,support} "$core/.cargo"
cp -r src/graph src/json "$core/src"
cp -r src/store/format "$core/src/store"
cp tests/it/file/{format,properties,records,repair_properties}.rs "$core/tests/it/file"
cp tests/it/support/cases.rs "$core/tests/it/support"
cp tests/mutants/Cargo.toml "$core"
cp tests/mutants/lib.rs "$core/src/lib.rs"
cp tests/mutants/core.rs "$core/tests/core.rs"
cp tests/mutants/mutants.toml "$core/.cargo"
# The versions that the server is built with.
cp Cargo.lock "$core"
cd "$core"
# Random tests find in few cases what a changed line breaks, or not at all.
export PROPTEST_CASES=${PROPTEST_CASES:-100}
# The copy lies under target/, which git ignores.
exec env -u CARGO_TARGET_DIR cargo mutants --dir "$core" --output "$core" --gitignore=false "$@"
