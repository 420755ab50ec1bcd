#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every g++ from 12 and clang from 14 on that this Debian has packages of: the whole project, without
# a warning, and its tests. Compilers come from packages, which are left installed.
# Usage: compilers.sh [COMPILER...], for example clang++-16
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/portability/root.sh

compilers=("$@")
if ((!$#)); then
  mapfile -t compilers < <(apt-cache search --names-only '^(g\+\+|clang)-[0-9]+$' |
    sed -E 's/ - .*//; s/^clang-/clang++-/' | sort -V |
    awk -F- '($1 == "g++" && $2 >= 12) || ($1 == "clang++" && $2 >= 14)')
fi
echo "compilers: ${compilers[*]}"
for compiler in "${compilers[@]}"; do
  install_packages "${compiler/clang++/clang}"
  folder=build/portability/$compiler
  mkdir -p "$folder"
  cmake -S . -B "$folder" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >"$folder.log"
  cmake --build "$folder" >>"$folder.log" || { tail -n 40 "$folder.log" >&2; exit 1; }
  ctest --test-dir "$folder" --output-on-failure --parallel "$(nproc)" --no-tests=error \
    >>"$folder.log" || { tail -n 60 "$folder.log" >&2; exit 1; }
  echo "$compiler: built and tested"
  rm -rf "$folder"
done
