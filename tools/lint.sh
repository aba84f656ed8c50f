#!/bin/sh
# Formatting (clang-format 19) and clang-tidy 19 over src/; --fix rewrites the formatting.
set -eu
cd "$(dirname "$0")/.."
files=$(git ls-files 'src/*.cc' 'src/*.h' 'fuzz/*.cc' 'tests/*.cc' 'bench/*.cc')
if [ "${1:-}" = --fix ]; then
  # shellcheck disable=SC2086
  clang-format-19 -i $files
  exit 0
fi
# shellcheck disable=SC2086
clang-format-19 --dry-run -Werror $files
cmake --preset debug >/dev/null
# shellcheck disable=SC2086
clang-tidy-19 -p build/debug --quiet $(git ls-files 'src/*.cc' | grep -v _test.cc)
