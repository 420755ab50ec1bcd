// SPDX-License-Identifier: Apache-2.0
// An InfiniBand subnet from the files that an administrator has: topology, forwarding tables,
// service levels, multicast, whatever is there, recognised by what is in them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fabric/infiniband/adaptive_tables.hpp"

namespace weft::infiniband {

struct ImportedFile {
  std::string name;  ///< without its folder
  std::string what;  ///< what was read from it, or why nothing was; in words
};

struct Subnet {
  Fabric fabric;
  std::optional<Tables> tables{};
  std::vector<AdaptiveSwitch> adaptive{};
  std::vector<ImportedFile> files{};
  std::vector<std::string> notes{};    ///< what is odd
  std::vector<std::string> missing{};  ///< what is not there, and what cannot be judged without it
};

/// Reads the files of a folder, or a single file, compressed or not. Throws Error when there is no
/// topology among them, and for a file that is damaged or belongs to another subnet.
Subnet import_folder(const std::string& folder);
/// The tables of a folder that has no topology, or another one than is wanted: its LIDs are not
/// read either, and a fabric without GUIDs and LIDs has those of with_addresses.
Subnet import_folder(const std::string& folder, const Fabric& fabric);
/// Only its topology, with LIDs.
Fabric folder_fabric(const std::string& folder);
/// Whether a folder has a topology, or forwarding tables, to judge by how its files begin.
bool folder_has_topology(const std::string& folder);
bool folder_has_tables(const std::string& folder);

}  // namespace weft::infiniband
