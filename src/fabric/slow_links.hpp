// SPDX-License-Identifier: Apache-2.0
// Links that are slower than others of their kind, as a damaged cable makes them: narrower, or at a
// lower rate.
#pragma once
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// A line for links between switches, and one for links of hosts, where some are slower than the
/// most usual speed of the kind.
std::vector<std::string> slow_links(const Fabric& fabric);

}  // namespace weft
