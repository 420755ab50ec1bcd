// SPDX-License-Identifier: Apache-2.0
// Finds files by what users write: a path, or the name of a file embedded in the program.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "fabric/format/format.hpp"
#include "lab/embedded.hpp"

namespace weft {

bool is_file(const std::string& path);
/// Whether a text is a path rather than a name or a spec.
bool looks_like_a_path(const std::string& text);
/// Reads a whole file; "-" is standard input.
Source read_input(const std::string& path);

struct FoundFile {
  Source source{};
  std::optional<std::filesystem::path> folder{};  ///< of a file that is not embedded
};

/// The embedded files of one kind: "cluster", and those of clusters/*.toml.
struct EmbeddedKind {
  std::string_view kind;
  std::span<const EmbeddedFile> files;
};

/// The file of this path, or the embedded one of this name. Throws Error when there is neither.
FoundFile find_file(const std::string& path_or_name, const EmbeddedKind& embedded);

}  // namespace weft
