# The file systems that run.sh checks, a function each. A function is called in
# a subshell, in an empty directory $place, with Debian's programs in the path.
# It mounts, and sets
#   mnt   the directory to check, on the file system in question
#   view  the same directory as a second client sees it, if there is one
#   back  the same directory below the mount, where the same names are seen
#   without  a check that cannot be made there
#   slow  yes, where calls take long enough to be hit by a kill
# or it calls `skip`. Everything that `mounted` was told is taken down at the
# end, whatever happened.

skip() {
  printf '%s\n' "$*" >"$place/skipped"
  exit 0
}

loops=()
taken_down=()
mounted() { taken_down=("$1" "${taken_down[@]}"); }

take_down() {
  local path
  for path in "${taken_down[@]}"; do
    # A file system that a dying program still holds is busy for a moment.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      umount "$path" 2>/dev/null || fusermount -u "$path" 2>/dev/null || { sleep 0.3 && false; } && break
    done
    ! mountpoint -q "$path" || umount -l "$path"
  done
  for path in "${loops[@]}"; do losetup -d "$path"; done
}

needs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || [ -x "/usr/lib/openssh/$program" ] || skip "$program is not installed"
  done
}

# kernel TYPE: whether this kernel knows it.
kernel() {
  grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null || skip "this kernel has no $1"
}

image() {
  truncate -s "$1" "$place/image"
}

# loop TYPE [OPTIONS]: mounts the image.
loop() {
  mnt=$place/mnt
  mkdir -p "$mnt"
  mount -t "$1" -o "loop${2:+,$2}" "$place/image" "$mnt" || skip "no loop device can be mounted here: $(tail -n 1 "$place/errors")"
  mounted "$mnt"
}

# A small file system for what has none of its own.
below() {
  needs mkfs.ext4
  truncate -s 48M "$place/below.image"
  mkfs.ext4 -q "$place/below.image"
  mkdir -p "$place/below"
  mount -o loop "$place/below.image" "$place/below" || skip "no loop device can be mounted here"
  mounted "$place/below"
  back=$place/below/files
  mnt=$place/mnt
  mkdir "$back" "$mnt"
}

# through COMMAND…: runs it, and waits until $mnt (or $at) is mounted.
through() {
  [ -w /dev/fuse ] || skip "no /dev/fuse"
  local at=${at:-$mnt}
  # A daemon must not keep what waits for our output waiting.
  "$@" </dev/null >"$place/daemon.log" 2>&1 || skip "$1 does not mount: $(tail -n 1 "$place/daemon.log")"
  for _ in $(seq 100); do
    if mountpoint -q "$at"; then
      mounted "$at"
      return
    fi
    sleep 0.1
  done
  skip "$1 does not mount: $(tail -n 1 "$place/daemon.log")"
}

mount_ext4() { needs mkfs.ext4 && image 48M && mkfs.ext4 -q "$place/image" && loop ext4 && back=$mnt; }
mount_ext2() { needs mkfs.ext2 && image 48M && mkfs.ext2 -q -I 128 "$place/image" && loop ext2 && back=$mnt; }
mount_xfs() { needs mkfs.xfs && kernel xfs && image 300M && mkfs.xfs -q "$place/image" && loop xfs && back=$mnt; }
mount_btrfs() { needs mkfs.btrfs && kernel btrfs && image 160M && mkfs.btrfs -q "$place/image" && loop btrfs && back=$mnt; }
mount_vfat() { needs mkfs.vfat && kernel vfat && image 48M && mkfs.vfat "$place/image" >&2 && loop vfat && back=$mnt; }
mount_exfat() { needs mkfs.exfat && kernel exfat && image 48M && mkfs.exfat "$place/image" >&2 && loop exfat && back=$mnt; }

mount_casefold() {
  needs mkfs.ext4 chattr
  [ -e /sys/fs/ext4/features/casefold ] || skip "this kernel's ext4 has no casefold"
  image 48M
  mkfs.ext4 -q -O casefold "$place/image"
  loop ext4
  mnt=$mnt/files
  mkdir "$mnt"
  chattr +F "$mnt"
  back=$mnt
}

mount_tmpfs() {
  mnt=$place/mnt
  mkdir "$mnt"
  mount -t tmpfs -o size=32m tmpfs "$mnt" || skip "nothing can be mounted here"
  mounted "$mnt"
  back=$mnt
}

mount_overlay() {
  below
  mkdir "$back/lower" "$back/upper" "$back/work"
  mount -t overlay -o "lowerdir=$back/lower,upperdir=$back/upper,workdir=$back/work" overlay "$mnt" ||
    skip "no overlay can be mounted here"
  mounted "$mnt"
  back=$back/upper
}

mount_exfat-fuse() {
  needs mkfs.exfat mount.exfat-fuse losetup
  image 48M
  mkfs.exfat "$place/image" >&2
  mnt=$place/mnt
  mkdir "$mnt"
  local device
  device=$(losetup -f --show "$place/image") || skip "no loop device here"
  loops+=("$device")
  through mount.exfat-fuse "$device" "$mnt"
}

