#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft.sh: one command from a fresh checkout to a built, shown, tested or measured weft.
set -euo pipefail

usage() {
  cat <<'END'
usage: ./weft.sh VERB
  build          build the program: build/release/bin/weft
  demo [WORD...] build, then run `weft study WORD...`, the main job
  test           build and run all tests, again under sanitizers, and the fuzzers
  test --long    the same with campaigns of random cases, kills and faults, clang-tidy, licenses,
                 the thread sanitizer, against the real OpenSM on simulated InfiniBand and the real
                 Slurm, with every compiler of Debian, for the other architecture under an emulator,
                 and the packages
  mutants [ROOM...]  change the program a little, in many places, and report which changes no
                 test notices; ./weft.sh mutants --help says more
  bench          build and run the benchmarks
  package        build a .deb for machines like this one, and an archive with a static program
                 for any other Linux: build/package/
  need NAME...   install Debian packages that are missing
  help           this text
Missing Debian packages are installed first; WEFT_SKIP_PACKAGES=1 leaves that to you.
Warnings become errors where the environment has WEFT_WERROR=ON.
END
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$root"
jobs=$(nproc)
logs=build/log

build_packages=(g++ cmake ninja-build ccache git libfmt-dev libcli11-dev libtomlplusplus-dev
                nlohmann-json3-dev libpugixml-dev zlib1g-dev libzstd-dev libmetis-dev libprotobuf-dev
                protobuf-compiler libopensm-dev libibumad-dev)
test_packages=(libgtest-dev librapidcheck-dev clang libclang-rt-dev clang-format locales python3
               zsh fish groff-base)
page_packages=(chromium nodejs npm)
package_packages=(dpkg-dev file)
long_packages=(clang-tidy reuse)
interop_packages=(opensm ibsim-utils infiniband-diags ibutils)
slurm_packages=(slurmctld slurmd slurm-client munge)
bench_packages=(libbenchmark-dev)

say() { printf 'weft.sh: %s\n' "$*"; }

fail() {
  printf 'weft.sh: FAILED: %s\n' "$*" >&2
  exit 1
}

# wrong MESSAGE: the command line is wrong.
wrong() {
  printf 'weft.sh: %s; see ./weft.sh help\n' "$*" >&2
  exit 2
}

# no_more VERB [WORD...]: the verb takes no further words.
no_more() { (($# == 1)) || wrong "$1: \"$2\" is one word too many"; }

# step NAME COMMAND...: runs it quietly; on failure shows the end of its log.
step() {
  local name=$1 log
  shift
  log="$logs/${name//[^a-z0-9]/-}.log"
  say "$name"
  mkdir -p "$logs"
  if ! "$@" >"$log" 2>&1; then
    tail -n 80 "$log" >&2
    fail "$name (whole log: $log)"
  fi
}

installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# need PACKAGE...: installs those that are missing, by name.
need() {
  local package missing=() as_root=()
  [[ -z ${WEFT_SKIP_PACKAGES:-} ]] || return 0
  if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    fail "this is not a Debian system; install the equivalents of: $*" \
         "- then run again with WEFT_SKIP_PACKAGES=1"
  fi
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "neither root nor sudo; install by hand: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  step "package lists" "${as_root[@]}" apt-get update
  step "packages" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET TARGET
build() {
  local command=(cmake --build --preset "$1" --target "$2" --parallel "$jobs")
  step "configure $1" cmake --preset "$1" -DCMAKE_COMPILE_WARNING_AS_ERROR="${WEFT_WERROR:-OFF}"
  export NINJA_STATUS='[%f of %t, %e s] '
  if [[ -t 1 ]]; then  # on a terminal, ninja's own line shows the progress
    say "build $1 $2"
    "${command[@]}" || fail "build $1 $2"
  else
    step "build $1 $2" "${command[@]}"
  fi
}

# run_tests PRESET LOCALE [CTEST OPTION...]
# The shell and its tools sort by the locale: no test may depend on it. What does not end is ended
# by the processor time that it takes; the time on the clock says more about the machine.
run_tests() {
  local preset=$1 locale=$2 locales=$root/build/locales
  local command=(ctest --preset "$preset" --parallel "$jobs" --timeout $((20 * cpu_limit))
                 --no-tests=error)
  shift 2
  mkdir -p "$locales"
  [[ -d $locales/$locale.UTF-8 ]] ||
    step "locale $locale" localedef --no-archive -i "$locale" -f UTF-8 "$locales/$locale.UTF-8"
  say "test $preset"
  (
    ulimit -S -t "$cpu_limit"
    LOCPATH=$locales LC_ALL=$locale.UTF-8 "${command[@]}" "$@"
  ) || fail "tests of the $preset build"
  # How much was tried, for reports.
  [[ -z ${WEFT_LONG:-} ]] ||
    grep -h '^campaign: ' "build/$preset/Testing/Temporary/LastTest.log" || true
}

# harmless_interop: its packages are there, or can be installed. That of OpenSM starts a subnet
# manager, so it is not installed on a machine with InfiniBand.
harmless_interop() {
  local package
  for package in "${interop_packages[@]}"; do
    installed "$package" || [[ -z ${WEFT_SKIP_PACKAGES:-} && ! -e /sys/class/infiniband_mad ]] ||
      return 1
  done
}

# The bundle of the page is that of its sources.
bundle_page() {
  mkdir -p build/page
  node page/build.mjs build/page
  cmp build/page/template.html page/template.html
  cmp build/page/licenses.txt page/licenses.txt
}

# page_tools: what bundles, tests and measures pages. Node.js and npm of elsewhere than Debian do as well.
page_tools() {
  local package wanted=()
  for package in "${page_packages[@]}"; do
    command -v "${package%js}" >/dev/null || wanted+=("$package")
  done
  need "${wanted[@]}"
  if [[ page/package-lock.json -nt page/node_modules/.package-lock.json ]]; then
    step "packages of the page" npm --prefix page ci --ignore-scripts --no-audit --no-fund
    touch page/node_modules/.package-lock.json
  fi
}

# Pages show in a browser what they should.
run_page_tests() {
  page_tools
  step "types of the page" npm --prefix page run check
  step "bundle of the page" bundle_page
  step "test modules of the page" node --test tests/page/modules.test.mjs
  step "test pages" env WEFT_PAGES=build/pages node --test tests/page/pages.test.mjs
}

# The plugin in the real OpenSM on simulated fabrics, and the commands of docs/infiniband.md.
run_plugin_tests() {
  local built=(build/release/bin/weft build/release/lib)
  if ! harmless_interop || [[ ! -e build/release/lib/libweft.so ]]; then
    say "tests of OpenSM's plugin are left out: they need ${interop_packages[*]} libopensm-dev"
    return 0
  fi
  need "${interop_packages[@]}"
  step "test the plugin of OpenSM" python3 -B tests/interop/plugin.py "${built[@]}" "$@"
  step "test the tutorial with OpenSM" python3 -B tests/interop/tutorial.py "${built[@]}"
}

# A thousand sweeps with sanitized programs.
run_plugin_sweeps() {
  build leaks weft
  step "test the plugin of OpenSM for leaks" \
    python3 -B tests/interop/plugin.py build/leaks/bin/weft build/leaks/lib --sweeps 1000
}

# All other tests against OpenSM.
run_interop() {
  say "test against OpenSM and ibsim, which need: ${interop_packages[*]}"
  harmless_interop ||
    fail "this machine has InfiniBand, where installing opensm starts a subnet manager;" \
         "install these by hand, then run again: ${interop_packages[*]}"
  need "${interop_packages[@]}"
  run_plugin_sweeps
  tests/interop/opensm.sh build/release/bin/weft || fail "tests against OpenSM"
  python3 -B tests/interop/load_tables.py build/release/bin/weft || fail "tables loaded by OpenSM"
  python3 -B tests/interop/credit_loops.py build/release/bin/weft ||
    fail "verdicts on OpenSM's tables"
  python3 -B tests/interop/credit_loops.py build/release/bin/weft --campaign ||
    fail "verdicts on OpenSM's tables of random fabrics"
}

run_all_tests() {
  local long='' cpu_limit=180 script units='^(base|verify|fabric|plan|sim|comm|run|live)$'
  if [[ ${1:-} == --long ]]; then
    long=yes
    export WEFT_LONG=1
    cpu_limit=3600
  else
    no_more test "$@"
  fi
  need "${build_packages[@]}" "${test_packages[@]}"
  build release all
  run_tests release tr_TR
  run_page_tests
  if [[ -n $long ]]; then run_plugin_tests; else run_plugin_tests --short; fi

  # Sanitized code is several times slower, so properties are tried on fewer random cases.
  export WEFT_PROPERTY_SCALE=${WEFT_PROPERTY_SCALE:-0.2} RC_PARAMS=${RC_PARAMS:-max_success=20}
  build asan parts
  run_tests asan en_US --label-regex "$units|^fuzz$"

  [[ -n $long ]] || return 0
  run_interop
  need "${slurm_packages[@]}"
  tests/interop/slurm.sh build/release/bin/weft || fail "tests with Slurm"
  tests/interop/sweeps.sh build/release/bin/weft || fail "sweeps with Slurm and mpirun"
  tests/interop/open_mpi.sh build/release/bin/weft || fail "tests with Open MPI"
  need "${long_packages[@]}"
  step "licenses" reuse lint
  # clang-tidy cannot read g++'s precompiled headers. It checks the files of a folder joined, as
  # they are compiled, which takes a tenth of the time of one by one.
  step "configure clang-tidy" cmake --preset asan -B build/tidy \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  step "generated sources" cmake --build build/tidy --target weft_chakra
  step "clang-tidy" run-clang-tidy -quiet -p build/tidy -j "$jobs" '/src/[a-z]+/|/joined/src_'
  # Only sweeps, parts of networks and tests of files have threads: elsewhere there is nothing
  # to find.
  local parted
  for parted in sim run; do
    build tsan "${parted}_tests"
    step "test parts in $parted under the thread sanitizer" \
      "build/tsan/tests/${parted}_tests" --gtest_filter='*Parts*'
  done
  unset WEFT_PROPERTY_SCALE
  build tsan base_tests
  build tsan lab_tests
  run_tests tsan en_US --label-regex '^(base|lab)$'
  make_packages
  for script in packages compilers other_architecture; do
    say "test $script"
    "tests/portability/$script.sh" || fail "tests/portability/$script.sh"
  done
}

# The .deb, and the static program in an archive.
make_packages() {
  local preset
  need "${package_packages[@]}"
  umask 022  # all may read what is installed
  rm -rf build/package
  for preset in release static; do
    build "$preset" weft
    step "package $preset" cpack --config "build/$preset/CPackConfig.cmake" -B build/package
  done
  rm -rf build/package/_CPack_Packages
}

run_benchmarks() {
  local file
  need "${build_packages[@]}" "${bench_packages[@]}"
  build release bench
  for file in bench/*.cpp; do
    [[ -e $file ]] || continue
    "build/release/benchmarks/$(basename "$file" .cpp)" || fail "benchmark $file"
  done
  build release weft
  if (page_tools); then
    node bench/pages.mjs || fail "benchmark bench/pages.mjs"
  else
    say "pages are not measured: that needs ${page_packages[*]} and the packages of page/"
  fi
}

verb=${1:-help}
shift || true
case $verb in
  build)
    no_more build "$@"
    need "${build_packages[@]}"
    build release weft
    say "built build/release/bin/weft in $SECONDS s" ;;
  demo)
    need "${build_packages[@]}"
    build release weft
    build/release/bin/weft study "$@" --html build/demo.html || fail "weft study"
    say "the same as a page, for a browser: $root/build/demo.html"
    say "demo finished in $SECONDS s" ;;
  test)
    run_all_tests "$@"
    say "all tests passed in $SECONDS s" ;;
  mutants)
    need "${build_packages[@]}" "${test_packages[@]}"
    exec python3 tests/mutants/mutants.py "$@" ;;
  bench)
    no_more bench "$@"
    run_benchmarks
    say "benchmarks finished in $SECONDS s" ;;
  package)
    no_more package "$@"
    need "${build_packages[@]}"
    make_packages
    say "made $(echo build/package/*.deb build/package/*.tar.gz) in $SECONDS s" ;;
  need)
    need "$@" ;;
  help | -h | --help)
    usage ;;
  *)
    wrong "there is no verb \"$verb\"" ;;
esac
