#!/usr/bin/env bash
# Counts the instructions of load, save and search at 10,000 entities and
# compares them with benches/instructions.json. Instructions do not depend on
# what else the machine does, so a change of a few per cent shows. Prints what
# changed by more than 5 %, and fails on nothing but a broken run.
#
#   benches/instructions.sh            compare
#   benches/instructions.sh --accept   write the figures of now
set -euo pipefail
cd "$(dirname "$0")/.."

entities=10000
recorded=benches/instructions.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo bench --bench instructions --no-run --message-format=json 2>"$work/log" >"$work/build" ||
  { cat "$work/log" >&2; exit 1; }
program=$(grep -o '"executable":"[^"]*/instructions-[^"]*"' "$work/build" | tail -1 | cut -d'"' -f4)
"$program" generate "$work/graph.jsonl" "$entities"

count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$work/graph.jsonl" 2>&1 |
    awk '/Collected/ { print $NF }'
}
read=$(count read)
load=$(count load)
save=$(count save)
search=$(count search)
now=$(printf '{\n  "entities": %d,\n  "load": %d,\n  "save": %d,\n  "search": %d\n}' \
  "$entities" $((load - read)) $((save - load)) $((search - load)))

if [ "${1:-}" = --accept ]; then
  printf '%s\n' "$now" >"$recorded"
fi
figure() { printf '%s\n' "$1" | awk -F'[:,]' -v key="\"$2\"" '$1 ~ key { print $2 + 0 }'; }
for step in load save search; do
  awk -v step="$step" -v now="$(figure "$now" $step)" -v then="$(figure "$(cat "$recorded")" $step)" 'BEGIN {
    change = (now - then) * 100 / then
    note = change > 5 || change < -5 ? "  <- changed" : ""
    printf "%-7s %12d instructions, recorded %12d, %+.1f %%%s\n", step, now, then, change, note
  }'
done
