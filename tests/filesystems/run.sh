#!/usr/bin/env bash
# The built server on real file systems: tests/filesystems/run.sh [--quick] [--binary FILE] [NAME…]
#
# Mounts what this machine lets it mount (as root, with loop devices and
# /dev/fuse), plays clients there (checks.py), and prints a table. What cannot be
# mounted is skipped with a line. Fails on what expected.tsv does not name, and
# on what it names and holds. --quick takes some of the file systems, and less of
# each. rclone is checked only when named: what fails there changes from run to
# run. Everything it makes lies under the target folder and is gone at the end.
set -euo pipefail
from=$PWD
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
binary=$target/debug/mcp-memory
rounds=15
only=
all=(ext4 ext2 xfs btrfs tmpfs overlay vfat exfat casefold exfat-fuse ntfs-3g bindfs mergerfs mergerfs-use_ino
  unionfs-fuse fuse-overlayfs gocryptfs encfs cryfs sshfs sshfs-disable_hardlink)
quick=(ext4 tmpfs vfat bindfs ntfs-3g sshfs)
names=("${all[@]}")
while [ $# -gt 0 ]; do
  case $1 in
    --quick) names=("${quick[@]}") rounds=8 ;;
    --binary) binary=$(cd "$from" && realpath "$2") && shift ;;
    --only) only=$2 && shift ;;
    --rounds) rounds=$2 && shift ;;
    -*) sed -n '2s/^# //p' "$0" >&2 && exit 2 ;;
    *) names=("$@") && break ;;
  esac
  shift
done
binary=$(realpath "$binary")

if [ "$(id -u)" != 0 ]; then
  echo "skipped: file systems (only root can mount them)"
  exit 0
fi

place=${MEMORY_GUEST:-$target/filesystems}/mounts.$$
results=$place/results.tsv
mkdir -p "$place"
# Each check takes its own mounts down.
trap 'kill $(jobs -rp) 2>/dev/null || true; wait; rm -rf --one-file-system "$place"' EXIT
trap 'exit 130' INT TERM

# shellcheck source=mounts.sh
. "$here/mounts.sh"

# check NAME: mounts it, checks it, and takes it down. Always in the background,
# for its traps are its own.
check() {
  checks=
  trap take_down EXIT
  trap 'kill $checks; wait; exit 143' TERM
  name=$1 place=$place/$1
  mnt='' view='' back='' slow='' without=''
  mkdir -p "$place"
  set +e
  if ! declare -F "mount_$name" >/dev/null; then
    skip "unknown: the names are ${all[*]}"
  fi
  "mount_$name" >"$place/errors" 2>&1 || skip "cannot be set up: $(tail -n 1 "$place/errors")"
  [ -d "$mnt" ] || skip "cannot be set up"
  PYTHONDONTWRITEBYTECODE=1 timeout 1200 python3 "$here/checks.py" "$binary" "$mnt" --name "$name" --rounds "$rounds" \
    ${view:+--view "$view"} ${back:+--back "$back"} ${slow:+--slow} ${without:+--without "$without"} ${only:+--only "$only"} >"$place/results" &
  checks=$!
  wait "$checks" || printf '%s\tall\tFAIL\tthe checks did not end\t\n' "$name" >>"$place/results"
}

# Most of the time is waiting: several at once.
for name in "${names[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-4}" ]; do wait -n || true; done
  check "$name" &
done
wait

for name in "${names[@]}"; do
  if [ -e "$place/$name/skipped" ]; then
    printf '%s\tall\tskipped\t%s\t\n' "$name" "$(cat "$place/$name/skipped")"
  fi
  [ ! -e "$place/$name/results" ] || cat "$place/$name/results"
done >"$results"
[ -z "${MEMORY_RESULTS:-}" ] || cp "$results" "$MEMORY_RESULTS"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/table.py" "$results"
