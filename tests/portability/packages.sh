#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the packages of `./weft.sh package`: the .deb in a clean Debian with its dependencies only, the
# static program in an otherwise empty root. Both must print what the demo prints, byte for byte.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source tests/portability/root.sh

roots=build/portability/packages
rm -rf "$roots"
mkdir -p "$roots/empty"
deb=$(echo build/package/weft_*.deb)
archive=$(echo build/package/weft-*.tar.gz)

# same ROOT COMMAND...: the command works, and prints what this checkout prints, but for times.
same() {
  local root=$1
  shift
  build/release/bin/weft "$@" >"$roots/ours"
  "${as_root[@]}" chroot "$root" weft "$@" >"$roots/theirs"
  [[ -s $roots/ours ]]
  diff <(sed -E 's/ +[0-9.]+ ms//' "$roots/ours") <(sed -E 's/ +[0-9.]+ ms//' "$roots/theirs")
}

# sound LISTING OWNER: all users may read everything, whatever the umask was.
sound() {
  local wrong
  wrong=$(grep -vE "^([-d]rwxr-xr-x|-rw-r--r--) $2 " <<<"$1" || true)
  [[ -z $wrong ]] || { printf 'modes or owners in a package:\n%s\n' "$wrong" >&2; exit 1; }
}

sound "$(dpkg-deb -c "$deb")" root/root
sound "$(tar -tvzf "$archive")" '[^ ]+/[^ ]+'
mapfile -t needed < <(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed -E 's/^ *([^ ]+).*/\1/')
unpack_packages "$(dpkg --print-architecture)" "$roots/debian" "${needed[@]}"
dpkg-deb -x "$deb" "$roots/debian"
for file in bin/weft bin/weft-verify lib/libweft.so share/bash-completion/completions/weft \
            share/zsh/vendor-completions/_weft share/fish/vendor_completions.d/weft.fish \
            share/man/man1/weft.1 share/man/man1/weft-verify.1 share/man/man5/weft-results.5 \
            share/man/man7/weft-catalogues.7 share/weft/clusters/rhinet2.toml \
            share/weft/scenarios/premium.toml share/doc/weft/copyright \
            share/doc/weft/licenses/libfmt-dev share/doc/weft/docs/design/overview.md; do
  [[ -e $roots/debian/usr/$file ]] || { echo "$deb lacks $file" >&2; exit 1; }
done
same "$roots/debian" study
"${as_root[@]}" chroot "$roots/debian" weft study /usr/share/weft/clusters/hdr1000.toml >/dev/null
same "$roots/debian" --version

tar -xzf "$archive" --strip-components=1 -C "$roots/empty"
for file in libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libpugixml-dev \
            libc6-dev LGPL-2.1; do
  [[ -s $roots/empty/share/doc/weft/licenses/$file ]] ||
    { echo "$archive lacks the license $file" >&2; exit 1; }
done
kind=$(file -b "$roots/empty/bin/weft")
[[ $kind == *"static-pie linked"* ]] || { echo "the program of $archive: $kind" >&2; exit 1; }
same "$roots/empty" study
same "$roots/empty" sim torus:dims=8x8 dor --switch iq:lanes=4 --load 0.3 --cycles 5000
echo "the .deb works in a clean Debian, the static program in an empty root"
