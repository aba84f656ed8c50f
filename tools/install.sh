#!/bin/sh
# Installs the packages for building Tenon, from Debian only. Does nothing if all are installed.
#   tools/install.sh [build|package|image|test|bench|peers|lint]
#                                                    build: the compiler and libraries; test, bench: also their packages;
#                                                    peers: also the tools that fetch and start the peers
set -eu
build="g++ cmake ninja-build ccache mold pkg-config ca-certificates git
  libcurl4-openssl-dev libssl-dev zlib1g-dev libboost1.81-dev libyaml-dev libpugixml-dev libspdlog-dev libfmt-dev
  libcli11-dev libexpected-dev libtomlplusplus-dev libcctz-dev tzdata libre2-dev
  coinor-libclp-dev"
test="libgtest-dev libgmock-dev librapidcheck-dev libjemalloc-dev python3 procps curl zsh fish groff-base"
bench="libgfortran-12-dev"
peers="openssl"
command -v go >/dev/null || [ -x /usr/local/go/bin/go ] || peers="$peers golang-go"
makes_venvs() {
  command -v python3 >/dev/null &&
    python3 -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("ensurepip") and u.find_spec("venv")))'
}
makes_venvs || peers="$peers python3-venv"
package="dpkg-dev file python3"
image="libgfortran-12-dev python3"
lint="clang-19 clang-format-19 clang-tidy-19"
case "${1:-build}" in
  build) wanted=$build ;;
  package) wanted="$build $package" ;;
  image) wanted="$build $image" ;;
  test) wanted="$build $test" ;;
  bench) wanted="$build $test $bench" ;;
  peers) wanted="$build $test $peers" ;;
  lint) wanted="$build $test $lint" ;;
  *) echo "usage: tools/install.sh [build|package|image|test|bench|peers|lint]" >&2; exit 2 ;;
esac

missing=""
for package in $wanted; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "run as root, or install sudo: these Debian packages are missing:$missing" >&2; exit 1; }
  as_root=sudo
fi
echo "installing from Debian:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
