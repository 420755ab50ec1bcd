// SPDX-License-Identifier: Apache-2.0
// The keys of a file that weft reads, described beside the reader, which takes no others. `weft
// help inputs` and docs/reference/inputs.md print them.
#pragma once
#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace weft {

struct FileKey {
  std::string_view name;
  std::string_view values;   ///< type, unit and range: "time", "1 to 64"
  std::string_view meaning;  ///< with the default, where there is one
};

/// The keys of a file, or of a part of it.
struct KeyTable {
  std::string_view title, about;
  std::span<const FileKey> keys;
};

inline bool has_key(std::span<const FileKey> keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const FileKey& key) { return key.name == name; });
}

inline std::vector<std::string_view> names_of_keys(std::span<const FileKey> keys) {
  std::vector<std::string_view> out;
  for (const FileKey& key : keys) out.push_back(key.name);
  return out;
}

}  // namespace weft
