#!/bin/sh
# ./run image: the steps of the Dockerfile without a container engine, in a bare Debian folder (debootstrap).
#   tools/image.sh [--here [BUILD]]    --here: with this machine's packages instead of a bare Debian's, in build folder BUILD
# Leaves the image's root folder in build/image-root and prints its size. Needs root, except with --here.
# It executes the RUN lines of the Dockerfile themselves, so that the two cannot differ.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/image-root
rm -rf "$out"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

if [ "${1:-}" = --here ]; then
  tools/install.sh image
  tools/image-root.sh "$out" "${2:-build/image}"
else
  echo "making a bare Debian, which takes a minute or more" >&2
  debian=$(tools/bare-debian.sh make)
  trap 'tools/bare-debian.sh remove "$debian"' EXIT
  git clone -q . "$debian/tenon"
  steps=$(sed -n 's/^RUN //p' Dockerfile)
  tools/bare-debian.sh run "$debian" sh -euc "cd /tenon; export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH; $steps"
  mkdir -p build
  mv "$debian/root-folder" "$out"
fi
size=$(du -sb "$out" | cut -f1)
tenths=$((size * 10 / 1048576))
echo "$out: $size bytes, $((tenths / 10)).$((tenths % 10)) MiB, $(find "$out" -type f | wc -l) files"
[ "$size" -lt $((40 * 1048576)) ] || { echo "the image is larger than 40 MiB" >&2; exit 1; }
tests/package/empty-root "$out"
