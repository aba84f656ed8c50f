#!/bin/sh
# A bare Debian 12 in a folder, for checks of what a fresh machine would do. Needs root.
#   tools/bare-debian.sh make                    prints the folder
#   tools/bare-debian.sh run FOLDER COMMAND…     in it, with this machine's package sources and proxies
#   tools/bare-debian.sh remove FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu

make_folder() {
  command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
  folder=$(mktemp -d "${TMPDIR:-/tmp}/tenon-debian.XXXXXX")
  chmod 755 "$folder"
  debootstrap --variant=minbase --include=ca-certificates,git bookworm "$folder" >"$folder.log" 2>&1 ||
    { tail -n 5 "$folder.log" >&2; exit 1; }
  rm -f "$folder.log"
  # The package sources, certificates and resolver of this machine: apt then works inside as it does outside.
  for path in /etc/apt /etc/resolv.conf /etc/hosts /etc/ssl/certs /usr/local/share/ca-certificates; do
    [ -e "$path" ] || continue
    mkdir -p "$folder$(dirname "$path")"
    rm -rf "${folder:?}$path"
    cp -aL "$path" "$folder$path"
  done
  echo "$folder"
}

# The mounts belong to a mount namespace of the command and end with it. In a chroot, `/` may be a folder inside a mount, whose
# propagation cannot be changed from there. Therefore FOLDER is mounted over /proc, which is a mount and is made private first:
# no other namespace receives a mount. The sandbox of apt cannot reach every proxy.
run_in() {
  folder=$1
  shift
  set -- env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} ${no_proxy:+"no_proxy=$no_proxy"} "$@"
  # shellcheck disable=SC2016
  unshare --mount --propagation unchanged --pid --fork sh -euc '
    mount --make-rprivate /proc
    mount --bind "$1" /proc
    mount --make-private /proc
    mount -t proc proc /proc/proc
    mount --rbind /dev /proc/dev
    mount --make-rprivate /proc/dev
    shift
    exec chroot /proc "$@"' sh "$folder" "$@"
}

case "${1:-}" in
  make) make_folder ;;
  run) shift; run_in "$@" ;;
  remove) rm -rf --one-file-system "${2:?}" ;;
  *) sed -n '2,5p' "$0" >&2; exit 2 ;;
esac
