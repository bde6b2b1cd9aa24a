#!/usr/bin/env bash
# The official conformance suite against the built server, in both eras:
# tests/conformance/run.sh [BINARY]
#
# The suite speaks HTTP only, so bridge.mjs stands between. What fails has to
# be in expected-ERA.yml, with its reason, and what is there has to fail.
# Installs into the target folder, and only when the pin has changed.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
binary=$(realpath "${1:-$target/debug/mcp-memory}")
node=$(tests/node22/install.sh)
place=$target/conformance

mkdir -p "$place"
cp -R tests/conformance/. "$place/"
cd "$place"
if ! cmp -s package-lock.json node_modules/.pins; then
  npm ci --ignore-scripts --loglevel=error
  cp package-lock.json node_modules/.pins
fi
suite=node_modules/@modelcontextprotocol/conformance
version=$("$node" -p "require('./$suite/package.json').version")

bridge=
trap '[ -z "$bridge" ] || kill "$bridge" 2>/dev/null || true' EXIT

for era in 2025-11-25 2026-07-28; do
  # A server of its own for each era: 2026-07-28 alone has to work too.
  rm -rf "memory-$era" && mkdir "memory-$era"
  mkfifo "memory-$era/address"
  MEMORY_FILE_PATH=$place/memory-$era/memory.jsonl "$node" bridge.mjs "$binary" >"memory-$era/address" 2>"memory-$era/stderr" &
  bridge=$!
  read -r address <"memory-$era/address"
  if ! "$node" "$suite/dist/index.js" server --url "$address" --suite all --spec-version "$era" \
    --expected-failures "expected-$era.yml" >"memory-$era/report" 2>&1; then
    cat "memory-$era/report" >&2
    exit 1
  fi
  kill "$bridge"
  wait "$bridge" || true
  bridge=
  total=$(grep '^Total:' "memory-$era/report")
  echo "ok conformance $version ($era), ${total#Total: }, each failure expected"
done
