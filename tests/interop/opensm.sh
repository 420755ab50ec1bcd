#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests weft against the real OpenSM on fabrics that ibsim simulates: each reads the other's fabrics,
# OpenSM loads weft's tables, and weft judges OpenSM's tables as ibdmchk does.
#
# Engines with several lanes: load_tables.py; verdicts on many fabrics: credit_loops.py.
#
# usage: opensm.sh WEFT
# Needs the Debian packages opensm, ibsim-utils, infiniband-diags and ibutils, but neither InfiniBand
# nor root rights. Everything happens in a temporary folder, under a socket name of its own, and is
# bounded in time; only ibdmchk leaves a report in /var/cache/ibutils, if it may write there.
set -uo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

fail() {
  printf 'opensm.sh: %s\n' "$*" >&2
  exit 2
}

(($# == 1)) || fail "usage: opensm.sh WEFT"
weft=$(realpath -e -- "$1") || fail "there is no program $1"
[[ -x $weft ]] || fail "$weft is not a program"
for tool in ibsim opensm ibnetdiscover dump_fts ibdmchk; do
  command -v "$tool" >/dev/null ||
    fail "$tool is missing; install opensm, ibsim-utils, infiniband-diags and ibutils"
done

# The library through which programs for InfiniBand reach ibsim; every architecture has its folder.
umad2sim=${WEFT_UMAD2SIM:-}
for file in /usr/{,local/}lib{,64,/*}/umad2sim/libumad2sim.so; do
  [[ -n $umad2sim || ! -e $file ]] || umad2sim=$file
done
[[ -n $umad2sim ]] || fail "libumad2sim.so is missing; it comes with ibsim-utils"

work=$(mktemp -d) || fail "no temporary folder"
export IBSIM_SOCKNAME="weft$$"
simulator=''
passed=0
failed=0
loops=0 # runs in which weft and ibdmchk agreed that there are credit loops
clean=0 # runs in which they agreed that there are none

stop_simulator() {
  [[ -z $simulator ]] || { kill "$simulator" && wait "$simulator"; } 2>/dev/null
  simulator=''
}

finish() {
  stop_simulator
  rm -rf -- "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# check NAME COMMAND...: one line; on failure also the first lines that the command printed.
check() {
  local name=$1 why
  shift
  if why=$("$@" 2>&1); then
    printf 'ok    %s%s\n' "$name" "${why:+: $why}"
    passed=$((passed + 1))
  else
    printf 'FAIL  %s\n' "$name"
    head -n 12 <<<"$why" | sed 's/^/        /'
    failed=$((failed + 1))
    return 1
  fi
}

# On the clock, so with patience: the machine may be busy.
bounded() { timeout -k 5 300 "$@" </dev/null; }

# --- ibsim ----------------------------------------------------------------------------------------

# simulate SPEC: starts ibsim on a fabric of weft's, in a folder that is the working folder from
# then on, because umad2sim leaves files there. ibsim is ready when its last socket is there.
simulate() {
  stop_simulator
  rm -rf -- "${work:?}/$1" && mkdir -p "$work/$1" && cd "$work/$1" || return 1
  bounded "$weft" make "$1" --format ibnetdiscover -o net || return 1
  timeout -k 5 3600 ibsim -s -n -f ibsim.log net </dev/null >ibsim.out 2>&1 &
  simulator=$!
  local i
  for ((i = 0; i < 6000; ++i)); do
    ! grep -qaF "@$IBSIM_SOCKNAME:out9" /proc/net/unix || return 0
    kill -0 "$simulator" 2>/dev/null || break
    sleep 0.05
  done
  cat ibsim.out ibsim.log
  stop_simulator
  return 1
}

# check_simulation NAME SPEC: runs in this shell, which needs the folder and the process id.
check_simulation() {
  local log="$work/simulation.log"
  simulate "$2" >"$log" 2>&1 || check "$1: ibsim reads it" fails_with "$log"
}

fails_with() {
  cat "$1"
  return 1
}

# Runs a program on the simulated fabric, at its first host.
inside() {
  local host
  host=$(sed -n 's/^Ca[^"]*"\([^"]*\)".*/\1/p' net | head -n 1)
  bounded env SIM_HOST="$host" LD_PRELOAD="$umad2sim" OSM_TMP_DIR="$PWD" OSM_CACHE_DIR="$PWD" "$@"
}

# --- 1: fabrics -----------------------------------------------------------------------------------

# The lines of a fabric in weft's format, without name and speed (ibsim holds neither), in an order
# and with an order of the two ends of a link that do not depend on the file.
same_order() {
  bounded "$weft" make "$1" -o - |
    awk '/^(name|speed|delay) = / { next }
         match($0, /^  \["[^"]*", [0-9]+, "[^"]*", [0-9]+/) {
           split(substr($0, 4, RLENGTH - 3), end, ", ")
           a = end[1] " " end[2]; b = end[3] " " end[4]
           print "link", (a < b ? a "  " b : b "  " a), substr($0, RLENGTH + 1); next
         }
         { print }' | sort
}

all_parsed() { grep -o "parsed $(wc -l <net) lines" ibsim.log || { cat ibsim.log; return 1; }; }

comes_back() {
  inside ibnetdiscover >discovered 2>discovery.log || { cat discovery.log; return 1; }
  same_order net >expected && same_order discovered >found || return 1
  grep -q '^  \["h' found || { echo "no hosts were read"; return 1; }
  grep -q '^link ' found || { echo "no links were read"; return 1; }
  diff expected found || return 1
  echo "$(grep -c '^link ' found) links, $(grep -c '^  \[' found) switches and hosts"
}

fabric_survives() {
  check_simulation "$1" "$1" || return
  check "$1: ibsim reads it" all_parsed
  check "$1: ibnetdiscover's text is the same fabric" comes_back
  stop_simulator
}

# --- 2: weft's tables in OpenSM -------------------------------------------------------------------

# manage ENGINE [OPTION...]: one sweep of OpenSM with dumps of its tables. It reports success also
# after it has fallen back to another engine, so its log decides.
manage() {
  local engine=$1
  shift
  rm -f opensm*.dump opensm.*fdbs opensm-subnet.lst guid2lid
  inside opensm -o -e -f opensm.log --dump_files_dir "$PWD" -D 0x43 -R "$engine,no_fallback" "$@" \
    >opensm.out 2>&1 || { echo "opensm: status $?"; tail -n 8 opensm.log; return 1; }
  grep -qa "$engine tables configured on all switches" opensm.log ||
    { tail -n 8 opensm.log; return 1; }
}

# Switch, LID and port of every entry of a dump.
entries() {
  awk '/^Unicast lids/ { match($0, /guid 0x[0-9a-f]+/); at = substr($0, RSTART + 5, RLENGTH - 5) }
       /^0x/ { print at, $1, $2 + 0 }' "$1" | sort
}

# same_entries DUMP: every switch has, for every LID, the port that weft wrote.
same_entries() {
  entries weft.lft >expected
  entries "$1" >found
  local switches lids count
  switches=$(grep -c '^Switch' net)
  lids=$((switches + ($(grep -c '^Ca' net) << ${lmc:-0})))
  count=$(wc -l <found)
  diff expected found || return 1
  ((count == switches * lids)) || { echo "$count entries, not $switches x $lids"; return 1; }
  echo "$count entries"
}

switches_hold() {
  inside dump_fts >switches.lft 2>switches.log || { cat switches.log; return 1; }
  same_entries switches.lft
}

# judge FABRIC TABLES NAME: weft's findings in NAME.json, and a certificate in NAME.certificate if
# there is one. weft exits with status 1 when findings are bad.
judge() {
  bounded "$weft" check "$1" "$2" --json "$3.json" --certificate "$3.certificate" >"$3.text" 2>&1
  (($? <= 1)) || { cat "$3.text"; return 1; }
}

# finding NAME CHECK KEY: what a check found, such as hops average.
finding() {
  awk -v check="\"$2\"," -v key="\"$3\":" '
    $1 == "\"check\":" { inside = $2 == check }
    inside && $1 == key { sub(/,$/, "", $2); gsub(/"/, "", $2); print $2; exit }' "$1.json"
}

numbers() {
  local what
  for what in 'reach verdict' 'reach reached' 'hops average' 'hops maximum' 'load maximum' \
              'load mean' 'deadlock verdict'; do
    echo "$what: $(finding "$1" "${what% *}" "${what#* }")"
  done
}

# OpenSM's dump on the fabric that ibnetdiscover sees says what weft's tables said on weft's fabric.
reads_back() {
  inside ibnetdiscover >discovered 2>discovery.log || { cat discovery.log; return 1; }
  judge "$1" weft.lft ours && judge discovered opensm-lfts.dump theirs || return 1
  diff <(numbers ours) <(numbers theirs) || return 1
  [[ $(finding theirs reach verdict) == ok ]] || { cat theirs.text; return 1; }
  bounded "$weft" verify discovered opensm-lfts.dump theirs.certificate >verify.log 2>&1 ||
    { cat verify.log; return 1; }
  echo "$(finding theirs hops average) hops, certificate verified"
}

# routed SPEC ENGINE: by the name of the topology, since xy needs coordinates, which `net` lacks.
routed() {
  bounded "$weft" route "$1" "$2" -o weft.lft --format opensm >route.log 2>&1 ||
    { cat route.log; return 1; }
}

tables_load() {
  local name="$1, $2"
  check_simulation "$name" "$1" || return
  check "$name: weft routes it" routed "$1" "$2" || return
  check "$name: OpenSM loads the tables" manage file -U weft.lft || return
  check "$name: opensm-lfts.dump is as written" same_entries opensm-lfts.dump
  check "$name: the switches hold them" switches_hold
  check "$name: weft reads the dump back" reads_back "$1"
  agree "$name"
  stop_simulator
}

# further_lids_load SPEC ENGINE: the same where every host has two LIDs, which OpenSM assigns first.
further_lids_load() {
  local name="$1, $2, two LIDs a host" lmc=1
  check_simulation "$name" "$1" || return
  check "$name: OpenSM assigns LIDs" manage minhop -l "$lmc" || return
  inside ibnetdiscover >discovered 2>discovery.log
  check "$name: weft routes it" routed discovered "$2" || return
  check "$name: OpenSM loads the tables" manage file -l "$lmc" -U weft.lft || return
  check "$name: opensm-lfts.dump is as written" same_entries opensm-lfts.dump
  check "$name: the switches hold them" switches_hold
  stop_simulator
}

# --- 3: OpenSM's tables in weft -------------------------------------------------------------------

# ibdmchk's verdict on routes between hosts, in weft's words: ok or BAD.
ibdmchk_verdict() {
  bounded ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs >ibdmchk.log 2>&1
  if grep -q 'credit loops in routing' ibdmchk.log; then
    echo BAD
  elif grep -q 'no credit loops found' ibdmchk.log; then
    echo ok
  else
    echo "none: $(tail -n 3 ibdmchk.log)"
  fi
}

same_verdict() {
  judge discovered opensm-lfts.dump theirs || return 1
  [[ $(finding theirs reach verdict) == ok ]] || { cat theirs.text; return 1; }
  [[ $(finding theirs deadlock verdict) == "$verdict" ]] ||
    { echo "ibdmchk: $verdict"; cat theirs.text; return 1; }
  case $verdict in
    ok) echo "no credit loop" ;;
    BAD) echo "credit loop" ;;
    *) return 1 ;;
  esac
}

# agree NAME: weft and ibdmchk judge the dumps in this folder alike.
agree() {
  local verdict
  inside ibnetdiscover >discovered 2>discovery.log
  verdict=$(ibdmchk_verdict)
  check "$1: weft and ibdmchk agree" same_verdict || return
  if [[ $verdict == ok ]]; then clean=$((clean + 1)); else loops=$((loops + 1)); fi
}

# judged SPEC ENGINE: up*/down* starts at the first switch; it would find no root by itself.
judged() {
  local name="$1, OpenSM's $2" options=()
  check_simulation "$name" "$1" || return
  sed -n 's/^switchguid=\(0x[0-9a-f]*\).*/\1/p' net | head -n 1 >roots
  [[ $2 != updn ]] || options=(-a roots)
  check "$name: computed" manage "$2" "${options[@]}" || return
  agree "$name"
  stop_simulator
}

# --- 4: fat trees, as they are discovered ---------------------------------------------------------

# no_worse: on the fabric that ibnetdiscover sees, in its order, dmodk's tables have the effective
# bisection of OpenSM's ftree, to a point. ibsim knows no speeds: all links count alike.
no_worse() {
  inside ibnetdiscover >discovered 2>discovery.log || { cat discovery.log; return 1; }
  sed -i 's/4x[SDQ]DR/4xQDR/' discovered
  bounded "$weft" route discovered dmodk -o dmodk.tables >route.log 2>&1 || { cat route.log; return 1; }
  judge discovered opensm-lfts.dump theirs && judge discovered dmodk.tables ours || return 1
  [[ $(finding ours reach verdict) == ok && $(finding ours deadlock verdict) == ok ]] ||
    { cat ours.text; return 1; }
  local own other
  own=$(finding ours matchings mean)
  other=$(finding theirs matchings mean)
  awk -v own="$own" -v other="$other" 'BEGIN { exit !(own > 0 && own >= other - 0.01) }' ||
    { echo "dmodk $own, ftree $other"; return 1; }
  echo "dmodk $own, ftree $other"
}

tree_is_routed_well() {
  local name="$1, OpenSM's ftree"
  check_simulation "$name" "$1" || return
  check "$name: computed" manage ftree || return
  check "$name: weft's dmodk is no worse" no_worse
  stop_simulator
}

# --- the tests ------------------------------------------------------------------------------------

mesh=mesh:dims=4x4
torus=torus:dims=4x4,hosts=2
rhinet=rhinet2_a
tree=tree:k=4,n=2
irregular=random_irregular:switches=12,links=24,hosts=3,parallel=2,bare=2,seed=7
regular=random_regular:switches=16,degree=4,hosts=2

for fabric in "$mesh" "$torus" "$rhinet" "$tree" "$irregular"; do fabric_survives "$fabric"; done

for fabric in "$mesh" "$torus" "$rhinet" "$tree" "$irregular"; do tables_load "$fabric" updown; done
tables_load "$tree" dmodk
tables_load "$mesh" xy
tables_load "$mesh" dor:order=last
further_lids_load "$irregular" updown

judged "$mesh" minhop
judged "$mesh" dor
judged "$torus" dor
judged "$tree" minhop
judged "$irregular" minhop
judged "$irregular" updn
for seed in 1 2 3 4; do judged "$regular,seed=$seed" updn; done
for fabric in tree:k=4,n=3 tree:k=8,n=3 clos3:radix=4 clos3:radix=8 \
              clos2:leaves=8,spines=4,links=2,hosts=8 clos2:leaves=8,spines=7,hosts=8 \
              xgft:children=8x4x4,parents=1x4x4 xgft:children=5x4x3,parents=1x2x4 \
              xgft:children=6x2x3,parents=1x2x2,links=1x2x1; do
  tree_is_routed_well "$fabric"
done
check "both verdicts were met ($loops with credit loops, $clean without)" \
  test "$loops" -gt 0 -a "$clean" -gt 0

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
