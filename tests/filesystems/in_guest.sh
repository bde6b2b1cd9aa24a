#!/usr/bin/env bash
# What the guest of guest.sh does, as its first process: in_guest.sh [NAME…]
# Starts the servers of NFS and SMB, runs the checks, and switches itself off.
set -u
binary=/tmp/out/mcp-memory
here=$(cd "$(dirname "$0")" && pwd)
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root

finish() {
  sync
  echo o >/proc/sysrq-trigger
  sleep 60
}
trap finish EXIT

mount -t tmpfs tmpfs /run
mount -t tmpfs -o size=1500m tmpfs /tmp
mkdir -p /tmp/out /tmp/checks /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /tmp/out
exec >/tmp/out/log 2>&1
ip link set lo up
modprobe -a loop nls_cp437 nls_ascii nls_utf8
hostname guest
echo "127.0.0.1 localhost guest" >/etc/hosts

# An overlay cannot be handed out.
mkdir /exports
mount -t tmpfs tmpfs /exports
for name in nfs smb; do
  truncate -s 48M "/tmp/$name.image"
  mkfs.ext4 -q "/tmp/$name.image"
  mkdir -p "/exports/$name"
  mount -o loop "/tmp/$name.image" "/exports/$name"
  chmod 777 "/exports/$name"
done

# NFS. Nobody had state before this start, so there is nothing to wait for.
for user in _rpc statd; do
  grep -q "^$user:" /etc/passwd || echo "$user:x:65534:65534::/nonexistent:/usr/sbin/nologin" >>/etc/passwd
done
mkdir -p /var/lib/nfs/rpc_pipefs /var/lib/nfs/v4recovery /var/lib/nfs/sm /run/rpcbind
modprobe nfsd
mount -t nfsd nfsd /proc/fs/nfsd
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
touch /var/lib/nfs/etab /var/lib/nfs/rmtab
echo "/exports *(ro,fsid=0,no_root_squash,no_subtree_check,insecure)
/exports/nfs *(rw,fsid=1,no_root_squash,no_subtree_check,insecure,nohide)" >/etc/exports
rpcbind
rpc.statd --no-notify
exportfs -ra
rpc.mountd
rpc.nfsd --grace-time 10 --lease-time 10 4
echo Y >/proc/fs/nfsd/v4_end_grace

# SMB.
mkdir -p /run/samba /var/lib/samba/private /var/log/samba /var/cache/samba /etc/samba
cat >/etc/samba/smb.conf <<CONF
[global]
  server role = standalone server
  map to guest = bad user
  interfaces = lo
  bind interfaces only = yes
  load printers = no
  disable spoolss = yes
[smb]
  path = /exports/smb
  guest ok = yes
  force user = root
  read only = no
CONF
smbd -D

if [ $# = 0 ]; then
  set -- nfs4 nfs3 cifs cifs-noserverino 9p 9p-mmap vfat exfat casefold nfs4-slow
fi
# Alone, because they slow down every call on the loopback.
fast=() slow=()
for name in "$@"; do
  case $name in *-slow) slow+=("$name") ;; *) fast+=("$name") ;; esac
done
export MEMORY_GUEST=/tmp/checks
# What there is so far, for those who watch from outside.
while sleep 5; do cat /tmp/checks/mounts.*/*/results >/tmp/out/so-far.tsv 2>/dev/null; done &
[ ${#fast[@]} = 0 ] || JOBS=3 MEMORY_RESULTS=/tmp/fast.tsv "$here/run.sh" --binary "$binary" "${fast[@]}"
[ ${#slow[@]} = 0 ] || JOBS=1 MEMORY_RESULTS=/tmp/slow.tsv "$here/run.sh" --binary "$binary" "${slow[@]}"
dmesg | tail -n 40
cat /tmp/fast.tsv /tmp/slow.tsv >/tmp/out/results.tsv 2>/dev/null
