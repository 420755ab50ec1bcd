// SPDX-License-Identifier: Apache-2.0
// What the parameters of a network mean in time and bytes, and what about them no machine has, or
// would waste.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/machine.hpp"

namespace weft {

struct NetworkFigures {
  Duration cycle{};
  Duration hop{};  ///< of a head through a switch, without cables; the slowest where they differ
  Duration host_cable{}, longest_cable{};
  Bandwidth fastest{};  ///< of all links
  /// Rate times round trip of the longest link, until a credit is back.
  Bytes round_trip{};
  Bytes buffer{};  ///< of a lane of an input port
};
/// `longest`: flits of the longest packet.
NetworkFigures figures_of(const Fabric& fabric, const sim::SwitchModel& switches,
                          std::uint32_t longest);

/// The rate at which the NIC moves long messages, if nothing else holds it up.
Bandwidth streaming_rate(const sim::NicModel& nic);
/// Flits of the NIC's longest packet.
std::uint32_t longest_packet(const sim::NicModel& nic, const sim::SwitchModel& switches);

/// A sentence for each, with the parameter to change.
std::vector<std::string> warnings_about(const Fabric& fabric, const sim::SwitchModel& switches,
                                        std::uint32_t longest);
/// But for its routes.
std::vector<std::string> warnings_about(const Machine& machine);

}  // namespace weft
