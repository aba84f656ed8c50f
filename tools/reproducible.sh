#!/bin/sh
# ./run reproducible: builds the committed tree twice, in two folders, under other names, times, time zones, locales and
# umasks and without ccache, and compares the hashes of the binary and of the Debian package.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
tools/install.sh package
work=$PWD/build/reproducible
rm -rf "$work"
mkdir -p "$work"
commit=$(git rev-parse HEAD)   # a later one may come between the builds
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1

# build_in FOLDER: the hashes are those of the files without the folder's name.
build_in() {
  git clone -q . "$1"
  git -C "$1" -c advice.detachedHead=false checkout -q "$commit"
  (cd "$1" && ./run package >build.log 2>&1) || { tail -n 20 "$1/build.log" >&2; exit 1; }
  (cd "$1/build" && sha256sum release/tenon package/*.deb)
}

(umask 022; TZ=UTC LC_ALL=C.UTF-8 build_in "$work/a") >"$work/first"
(umask 027; TZ=Asia/Tokyo LC_ALL=C build_in "$work/another-folder/of/another-length") >"$work/second"
cat "$work/first"
if ! diff "$work/first" "$work/second"; then
  echo "two builds of $commit differ" >&2
  exit 1
fi
echo "two builds of $commit are equal"
