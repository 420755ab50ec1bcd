// SPDX-License-Identifier: Apache-2.0
// The files of a folder with dumps, recognised by what is in them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::infiniband {

/// What a file may be for; the first of several that are there is read.
enum class FileKind { topology, unicast, multicast, lane_maps, path_levels, adaptive, lids, log };

struct KnownFile {
  std::string path, name;
  std::optional<FileKind> kind{};
  std::size_t rank = 0;      ///< the least is preferred
  std::string compressed{};  ///< why it cannot be read, where another program has compressed it
  std::optional<unsigned> adaptive_levels{};  ///< ar_sl_mask of OpenSM's settings
  std::string unread{};                       ///< why nothing is read from it, where it has no kind
};

/// How OpenSM's log says which engine it has used: the word before this.
inline constexpr std::string_view engine_mark = " tables configured on all switches";

/// Those of a folder, by name; or the file itself. Throws Error.
std::vector<KnownFile> known_files(const std::string& place);

/// The folders within a folder that hold a topology; only small ones are looked into.
std::vector<std::string> folders_with_topology(const std::string& folder);

}  // namespace weft::infiniband
