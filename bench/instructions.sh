#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts what a flit-hop of bench/flits.cpp costs: instructions, cache misses and mispredicted
# branches, in the processor that Valgrind models. Unlike times, they do not depend on what else a
# machine does, and no machine forbids to count them.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'END'
usage: bench/instructions.sh [ROW...]
  ROW       only rows of build/release/benchmarks/flits whose name contains this text; all rows:
            half an hour
       bench/instructions.sh --help    this text
Needs valgrind and the benchmarks (./weft.sh bench builds them). Prints for each row, per flit-hop:
instructions, data accesses that miss a first-level cache of 64 KiB, those that miss a second-level
one of 1 MiB, and branches that Valgrind's simple predictor guesses wrong. Only the measured half of
a run counts, with traffic and measurement, without making the network.

example: bench/instructions.sh 'torus 8x8, 1 flit' dragonfly
END
}

# wrong MESSAGE: the command line is wrong.
wrong() {
  printf 'instructions.sh: %s; see bench/instructions.sh --help\n' "$*" >&2
  exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
flits=$root/build/release/benchmarks/flits

# wanted NAME ROW...: whether a row is one of those asked for.
wanted() {
  local name=$1 row
  shift
  (($# == 0)) && return 0
  for row in "$@"; do
    [[ $name == *"$row"* ]] && return 0
  done
  return 1
}

# number KEY: its value in the benchmark's report, from standard input.
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),\{0,1\}$/\1/p" | head -n 1; }

# count_row NAME: prints its line.
count_row() {
  local report
  report=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --cache-sim=yes \
    --branch-sim=yes --D1=65536,4,64 --I1=65536,4,64 --LL=1048576,16,64 \
    --toggle-collect='*WarmNetwork::run*' "$flits" --benchmark_min_time=0 \
    --benchmark_format=json --benchmark_filter="^$1\$" 2>&1) || {
    printf 'instructions.sh: %s failed:\n%s\n' "$flits" "$report" >&2
    return 1
  }
  local hops milliseconds times
  hops=$(number hops <<<"$report")
  milliseconds=$(number cpu_time <<<"$report")
  times=$(number iterations <<<"$report")
  # Instructions; reads, writes; their misses of the first level; of the last; branches, wrong ones.
  sed -n 's/^.*Collected : //p' <<<"$report" |
    awk -v name="$1" -v hops="$hops" -v time="$milliseconds" -v times="$times" '{
      all = hops * time * times / 1000
      printf "%-42s %8.0f %8.2f %8.3f %8.2f\n", name, $1 / all, ($5 + $6) / all, ($8 + $9) / all,
             ($11 + $13) / all }'
}

main() {
  [[ ${1-} == --help ]] && { usage; exit; }
  [[ ${1-} == -* ]] && wrong "there is no option $1"
  command -v valgrind >/dev/null || wrong 'valgrind is not installed'
  [[ -x $flits ]] || wrong "there is no $flits: ./weft.sh bench builds it"
  local rows=() name
  while IFS= read -r name; do
    wanted "$name" "$@" && rows+=("$name")
  done < <("$flits" --benchmark_list_tests)
  ((${#rows[@]} > 0)) || wrong "no row's name contains \"$*\""
  printf '%-42s %8s %8s %8s %8s\n' 'per flit-hop' instr. L1 L2 wrong
  for name in "${rows[@]}"; do count_row "$name"; done
}

main "$@"
