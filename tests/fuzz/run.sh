#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs one fuzzer for a short while on a copy of its corpus, so that the source tree stays clean. With
# WEFT_LONG=1 it searches for WEFT_FUZZ_SECONDS (600) of processor time, from fresh seeds; libFuzzer
# itself only knows the time on the clock, so it is started again for what is left.
# Usage: run.sh FUZZER CORPUS (may be missing) SCRATCH
set -euo pipefail
fuzzer=$1 corpus=$2 scratch=$3
limits=(-max_total_time=3 -seed=1)
wanted=0
if [[ ${WEFT_LONG:-} == 1 ]]; then
  wanted=${WEFT_FUZZ_SECONDS:-600}
fi

rm -rf "$scratch"
mkdir -p "$scratch/corpus"
[[ ! -d $corpus ]] || cp -r "$corpus/." "$scratch/corpus"

# libFuzzer itself looks for leaks, after inputs that free less than they take. The look at the end
# takes three seconds on aarch64, whose allocator has as many regions as there are addresses.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}leak_check_at_exit=0

# Inputs that took too long on the clock are tried again, with a limit of processor time: on a busy
# machine anything may take long.
only_waited() {
  local input
  for input in "$scratch"/timeout-*; do
    (ulimit -S -t 20 && "$fuzzer" "$input") >>"$scratch/log" 2>&1 || return 1
    rm "$input"
  done
}

inputs=0 seconds=0
for ((turn = 1; turn == 1 || (turn <= 50 && seconds < wanted); ++turn)); do
  ((wanted == 0)) || limits=("-max_total_time=$((wanted - seconds))")
  status=0
  "$fuzzer" "${limits[@]}" -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
    "-artifact_prefix=$scratch/" "$scratch/corpus" >"$scratch/log" 2>&1 || status=$?
  if ((status != 0)) && ! { ((status == 70)) && only_waited; }; then
    tail -n 60 "$scratch/log"
    echo "fuzzer failed ($status); the input is kept in $scratch"
    exit 1
  fi
  inputs=$((inputs + $(awk '/^stat::number_of_executed_units:/ { print $2 }' "$scratch/log")))
  times >"$scratch/times"  # the second line: user and system time of what has been run
  seconds=$(awk 'NR == 2 { split($1, user, /[ms]/); split($2, kernel, /[ms]/)
                           print int(60 * (user[1] + kernel[1]) + user[2] + kernel[2]) }' \
    "$scratch/times")
done
kept=$(find "$scratch/corpus" -type f | wc -l)
echo "campaign: $(basename "$fuzzer"): $inputs inputs in $seconds s of processor time, $kept kept"
