// SPDX-License-Identifier: Apache-2.0
// Multicast tables as OpenSM, ibroute and ibdiagnet dump them.
#pragma once
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::infiniband {

bool recognises_multicast(std::string_view text);
/// A group for every multicast LID; its members are the hosts at its ports. All travel on lane 0,
/// or with service level 0: the dumps do not say it.
std::vector<Group> read_multicast(const Source& source, const Fabric& fabric);

}  // namespace weft::infiniband
