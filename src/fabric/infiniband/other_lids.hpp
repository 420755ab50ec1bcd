// SPDX-License-Identifier: Apache-2.0
// Dumps of tables that were made when hosts had other LIDs.
#pragma once
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"

namespace weft::infiniband {

/// A note where the port GUIDs of an LFT dump stand beside other LIDs than the fabric's; nothing
/// for other texts. The tables of the first switch name all hosts.
std::vector<std::string> other_lids(const Source& source, const Fabric& fabric);

}  // namespace weft::infiniband
