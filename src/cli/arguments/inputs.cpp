// SPDX-License-Identifier: Apache-2.0
// What several verbs read and write.
#include "cli/arguments/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/error.hpp"

namespace weft::cli {
namespace {

void require_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error("{}: cannot be written: Is a directory", path);
  const bool special = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  const std::string folder = fs::path(path).parent_path().string();
  const std::string& place = special ? path : folder.empty() ? std::string(".") : folder;
  if (access(place.c_str(), W_OK) != 0)
    throw Error("{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace

SwitchId switch_named(const Fabric& fabric, const std::string& name) {
  if (const auto found = fabric.find_switch(name)) return *found;
  if (fabric.switch_count() == 0) throw Error("the fabric has no switches");
  throw Error("the fabric has no switch \"{}\"; its switches are \"{}\" to \"{}\"", name,
              fabric[SwitchId(0)].name, fabric[SwitchId(fabric.switch_count() - 1)].name);
}

std::ostream& prepare_outputs(std::initializer_list<std::string> paths) {
  std::vector<std::string> wanted;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (std::find(wanted.begin(), wanted.end(), path) != wanted.end())
      throw Error("\"{}\" is named twice: each file needs a name of its own", path);
    if (path != "-") require_writable(path);
    wanted.push_back(path);
  }
  const bool taken = std::find(wanted.begin(), wanted.end(), "-") != wanted.end();
  return taken ? std::cerr : std::cout;
}

}  // namespace weft::cli
