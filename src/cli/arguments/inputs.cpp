// SPDX-License-Identifier: Apache-2.0
// What several verbs read and write.
#include "cli/arguments/inputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "lab/report/colours.hpp"

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

/// Whether two paths lead to one regular file, which may not exist yet.
bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  if (fs::exists(a, unknown) && !fs::is_regular_file(a, unknown)) return false;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  };
  return a == b || fs::equivalent(a, b, unknown) || place(a) == place(b);
}

/// Throws Error when a text names this file.
void reject_input(const std::string& path, const std::vector<std::string>& texts) {
  constexpr std::string_view separators = ",;:=[]";
  const auto check = [&](const std::string& name) {
    if (!name.empty() && name != "-" && same_file(path, name))
      throw Error("{}: this file is read as well: what is written needs a name of its own", path);
  };
  for (const std::string& text : texts) {
    check(text);
    for (std::size_t begin = 0, end = 0; end < text.size(); begin = end + 1) {
      end = std::min(text.find_first_of(separators, begin), text.size());
      check(text.substr(begin, end - begin));
    }
  }
}

/// Whether it is a terminal that shows colours to somebody who wants them (no-color.org).
bool is_colourful(int file) {
  const char* unwanted = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(file) != 0 && (unwanted == nullptr || *unwanted == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

}  // namespace

void add_inputs_of_cluster(const std::string& path_or_name, std::vector<std::string>& inputs) {
  if (path_or_name.empty()) return;
  const Cluster cluster = find_cluster(path_or_name);
  inputs.push_back(path_or_name);
  inputs.insert(inputs.end(), cluster.topologies.begin(), cluster.topologies.end());
}

void add_without(Arguments& arguments, std::string& text) {
  arguments.joined("--without PARTS", text, removal_help);
}

void require_svg(const std::string& path) {
  if (path.empty() || path == "-" || path.ends_with(".svg") || path.starts_with("/dev/")) return;
  throw Error("{}: pictures are SVG: call it x.svg (rsvg-convert makes PNG and PDF of it)", path);
}

std::ostream& prepare_outputs(std::initializer_list<std::string> paths,
                              const std::vector<std::string>& inputs) {
  std::vector<std::string> wanted;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    for (const std::string& other : wanted)
      if (same_file(path, other))
        throw Error("\"{}\" is named twice: each file needs a name of its own", path);
    if (path != "-") {
      require_writable(path);
      reject_input(path, inputs);
    }
    wanted.push_back(path);
  }
  const bool taken = std::find(wanted.begin(), wanted.end(), "-") != wanted.end();
  std::ostream& out = taken ? std::cerr : std::cout;
  if (is_colourful(taken ? STDERR_FILENO : STDOUT_FILENO)) allow_colours(out);
  return out;
}

}  // namespace weft::cli
