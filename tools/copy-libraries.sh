#!/bin/sh
# Copies the shared libraries of a binary, and its dynamic linker, into a root folder, each at the path where the dynamic
# linker looks for it: tools/copy-libraries.sh BINARY ROOT
# SPDX-License-Identifier: Apache-2.0
set -eu
binary=$1
root=$2
listed=$(ldd "$binary")
case $listed in *"not found"*) echo "$binary: a library is missing: $listed" >&2; exit 1 ;; esac
# ldd prints "name => path (address)", and the dynamic linker as "path (address)".
printf '%s\n' "$listed" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u |
  while read -r path; do
    # Libraries of alternatives are in folders of their own, which only a linker cache names.
    case $path in
      /lib64/* | /lib/ld-*) target=$path ;;
      *) target=/usr/lib/$(basename "$path") ;;
    esac
    mkdir -p "$root$(dirname "$target")"
    cp -L "$path" "$root$target"
  done
