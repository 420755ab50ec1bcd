// SPDX-License-Identifier: Apache-2.0
// Hosts by the names that users write.
#pragma once
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// Every text is a host's name, or several with commas between them; a comma within brackets, as in
/// "H(0,3)", or within quotes, is part of a name, and "h0..h63" means all from one to the other.
/// Throws Error for a host named twice.
std::vector<HostId> hosts_named(const Fabric& fabric, const std::vector<std::string>& texts);

/// "64" means the first 64 of the fabric, and nothing means all; any other text is a list of names.
std::vector<HostId> hosts_wanted(const Fabric& fabric, const std::string& text);

}  // namespace weft
