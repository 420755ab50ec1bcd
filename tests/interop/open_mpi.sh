#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# open_mpi.sh WEFT: Open MPI reads the rules that `weft run --open-mpi` writes, and counts the sizes
# of messages as they do. A release of Open MPI says nothing about its rules, so the test breaks one:
# with an algorithm that does not exist, a collective of just those sizes is refused. Needs the
# Debian packages openmpi-bin and libopenmpi-dev; without them it is left out.
set -euo pipefail
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

weft=$(realpath -e -- "$1")
source=$(realpath -e -- "$(dirname -- "$0")/open_mpi.c")
if ! command -v mpirun.openmpi >/dev/null || ! command -v mpicc.openmpi >/dev/null; then
  printf 'left out: rules for Open MPI; they need openmpi-bin and libopenmpi-dev\n'
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mpicc.openmpi -o collective "$source"

# Programs with much work for each message, so that for few bytes fewer messages are better.
run_weft() {
  "$weft" run --topology crossbar --engine minhop --library ucx:recv=5us,send=5us --hosts 6 \
    --open-mpi rules "$1" >table
}

# expect RULES COLLECTIVE BYTES WORD
expect() {
  local found
  found=$(timeout 60 mpirun.openmpi --oversubscribe -n 6 --mca btl self,vader \
    --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$1" \
    ./collective "$2" "$3" 2>log) || found=failed
  [[ $found == "$4" ]] ||
    { printf 'FAIL  %s of %s bytes: %s instead of %s\n' "$2" "$3" "$found" "$4"; cat "$1" log; exit 1; }
}

# try COLLECTIVE SMALL LARGE: one algorithm for few bytes, the other for many.
try() {
  local bytes=786432
  run_weft "$1:iterations=2,bytes=[24B,${bytes}B],algorithm=[$2,$3]"
  [[ $(grep -c '^[0-9]* [0-9]* 0 ' rules) == 2 ]] ||
    { printf 'FAIL  %s: %s and %s do not win at a size each\n' "$1" "$2" "$3"; cat table; exit 1; }
  sed -E '$ s/^([0-9]+) [0-9]+ /\1 99 /' rules >broken
  expect rules "$1" "$bytes" 'done'
  expect broken "$1" "$bytes" refused
  expect broken "$1" "$((bytes / 2))" 'done'
  printf 'ok    %s: %s, then %s\n' "$1" "$2" "$3"
}

run_weft 'barrier:iterations=2,algorithm=[dissemination,tree]'
sed -E '$ s/^0 [0-9]+ /0 99 /' rules >broken
expect rules barrier 0 'done'
expect broken barrier 0 refused
printf 'ok    barrier\n'
try allgather recursive_doubling linear
try allreduce recursive_doubling ring
try alltoall bruck pairwise
try broadcast binomial scatter_allgather
try gather binomial linear
try reduce binomial rabenseifner
try reduce_scatter halving ring
try scatter binomial linear
