#!/usr/bin/env bash
# Real clients against the built server: tests/clients/run.sh [BINARY]
#
# Each client plays script.json: list, all nine tools, the resource, an
# update, close. Installs into the target folder, and only when the pins have
# changed. Wants Node 20 or later, npm, Python 3.11 or later with venv, cargo.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
binary=$(realpath "${1:-$target/debug/mcp-memory}")
place=$target/clients
node22=$(tests/node22/install.sh) # for the Inspector

# The clients run from a copy, so that nothing is installed beside the sources.
mkdir -p "$place"
cp -R tests/clients/. "$place/"
cd "$place"

# installed STAMP PINS: whether this very list of pins was installed.
installed() { [ -f "$1" ] && cmp -s "$1" "$2"; }

for name in typescript-v1 typescript-v2 inspector; do
  if ! installed "$name/node_modules/.pins" "$name/package-lock.json"; then
    (cd "$name" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$name/package-lock.json" "$name/node_modules/.pins"
  fi
  if [ "$name" = inspector ]; then
    "$node22" "$name/client.mjs" "$binary"
  else
    node "$name/client.mjs" "$binary"
  fi
done

for major in 1 2; do
  if ! installed "python/env-$major/.pins" "python/requirements-$major.txt"; then
    python3 -m venv --clear "python/env-$major"
    "python/env-$major/bin/pip" install --quiet --disable-pip-version-check --requirement "python/requirements-$major.txt"
    cp "python/requirements-$major.txt" "python/env-$major/.pins"
  fi
  "python/env-$major/bin/python" "python/client_$major.py" "$binary"
done

# A target folder of its own: its features are not those of the server.
cargo run --quiet --locked --manifest-path rmcp/Cargo.toml --target-dir "$place/rmcp/target" -- "$binary"
