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

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  if (path == "-") {
    write(std::cout);
    std::cout.flush();
    if (!std::cout) throw Error("standard output cannot be written");
    return;
  }
  // A device or a pipe cannot be replaced by a file.
  std::error_code ignored;
  const bool special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string draft = special ? path : path + ".part";
  {
    std::ofstream out(draft, std::ios::binary);
    if (!out) throw Error("{}: cannot be written: {}", path, std::strerror(errno));
    write(out);
    out.flush();
    if (!out) {
      if (!special) std::remove(draft.c_str());
      throw Error("{}: cannot be written: {}", path, std::strerror(errno));
    }
  }
  if (!special && std::rename(draft.c_str(), path.c_str()) != 0)
    throw Error("{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace weft
