// SPDX-License-Identifier: Apache-2.0
// All routes that choice tables allow, followed step by step: what goes wrong, how long they get,
// which lanes can block each other, and how many packets each channel carries.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "fabric/tables.hpp"

namespace weft::test {

struct AllowedRoutes {
  std::string wrong{};            ///< of the first route that does not arrive; else empty
  std::size_t longest = 0;        ///< channels on the longest route
  std::size_t lane_channels = 0;  ///< that packets can be on
  std::size_t in_circles = 0;     ///< of these, those that can wait for themselves in the end
};

/// Follows every candidate of every packet, and every detour: by any intermediate destination,
/// whatever the rule.
AllowedRoutes allowed_routes(const Fabric& fabric, const Tables& tables);

/// The packets on every channel, where each switch sends as many to each as `packets` says. Starts
/// and candidates are equally likely, and so are the intermediate destinations that the rule
/// allows. Packets that may stay on their own route do.
IdVector<ChannelId, double> packets_on_channels(
    const Fabric& fabric, const Tables& tables,
    const std::function<double(SwitchId from, SwitchId to)>& packets);

}  // namespace weft::test
