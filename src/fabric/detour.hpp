// SPDX-License-Identifier: Apache-2.0
// Detours: routes around links and switches that do not work, in fabrics with levels. Like the
// routes of a tree they go up first and then only down, so that they close no dependency cycle.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// A link between switches (by one of its channels), the link of a host, or a switch.
struct Obstacle {
  ChannelId channel{};
  HostId host{};
  SwitchId on{};
};

/// What routes are to avoid.
class Obstacles {
 public:
  void add(const Obstacle& obstacle);
  void clear() { *this = {}; }
  bool empty() const { return links_.empty() && hosts_.empty() && switches_.empty(); }
  bool blocks(LinkId link) const { return links_.count(link) > 0; }
  bool blocks(HostId host) const { return hosts_.count(host) > 0; }
  bool blocks(SwitchId on) const { return switches_.count(on) > 0; }

 private:
  std::set<LinkId> links_;
  std::set<HostId> hosts_;  ///< their links are to be avoided
  std::set<SwitchId> switches_;
};

/// By switch: how far the nearest host is. Links lead up to a higher level or down to a lower one.
class Levels {
 public:
  explicit Levels(const Fabric& fabric);
  unsigned operator[](SwitchId on) const { return levels_[on.index()]; }

 private:
  std::vector<unsigned> levels_;
};

/// The ports of a shortest route that goes up and then down, without the host's own; nothing where
/// there is none. `turn` chooses among routes of the same length.
std::optional<std::vector<PortNumber>> detour(const Fabric& fabric, const Levels& levels,
                                              HostId from, HostId to,
                                              const std::vector<const Obstacles*>& avoid,
                                              std::uint64_t turn = 0);

}  // namespace weft
