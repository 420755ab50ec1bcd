// SPDX-License-Identifier: Apache-2.0
// Writing files whole or not at all.
#include "base/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path) {
  throw Error("{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output cannot be written");
    return;
  }
  std::error_code ignored;
  // A device or a pipe cannot be replaced by a file; a symbolic link stays one.
  const bool regular = fs::is_regular_file(path, ignored);
  const bool special = !regular && fs::exists(path, ignored);
  const bool linked = regular && fs::is_symlink(path, ignored);
  const std::string place = linked ? fs::canonical(path).string() : path;
  const std::string draft = special ? place : place + ".part";
  std::ofstream out(draft, std::ios::binary);
  if (!out) cannot_write(path);
  try {
    write(out);
    out.close();
    if (!out || (!special && std::rename(draft.c_str(), place.c_str()) != 0)) cannot_write(path);
  } catch (...) {
    if (!special) std::remove(draft.c_str());
    throw;
  }
}

}  // namespace weft
