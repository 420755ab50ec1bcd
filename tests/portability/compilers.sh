#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests every g++ from 12 and clang from 14 on that this Debian has packages of: program, tests and
# benchmarks compile without a warning, and the tests pass. Packages of compilers stay installed; with
# WEFT_SKIP_PACKAGES=1 only installed compilers are tried.
# Usage: compilers.sh [COMPILER...], for example clang++-16
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
unset WEFT_LONG  # no campaigns

compilers=("$@")
if ((!$#)); then
  found=$(apt-cache search --names-only '^(g\+\+|clang)-[0-9]+$' |
    sed -E 's/ - .*//; s/^clang-/clang++-/' | sort -V |
    awk -F- '($1 == "g++" && $2 >= 12) || ($1 == "clang++" && $2 >= 14)')
  for compiler in $found; do
    [[ -n ${WEFT_SKIP_PACKAGES:-} ]] && ! command -v "$compiler" >/dev/null ||
      compilers+=("$compiler")
  done
fi
((${#compilers[@]})) || { echo "there is no compiler to try" >&2; exit 1; }
echo "compilers: ${compilers[*]}"
for compiler in "${compilers[@]}"; do
  ./weft.sh need "${compiler/clang++/clang}" libbenchmark-dev
  folder=build/portability/$compiler
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >"$folder.log"
  cmake --build "$folder" --target all bench >>"$folder.log" ||
    { tail -n 40 "$folder.log" >&2; exit 1; }
  ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" --no-tests=error \
    >>"$folder.log" || { tail -n 60 "$folder.log" >&2; exit 1; }
  echo "$compiler: built and tested"
  rm -rf "$folder"
done
