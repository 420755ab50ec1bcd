// SPDX-License-Identifier: Apache-2.0
// What several verbs read and write.
#include "cli/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/error.hpp"

namespace weft::cli {
namespace {

/// The part before the next comma that stands outside of brackets, taken off the front.
std::string take_name(std::string_view& rest) {
  int depth = 0;
  std::size_t at = 0;
  for (; at < rest.size() && (depth > 0 || rest[at] != ','); ++at) {
    if (rest[at] == '(' || rest[at] == '[') ++depth;
    if ((rest[at] == ')' || rest[at] == ']') && depth > 0) --depth;
  }
  std::string name(rest.substr(0, at));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return name;
}

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

HostId host_named(const Fabric& fabric, const std::string& name) {
  if (const auto found = fabric.find_host(name)) return *found;
  if (fabric.host_count() == 0) throw Error("the fabric has no hosts");
  throw Error("the fabric has no host \"{}\"; its hosts are \"{}\" to \"{}\"", name,
              fabric[HostId(0)].name, fabric[HostId(fabric.host_count() - 1)].name);
}

SwitchId switch_named(const Fabric& fabric, const std::string& name) {
  if (const auto found = fabric.find_switch(name)) return *found;
  if (fabric.switch_count() == 0) throw Error("the fabric has no switches");
  throw Error("the fabric has no switch \"{}\"; its switches are \"{}\" to \"{}\"", name,
              fabric[SwitchId(0)].name, fabric[SwitchId(fabric.switch_count() - 1)].name);
}

std::vector<HostId> hosts_named(const Fabric& fabric, const std::vector<std::string>& texts) {
  std::vector<HostId> out;
  for (const std::string& text : texts) {
    if (const auto whole = fabric.find_host(text)) {
      out.push_back(*whole);
      continue;
    }
    std::string_view rest = text;
    do out.push_back(host_named(fabric, take_name(rest)));
    while (!rest.empty());
  }
  auto sorted = out;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error("host \"{}\" is named twice", fabric[*twice].name);
  return out;
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
