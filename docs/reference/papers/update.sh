#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the results of a full run behind "## Results" of every paper's page, and its figures into a
# folder beside it; README.md has all last lines. The numbers there are never typed.
# usage: update.sh WEFT [PAPER...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
weft=$1
shift
(($#)) || set -- ibamesh viabarrier rhinet2 gmqos qsnet hardware
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT
for paper in "$@"; do
  "$weft" reproduce "$paper" -o "$run/$paper" | tail -n 1
  {
    sed '/^## Results$/q' "$paper.md"
    printf '\nWritten by `update.sh` from `weft reproduce %s`; no number here is typed.\n\n' "$paper"
    sed "s#](\\([^/)]*\\.svg\\))#]($paper/\\1)#" "$run/$paper/page.md"
  } >"$run/new.md"
  mv "$run/new.md" "$paper.md"
  rm -rf "$paper"
  mkdir "$paper"
  mv "$run/$paper"/*.svg "$paper" 2>/dev/null || rmdir "$paper"
done
{
  printf '# Papers, reproduced: all results\n\n'
  printf 'Written by `update.sh`. What the words mean: [Reproduce a paper](../../guides/reproduce-a-paper.md#what-a-comparison-is-worth).\n\n'
  printf '| paper | last line of `weft reproduce` |\n|---|---|\n'
  for page in [a-z]*.md; do
    printf '| [%s](%s) | %s |\n' "${page%.md}" "$page" "$(sed -n "s/^\`${page%.md}: \(.*\)\`$/\1/p" "$page")"
  done
} >README.md
