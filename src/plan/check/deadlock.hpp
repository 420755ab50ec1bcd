// SPDX-License-Identifier: Apache-2.0
// The deadlock check: a certificate of deadlock freedom, or a dependency cycle.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

/// One wait of a cycle: a packet that holds `channel` on `lane` requests the next wait's channel.
struct ChannelWait {
  ChannelId channel{};
  Lane lane = 0;
  HostId from{}, to{};  ///< a route that does so; none when a packet of a group does
  unsigned lid = 0;     ///< of `to`, above its first: the route is to this one
  std::string group{};
};

/// A cycle of channels that wait for each other: the last waits for the first.
struct DependencyCycle {
  std::vector<ChannelWait> waits;
  /// "s0 port 1 lane 0 waits for s1 port 2 lane 0, on the route from h0 to h9", one line a wait.
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// A certificate, a cycle, or why there is neither (a packet runs out of lanes).
using DeadlockVerdict = std::variant<Certificate, DependencyCycle, Refused>;

DeadlockVerdict deadlock(const Fabric& fabric, const Tables& tables);

/// A short cycle of a dependency graph; empty when it has none.
std::vector<LaneChannel> find_cycle(const DependencyGraph& graph);
/// The certificate of a graph without cycles.
Certificate numbered(const DependencyGraph& graph, int lanes);

}  // namespace weft
