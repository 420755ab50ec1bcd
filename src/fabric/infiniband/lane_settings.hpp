// SPDX-License-Identifier: Apache-2.0
// Lanes (VLs) of service levels in the settings of OpenSM, opensm.conf.
#pragma once
#include <string_view>

#include "fabric/infiniband/service_levels.hpp"

namespace weft::infiniband {

/// Whether these are settings of OpenSM that give lanes to service levels.
bool recognises_lane_settings(std::string_view text);
/// The lanes of the ports of switches, which are all alike. Throws Error.
LaneMaps read_lane_settings(const Source& source, const Fabric& fabric);

}  // namespace weft::infiniband