mount_ntfs-3g() {
  needs mkntfs ntfs-3g
  image 48M
  mkntfs -Q -F -q "$place/image" >/dev/null 2>&1
  mnt=$place/mnt
  mkdir "$mnt"
  through ntfs-3g "$place/image" "$mnt"
}

mount_bindfs() { needs bindfs && below && through bindfs "$back" "$mnt" && view=$back; }

# minfreespace: it refuses to create files on a disk with less than 4 GB free.
mount_mergerfs() { needs mergerfs && below && through mergerfs -o minfreespace=0 "$back" "$mnt" && view=$back; }
mount_mergerfs-use_ino() {
  needs mergerfs && below && through mergerfs -o minfreespace=0,use_ino "$back" "$mnt" && view=$back
}
mount_unionfs-fuse() { needs unionfs && below && through unionfs "$back=RW" "$mnt" && view=$back; }

mount_fuse-overlayfs() {
  needs fuse-overlayfs
  below
  mkdir "$back/lower" "$back/upper" "$back/work"
  through fuse-overlayfs -o "lowerdir=$back/lower,upperdir=$back/upper,workdir=$back/work" "$mnt"
  back=$back/upper
}

mount_gocryptfs() {
  needs gocryptfs
  below
  echo secret >"$place/secret"
  gocryptfs -q -init -scryptn 10 -passfile "$place/secret" "$back"
  through gocryptfs -q -passfile "$place/secret" "$back" "$mnt"
  back= # names are enciphered
}

mount_encfs() {
  needs encfs
  below
  through encfs --standard --extpass="echo secret" "$back" "$mnt"
  back=
}

mount_cryfs() {
  needs cryfs
  below
  echo secret >"$place/secret"
  enciphered() { CRYFS_FRONTEND=noninteractive CRYFS_NO_UPDATE_CHECK=true cryfs "$back" "$mnt" <"$place/secret"; }
  HOME=$place through enciphered
  back=
  without=full # it hangs or ends
}

mount_rclone() {
  needs rclone
  below
  # Debian's package wants the program's configuration to be a file.
  : >"$place/rclone.conf"
  HOME=$place through rclone mount --config "$place/rclone.conf" --cache-dir "$place/cache" \
    --vfs-cache-mode writes --daemon "$back" "$mnt"
}

# The file transfer of ssh, without ssh and without a network.
ssh_mount() {
  printf '#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n' >"$place/ssh"
  chmod +x "$place/ssh"
  at=$1
  mkdir -p "$at"
  through sshfs -o "ssh_command=$place/ssh${2:+,$2}" "server:$back" "$at"
}

two_ssh_mounts() {
  needs sshfs sftp-server
  below
  ssh_mount "$place/second" "$@"
  view=$at
  ssh_mount "$place/mnt" "$@"
}
mount_sshfs() { two_ssh_mounts; }
mount_sshfs-disable_hardlink() { two_ssh_mounts disable_hardlink; }

# What follows needs servers, and runs in the guest only (guest.sh).
in_guest() { [ -n "${MEMORY_GUEST:-}" ] || skip "runs in the guest: tests/filesystems/guest.sh"; }

two_mounts() {
  mnt=$place/mnt
  view=$place/second
  mkdir -p "$mnt" "$view"
  local path
  for path in "$mnt" "$view"; do
    # A server that an emulated machine has to start first may be too slow once.
    for _ in 1 2 3 4 5; do mount -t "$@" "$path" && break; done
    mountpoint -q "$path" || skip "mount -t $* failed: $(tail -n 1 "$place/errors")"
    mounted "$path"
  done
}

# A loop mount that the server in the guest hands out.
export_dir() {
  back=/exports/$1
  [ -d "$back" ] || skip "the guest serves no $1"
}

mount_nfs4() { in_guest && export_dir nfs && two_mounts nfs -o vers=4.2,nosharecache,soft,timeo=600 localhost:/nfs; }
mount_nfs3() { in_guest && export_dir nfs && two_mounts nfs -o vers=3,nosharecache,soft,timeo=600 localhost:/exports/nfs; }

# A kill in the middle of a rename can be aimed at where calls take a while.
mount_nfs4-slow() {
  mount_nfs4
  view=
  slow=yes
  tc qdisc add dev lo root netem delay 25ms || skip "calls cannot be slowed down"
}

mount_cifs() {
  in_guest && export_dir smb
  two_mounts cifs -o vers=3.1.1,guest,nosharesock,cache=strict //localhost/smb
}
mount_cifs-noserverino() {
  in_guest && export_dir smb
  two_mounts cifs -o vers=3.1.1,guest,nosharesock,noserverino //localhost/smb
}

nine() {
  in_guest
  mnt=$place/mnt
  view=$place/second
  mkdir -p "$mnt" "$view"
  mount -t 9p -o "trans=virtio,version=9p2000.L,msize=262144$3" "$1" "$mnt" || skip "no 9p here"
  mounted "$mnt"
  mount -t 9p -o "trans=virtio,version=9p2000.L,msize=262144$3" "$2" "$view" || skip "no 9p here"
  mounted "$view"
}
mount_9p() { nine one two ""; }
mount_9p-mmap() { nine three four ",cache=mmap"; }
