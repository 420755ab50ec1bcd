// SPDX-License-Identifier: Apache-2.0
// Multicast tables as OpenSM, ibroute and ibdiagnet dump them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::infiniband {

struct MulticastTables {
  std::vector<Group> groups;
  std::string note{};  ///< on switches that the fabric does not have; empty where it has all
};
bool recognises_multicast(std::string_view text);
/// A group for every multicast LID; its members are the hosts at its ports. All travel on lane 0,
/// or with service level 0: the dumps do not say it.
MulticastTables read_multicast(const Source& source, const Fabric& fabric);

}  // namespace weft::infiniband
