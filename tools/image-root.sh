#!/bin/sh
# Builds Tenon and puts what the image consists of into a folder: the binary, its shared libraries, the CA bundle.
#   tools/image-root.sh FOLDER [BUILD]    FOLDER must not exist; BUILD: the build folder, build/image by default
# Set SOURCE_DATE_EPOCH for a date in `tenon version -o json`.
# The libraries that Debian has as archives are in the binary (TENON_STATIC); the others are copied to where the
# dynamic linker finds them without a cache. See docs/decisions/0046-the-image-has-shared-libraries.md.
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
root=$1
build=${2:-build/image}
[ ! -e "$root" ] || { echo "tools/image-root.sh: $root exists already" >&2; exit 1; }
cmake --preset release -B "$build" -DTENON_TESTS=OFF -DTENON_STATIC=ON >/dev/null
nice ninja -C "$build" tenon >&2
mkdir -p "$root/usr/bin" "$root/etc/ssl/certs" "$root/tmp"
chmod 1777 "$root/tmp"
strip -o "$root/usr/bin/tenon" "$build/tenon"
chmod 755 "$root/usr/bin/tenon"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
tools/copy-libraries.sh "$build/tenon" "$root"
mkdir -p "$root/usr/share/doc/tenon"
tools/sbom.py "$build/tenon" --static --data ca-certificates >"$root/usr/share/doc/tenon/tenon.spdx.json"
