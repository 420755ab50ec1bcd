# SPDX-License-Identifier: Apache-2.0
# Sourced by its neighbours: Debian packages of any architecture unpacked into a folder, with the
# machine's own apt sources and keys but nothing of its state, so that the machine stays as it is.

as_root=()
((EUID == 0)) || as_root=(sudo)

# unpack_packages ARCHITECTURE FOLDER PACKAGE...: with all dependencies. An existing folder is
# complete.
unpack_packages() {
  local architecture=$1 folder whole apt deb link
  whole=$(realpath -m "$2")
  [[ ! -e $whole ]] || return 0
  folder=$whole.new
  apt=$whole.apt
  shift 2
  rm -rf "$folder"
  mkdir -p "$folder" "$apt/lists/partial" "$apt/archives/partial"
  : >"$apt/status"
  local apt_get=(apt-get -qq -o "APT::Architecture=$architecture"
    -o "APT::Architectures=$architecture" -o "Dir::State=$apt" -o "Dir::State::status=$apt/status"
    -o "Dir::Cache=$apt" -o APT::Install-Recommends=0 -o APT::Sandbox::User=)
  "${apt_get[@]}" update
  "${apt_get[@]}" install -y --download-only "$@" >/dev/null
  # As on any Debian of today: programs and libraries are below /usr.
  mkdir -p "$folder"/usr/{bin,sbin,lib,lib64}
  for deb in bin sbin lib lib64; do ln -sfn "usr/$deb" "$folder/$deb"; done
  for deb in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$folder"
  done
  # Links to absolute paths stay inside, whether or not the folder is anybody's root.
  find "$folder" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$folder$(readlink "$link")" "$link"
  done
  mv "$folder" "$whole"
}
