// SPDX-License-Identifier: Apache-2.0
// Whether the change from old tables to new ones can deadlock: while switches are updated one after
// the other, each may have the old entry or the new one, and packets are under way. A packet for a
// destination may then turn at every switch by either. If the channels can still be numbered so
// that every such turn leads to a larger number, no order of updates can deadlock.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/graph/dependencies.hpp"

namespace weft {

/// One wait of a cycle that may arise: packets that hold `channel` request that of the next wait.
struct MixedWait {
  ChannelId channel{};
  Lane lane = 0;
  HostId to{};            ///< of packets that do so; none: a packet of a group
  std::string entries{};  ///< which make them: "old, then new"
};

struct MixedCycle {
  std::vector<MixedWait> waits;
  /// "s0 port 1 lane 0 (to s1) waits for s1 port 2 lane 0 (to s2), packets to h9, old then new".
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// Channel numbers that increase along every mixture, a cycle, or why there is no verdict.
using TransitionVerdict = std::variant<Certificate, MixedCycle, Refused>;

TransitionVerdict transition(const Fabric& fabric, const Tables& before, const Tables& after);

}  // namespace weft
