#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds weft for x86_64 where this machine is an aarch64 one, and the other way round, with Debian's
# cross compiler and libraries unpacked into a folder, and runs tests under qemu-user; for x86_64
# with and without AVX2, which an x86_64 machine does with the simulator's own tests. Transcripts are
# among them, so every command prints the same bytes there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/portability/root.sh

case $(uname -m) in
  aarch64) machine=x86_64 architecture=amd64 processors=(qemu64 max) ;;
  x86_64) machine=aarch64 architecture=arm64 processors=(max) ;;
  *) echo "neither x86_64 nor aarch64: nothing to try" && exit 0 ;;
esac
./weft.sh need "g++-${machine/_/-}-linux-gnu" qemu-user

folder=$PWD/build/portability/$machine
root=$folder/root
unpack_packages "$architecture" "$root" libc6-dev libstdc++-12-dev libfmt-dev libcli11-dev \
  libtomlplusplus-dev nlohmann-json3-dev libpugixml-dev zlib1g-dev libzstd-dev libprotobuf-dev \
  libgtest-dev librapidcheck-dev

cat >"$folder/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $machine)
set(CMAKE_SYSROOT "$root")
set(CMAKE_CXX_COMPILER $machine-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-$machine -L "$root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
log=$folder/log
{
  cmake -S . -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON &&
  cmake --build "$folder/build"
} >"$log" || { tail -n 40 "$log" >&2; exit 1; }
echo "$machine: built"

# Emulation is some thirty times slower: fewer random cases, and no campaigns.
unset WEFT_LONG
export WEFT_PROPERTY_SCALE=0.2 RC_PARAMS=max_success=20
if [[ $(uname -m) == x86_64 ]]; then
  QEMU_CPU=qemu64 qemu-x86_64 build/release/tests/sim_tests --gtest_brief=1 >>"$log" ||
    { tail -n 60 "$log" >&2; exit 1; }
  echo "x86_64: the simulator's tests passed without AVX2"
fi
for processor in "${processors[@]}"; do
  QEMU_CPU=$processor ctest --test-dir "$folder/build" --output-on-failure --timeout 3600 \
    --parallel "$(nproc)" --no-tests=error --label-regex '^(base|fabric|comm|run|sim|cli)$' \
    >>"$log" || { tail -n 60 "$log" >&2; exit 1; }
  echo "$machine: quick tests passed on processor $processor"
done
