#!/usr/bin/env bash
# Installs the reference server and prints its entry point.
#
#   MCP_MEMORY_REFERENCE=$(tests/reference/install.sh) cargo test --test it reference:: -- --include-ignored
#
# Installs into the target folder, and only when the pin has changed. Wants
# Node 20 or later and npm.
set -euo pipefail
cd "$(dirname "$0")"

place=$(realpath -m "${CARGO_TARGET_DIR:-../../target}")/reference
entry=$place/node_modules/@modelcontextprotocol/server-memory/dist/index.js

mkdir -p "$place"
if ! [ -f "$entry" ] || ! cmp -s package-lock.json "$place/node_modules/.pins"; then
  cp package.json package-lock.json .npmrc "$place/"
  (cd "$place" && npm ci --ignore-scripts --loglevel=error) >&2
  cp package-lock.json "$place/node_modules/.pins"
fi
echo "$entry"
