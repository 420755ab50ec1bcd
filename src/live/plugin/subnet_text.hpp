// SPDX-License-Identifier: Apache-2.0
// The subnet that OpenSM has found, in the words of ibnetdiscover.
#pragma once
#include <string>

#include "live/plugin/opensm.hpp"

namespace weft::live {

/// Switches, adapters and routers with their names, LIDs, cables and speeds.
std::string subnet_text(osm_subn_t& subnet);

/// Data lanes (VLs) that all cabled ports of switches have: one without QoS.
std::uint32_t data_lanes(osm_subn_t& subnet);

}  // namespace weft::live
