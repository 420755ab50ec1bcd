// SPDX-License-Identifier: Apache-2.0
// Files by the words of users: a path, or the name of a file that travels inside the program.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "fabric/format/format.hpp"
#include "lab/embedded.hpp"

namespace weft {

bool is_file(const std::string& path);
/// Rather than a name or a spec.
bool looks_like_a_path(const std::string& text);
/// A whole file; "-" is standard input.
Source read_input(const std::string& path);

struct FoundFile {
  Source source{};
  std::optional<std::filesystem::path> folder{};  ///< of a file outside of the program
};

/// What there is inside the program: "cluster", and those of clusters/*.toml.
struct Inside {
  std::string_view kind;
  std::span<const EmbeddedFile> files;
};

/// Throws Error when there is neither such a file nor such a name.
FoundFile find_file(const std::string& path_or_name, const Inside& inside);

}  // namespace weft
