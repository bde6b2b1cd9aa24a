#!/usr/bin/env bash
# The same checks where another kernel and servers are needed: tests/filesystems/guest.sh [--binary FILE] [NAME…]
#
# Boots Debian's kernel in QEMU (emulated, so that any machine can), and checks
# kernel NFS, SMB (against Samba), 9p, vfat, exfat and a case-insensitive ext4 in
# it. The guest's root is this machine's, read-only over 9p, under what is
# downloaded from Debian into the target folder; nothing is installed here but
# QEMU itself, if it is missing, and the guest has no network but its loopback.
# Takes about ten minutes. Any user may run it who can read the binary.
set -euo pipefail
from=$PWD
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
binary=$target/debug/mcp-memory
names=()
while [ $# -gt 0 ]; do
  case $1 in
    --binary) binary=$(cd "$from" && realpath "$2") && shift ;;
    *) names+=("$1") ;;
  esac
  shift
done
binary=$(realpath "$binary")

place=$target/filesystems/guest
layer=$place/layer
run=$place/run.$$
mkdir -p "$place/packages/partial" "$run/out" "$run/nine"
cp "$binary" "$run/out/mcp-memory"
# What it said is kept, and how far it came.
trap 'cp "$run"/out/{log,console.log,so-far.tsv} "$place/" 2>/dev/null || true; rm -rf "$run"' EXIT
trap 'exit 130' INT TERM

if ! command -v qemu-system-x86_64 >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "skipped: file systems in a guest (qemu-system-x86_64 is not installed)"
    exit 0
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-system-x86
fi

# Whatever of these this machine lacks becomes a layer over its root.
wanted=(linux-image-amd64 nfs-kernel-server rpcbind samba cifs-utils iproute2 kmod e2fsprogs dosfstools exfatprogs)
if [ ! -e "$layer/complete" ]; then
  rm -rf "$layer"
  mkdir -p "$layer/usr/bin" "$layer/usr/sbin" "$layer/usr/lib" "$place/unpacked"
  apt-get install -y -qq --download-only --no-install-recommends \
    -o Debug::NoLocking=1 -o "Dir::Cache::archives=$place/packages" "${wanted[@]}"
  (cd "$place/packages" && apt-get download -qq busybox-static)
  for package in "$place"/packages/*.deb; do
    rm -rf "$place/unpacked"
    dpkg-deb -x "$package" "$place/unpacked"
    # Older packages have /bin, which is a link to /usr/bin today.
    for folder in bin sbin lib lib64; do
      if [ -d "$place/unpacked/$folder" ]; then
        mkdir -p "$layer/usr/$folder"
        cp -a "$place/unpacked/$folder/." "$layer/usr/$folder/"
        rm -r "$place/unpacked/$folder"
      fi
    done
    cp -a "$place/unpacked/." "$layer/"
  done
  rm -rf "$place/unpacked" "$place/packages"
  version=$(basename "$layer"/usr/lib/modules/*)
  depmod=$(command -v depmod || echo "$layer/usr/bin/kmod")
  (exec -a depmod "$depmod" -b "$layer/usr" "$version")
  touch "$layer/complete"
fi
version=$(basename "$layer"/usr/lib/modules/*)

# The first process of the guest: its modules, its root, then in_guest.sh.
initial=$run/initial
mkdir -p "$initial"/{bin,dev,proc,sys,root,layer,over,new}
cp "$layer/usr/bin/busybox" "$initial/bin/"
list=$initial/modules
needed() {
  local path dependency
  path=$(grep -m 1 -E "/$1\.ko(\.xz)?:" "$layer/usr/lib/modules/$version/modules.dep") || return 0
  # The order in which they must be loaded is from the last to the first.
  for dependency in $(printf '%s\n' ${path#*:} | tac) "${path%%:*}"; do
    grep -qx "$(basename "$dependency")" "$list" 2>/dev/null || {
      cp "$layer/usr/lib/modules/$version/$dependency" "$initial/"
      basename "$dependency" >>"$list"
    }
  done
}
for module in virtio_pci 9pnet_virtio 9p overlay; do needed "$module"; done
cat >"$initial/init" <<INIT
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/\$module"; done </modules
set -ex
for name in root layer; do
  mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose \$name /\$name
done
mount -t tmpfs over /over
mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/layer:/root,upperdir=/over/upper,workdir=/over/work root /new
mount --move /dev /new/dev
mount --move /proc /new/proc
mount --move /sys /new/sys
exec switch_root /new /bin/bash "$here/in_guest.sh" ${names[*]-}
INIT
chmod +x "$initial/init"
(cd "$initial" && find . | "$initial/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1) >"$run/initial.gz"

share() { printf -- '-virtfs\nlocal,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s\n' "$1" "$2" "${3-}"; }
mapfile -t shares < <(
  share / root ,readonly=on
  share "$layer" layer ,readonly=on
  share "$run/out" out
  # A client each: a tag can be mounted once.
  for tag in one two three four; do share "$run/nine" "$tag"; done
)
console=$run/out/console.log
status=0
timeout --foreground 1800 qemu-system-x86_64 -accel tcg,thread=multi -smp 2 -m 2048 \
  -kernel "$layer/boot/vmlinuz-$version" -initrd "$run/initial.gz" -append "console=ttyS0 no_timer_check panic=-1" \
  -display none -serial "file:$console" -monitor none -nic none -no-reboot "${shares[@]}" </dev/null || status=$?

if [ ! -s "$run/out/results.tsv" ]; then
  tail -n 30 "$console"
  echo "the guest ended without a result ($status); what it said is in $place/log and $place/console.log" >&2
  exit 1
fi
[ -z "${MEMORY_RESULTS:-}" ] || cp "$run/out/results.tsv" "$MEMORY_RESULTS"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/table.py" "$run/out/results.tsv"
