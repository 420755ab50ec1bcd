#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the speed of BookSim 2 on the configurations of bench/flits.cpp. Needs a BookSim that
# you have built; works in a temporary folder.
set -euo pipefail
export LC_ALL=C

usage() {
  cat <<'END'
usage: bench/booksim.sh BOOKSIM [ROW...]
  BOOKSIM   the program of BookSim 2, built from https://github.com/booksim/booksim2
  ROW       measure only rows whose name contains this text; all rows: about four minutes
       bench/booksim.sh --list    the rows: name, tab, BookSim's settings
       bench/booksim.sh --help    this text
Prints for each row of build/release/benchmarks/flits that has a counter "booksim" how many million
flit-hops (switch traversals) BookSim simulates per second of CPU time, and the flits per host and
cycle that arrive. The time is that of the second half of a run, without making the network.

example: bench/booksim.sh ~/booksim2/src/booksim 'mesh 8x8, 1 flit' dragonfly
END
}

# wrong MESSAGE: the command line is wrong.
wrong() {
  printf 'booksim.sh: %s; see bench/booksim.sh --help\n' "$*" >&2
  exit 2
}

# What all rows have in common: the switch model "iq" of weft. Every stage of the pipeline takes a
# cycle; nothing is speculative; a lane is free again when the tail has left.
common='router=iq routing_delay=1 vc_alloc_delay=1 sw_alloc_delay=1 st_prepare_delay=0
  st_final_delay=1 credit_delay=0 output_delay=0 input_speedup=1 output_speedup=1
  internal_speedup=1.0 speculative=0 noq=0 hold_switch_for_packet=0 wait_for_tail_credit=0
  vc_busy_when_full=0 vc_prioritize_empty=0 vc_buf_size=8 vc_allocator=islip sw_allocator=islip
  alloc_iters=1 use_noc_latency=0 traffic=uniform injection_process=bernoulli
  injection_rate_uses_flits=1 deadlock_warn_timeout=1000000 seed=1'

# Families of networks. BookSim's trees choose the route up at random (nca), or take the better of
# two random ones (anca). The links of its dragonfly take 10 and 100 cycles, which is compiled in:
# the buffers are larger there.
mesh='topology=mesh n=2 routing_function=dim_order'
torus='topology=torus n=2 routing_function=dim_order'
tree='topology=fattree num_vcs=4'
dragonfly='topology=dragonflynew k=4 n=1 routing_function=min num_vcs=2 vc_buf_size=256'

# Name, cycles (after as many of warm-up), settings.
rows=(
  "mesh 8x8, 1 flit|10000|$mesh k=8 num_vcs=4 packet_size=1 injection_rate=0.2"
  "mesh 8x8, 1 flit, saturated|5000|$mesh k=8 num_vcs=4 packet_size=1 injection_rate=1.0"
  "mesh 8x8, 16 flits|20000|$mesh k=8 num_vcs=2 packet_size=16 injection_rate=0.2"
  "mesh 8x8, 16 lanes, 1 flit|5000|$mesh k=8 num_vcs=16 packet_size=1 injection_rate=0.2"
  "mesh 8x8, 16 lanes, 16 flits|10000|$mesh k=8 num_vcs=16 packet_size=16 injection_rate=0.2"
  "mesh 16x16, 20 flits|4000|$mesh k=16 num_vcs=4 packet_size=20 injection_rate=0.1"
  "mesh 32x32, 16 flits|1000|$mesh k=32 num_vcs=2 packet_size=16 injection_rate=0.06"
  "torus 8x8, 1 flit|10000|$torus k=8 num_vcs=4 packet_size=1 injection_rate=0.2"
  "torus 8x8, 1 flit, saturated|5000|$torus k=8 num_vcs=4 packet_size=1 injection_rate=1.0"
  "4-ary 3-tree, 1 flit, dmodk|8000|$tree k=4 n=3 routing_function=nca packet_size=1 injection_rate=0.3"
  "4-ary 3-tree, 1 flit, nca|8000|$tree k=4 n=3 routing_function=anca packet_size=1 injection_rate=0.3"
  "8-ary 3-tree, 1 flit, dmodk|600|$tree k=8 n=3 routing_function=nca packet_size=1 injection_rate=0.3"
  "16-ary 2-tree, 1 flit|2500|$tree k=16 n=2 routing_function=nca packet_size=1 injection_rate=0.3"
  "16-ary 2-tree, 16 flits|4000|$tree k=16 n=2 routing_function=nca packet_size=16 injection_rate=0.3"
  "dragonfly, 1 flit, load 0.2|600|$dragonfly packet_size=1 injection_rate=0.2"
  "dragonfly, 1 flit, load 0.6|600|$dragonfly packet_size=1 injection_rate=0.6"
)

