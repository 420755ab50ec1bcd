// SPDX-License-Identifier: Apache-2.0
// Finds files by path or name.
#include "lab/cluster/find_file.hpp"

#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace weft {
namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

bool looks_like_a_path(const std::string& text) {
  return text.find_first_of("/.") != std::string::npos && text.find(':') == std::string::npos;
}

Source read_input(const std::string& path) {
  return read_source(path == "-" ? "/dev/stdin" : path);
}

FoundFile find_file(const std::string& path_or_name, const EmbeddedKind& embedded) {
  if (is_file(path_or_name))
    return {read_source(path_or_name), fs::path(path_or_name).parent_path()};
  std::vector<std::string_view> known;
  for (const EmbeddedFile& file : embedded.files) {
    if (file.name == path_or_name)
      return {{fmt::format("{}s/{}.toml", embedded.kind, file.name), std::string(file.text)}, {}};
    known.push_back(file.name);
  }
  if (looks_like_a_path(path_or_name)) throw Error("{}: there is no such file", path_or_name);
  throw Error("\"{}\" is neither a {} file nor one that weft brings along; those are: {}{}",
              path_or_name, embedded.kind, fmt::join(known, " "), suggestion(path_or_name, known));
}

}  // namespace weft
