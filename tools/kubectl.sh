#!/bin/sh
# Puts Debian's own kubectl (package kubernetes-client, 1.20) at build/tools/kubectl for the tests, without installing
# it: another kubectl may be on this machine already.
set -eu
cd "$(dirname "$0")/.."
out=build/tools
[ -x "$out/kubectl" ] && exit 0
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
(cd "$work" && apt-get download -qq kubernetes-client >/dev/null 2>&1) ||
  { apt-get update -qq && (cd "$work" && apt-get download -qq kubernetes-client >/dev/null 2>&1); } ||
  { echo "cannot download Debian's package kubernetes-client" >&2; exit 1; }
dpkg -x "$work"/kubernetes-client_*.deb "$work/x"
cp "$work/x/usr/bin/kubectl" "$out/kubectl"
