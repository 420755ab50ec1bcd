// SPDX-License-Identifier: Apache-2.0
// Hosts by the names and numbers that users give.
#pragma once
#include <string_view>

#include "fabric/fabric.hpp"

namespace weft::sim {

/// A host by its name, or else by its number. Throws Error saying which hosts there are.
HostId host_from(const Fabric& fabric, std::string_view text);

}  // namespace weft::sim
