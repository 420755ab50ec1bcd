// SPDX-License-Identifier: Apache-2.0
// Pairs of hosts that are not reached, grouped by what goes wrong with their packets, and where.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

/// A pair of hosts whose route does not arrive, or not by every choice.
struct Stray {
  HostId from{}, to{};
};

/// How and where packets are lost.
struct LossPlace {
  RouteEnd end = RouteEnd::no_entry;
  /// One switch; of a loop all, in their order; none where no switch has an entry.
  std::vector<SwitchId> at{};
  PortNumber port = no_port;  ///< that they were to take there; no_port where it does not matter
  friend auto operator<=>(const LossPlace&, const LossPlace&) = default;
};

/// Where a walk that does not arrive ends.
LossPlace loss_place(const Fabric& fabric, const Walk& walk);
/// The loop of a destination column that a switch is on, from its first switch on.
LossPlace loop_of(const Fabric& fabric, std::span<const PortNumber> next, SwitchId on);

/// Pairs of hosts that are lost for one reason.
struct LostPairs {
  LossPlace place{};         ///< several switches without an entry for the same hosts are one group
  std::vector<HostId> to{};  ///< destinations, each once
  std::uint64_t pairs = 0;
  Stray example{};
  /// "240 pairs: switch "leaf3" has no entry for 12 hosts of "leaf7" (h84, h85, …)".
  std::string describe(const Fabric& fabric) const;
  /// "no entry", "loop", …
  std::string_view cause() const;
};

/// " by LID 23", or " by LID + 1" where LIDs have no numbers, for a further LID that is so far
/// above the first of the host; nothing for the first.
std::string by_lid(const Fabric& fabric, HostId host, unsigned further);

class LostPairsByPlace {
 public:
  /// So many pairs from `from`, among other sources, to each of these hosts together.
  void add(const LossPlace& place, HostId from, std::span<const HostId> to, std::uint64_t pairs);
  /// All groups, the largest first.
  std::vector<LostPairs> groups() &&;

 private:
  std::map<LossPlace, LostPairs> by_place_;
};

}  // namespace weft
