// SPDX-License-Identifier: Apache-2.0
// The proof of deadlock freedom, or what stands against it.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

/// One wait of a cycle: whoever holds `channel` on `lane` asks for the next step's channel next.
struct ChannelWait {
  ChannelId channel{};
  Lane lane = 0;
  HostId from{}, to{};  ///< a route that does so; none when it is a group's packet
  std::string group{};
};

/// Channels that wait for each other in a circle: the last waits for the first.
struct DependencyCycle {
  std::vector<ChannelWait> waits;
  /// "s0 port 1 lane 0 waits for s1 port 2 lane 0, on the route from h0 to h9", one line a wait.
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// A certificate, a cycle, or why neither can be had (a packet runs out of lanes).
using DeadlockVerdict = std::variant<Certificate, DependencyCycle, Refused>;

DeadlockVerdict deadlock(const Fabric& fabric, const Tables& tables);

}  // namespace weft