# simulate CYCLES SETTINGS: runs BookSim for so many cycles; prints the CPU seconds, the packets
# that arrived by the number of their hops, and the flits per host and cycle that arrived.
# BookSim stops by itself, before draining, after the sample in which the latency exceeds 0.
limit=300 # seconds
simulate() {
  local seconds TIMEFORMAT='%U %S'
  # shellcheck disable=SC2086 # settings are words
  printf '%s;\n' $common $2 "sample_period=$1" latency_thres=0.0 stats_out=stats >configuration
  rm -f stats
  seconds=$({ time timeout "$limit" "$booksim" configuration >output 2>&1; } 2>&1) || {
    (($? != 124)) || return 124
  }
  grep -q '^hops' stats 2>/dev/null || return 1
  printf '%s\n' "$seconds"
  sed -n 's/^hops.*\[\(.*\)\].*/\1/p' stats
  sed -n 's/^Accepted flit rate average *= *//p' output
}

# speed FLITS SIDE: from the lines of two runs, the flit-hops between their ends per second. The
# last of BookSim's classes of hops counts all longer routes; in meshes of SIDE x SIDE the mean
# over all pairs takes its place.
speed() {
  awk -v flits="$1" -v side="$2" '
    NR % 3 == 1 { seconds = $1 + $2 - seconds }
    NR % 3 == 2 {
      for (i = 1; i <= NF; i++) packets[i] = $i - packets[i]
      classes = NF
    }
    NR % 3 == 0 { accepted = $1 }
    END {
      for (i = 1; i <= classes; i++) { count += packets[i]; hops += packets[i] * (i - 1) }
      if (packets[classes] > 0) hops = count * (1 + 2 * (side * side - 1) / (3 * side))
      printf "%8.3f %9.4f\n", flits * hops / seconds / 1e6, accepted
    }'
}

# value KEY SETTINGS
value() { sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" <<<"$2"; }

# measure NAME CYCLES SETTINGS: prints one line.
measure() {
  local status=0
  printf '%-30s' "$1"
  { simulate "$2" "$3" && simulate "$((2 * $2))" "$3"; } >runs || status=$?
  case $status in
    0) speed "$(value packet_size "$3")" "$(value k "$3")" <runs ;;
    124) printf '    stopped after %s s\n' "$limit" ;;
    *)
      printf '    failed\n'
      tail -n 3 output >&2
      printf 'booksim.sh: %s printed no statistics: is it BookSim 2?\n' "$booksim" >&2
      exit 1 ;;
  esac
  return "$status"
}

# wanted NAME [TEXT...]: no text, or the name contains one of them.
wanted() {
  local name=$1 text
  shift
  (($#)) || return 0
  for text in "$@"; do [[ $name != *"$text"* ]] || return 0; done
  return 1
}

case ${1:-} in
  '') wrong "the path of BookSim is missing" ;;
  -h | --help)
    usage
    exit ;;
  --list)
    for row in "${rows[@]}"; do printf '%s\t%s\n' "${row%%|*}" "${row##*|}"; done
    exit ;;
  -*) wrong "there is no option $1" ;;
esac
booksim=$(realpath -e -- "$1" 2>/dev/null) || wrong "there is no program $1"
[[ -f $booksim && -x $booksim ]] || wrong "$1 is not a program"
shift
chosen=()
for row in "${rows[@]}"; do
  ! wanted "${row%%|*}" "$@" || chosen+=("$row")
done
((${#chosen[@]})) || wrong "no row's name contains \"$*\""

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
printf '%-30s%8s %9s\n' 'BookSim 2' 'M/s' 'accepted'
for row in "${chosen[@]}"; do
  IFS='|' read -r name cycles settings <<<"$row"
  measure "$name" "$cycles" "$settings" || failed=1
done
exit "$failed"
