// SPDX-License-Identifier: Apache-2.0
// Routes: the routing tables of the Elans. Several are loaded at once, and a DMA names one; where
// that has no route, packets follow the fabric's tables. A source whose packets do not get through
// changes its routes so that they avoid the link or switch at fault.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "fabric/detour.hpp"
#include "sim/network.hpp"

namespace weft::sim::elan {

using Tags = std::vector<PortNumber>;

/// The link or switch where a packet broke.
struct Suspect {
  Obstacle obstacle{};
  bool dead = false;  ///< it has failed; otherwise it damages packets
};

/// What routes have to avoid when all of these have failed, for a time or for good.
Obstacles obstacles_of(const Fabric& fabric, const Faults& faults);

class Routes {
 public:
  Routes(const Fabric& fabric, Network& network) : fabric_(fabric), network_(network) {}

  /// The route of packets: one of the network's, or no_route_id: that of the fabric's tables.
  std::uint32_t find(HostId from, std::uint32_t table, HostId to) const;
  /// Throws Error for a host that is not there or tags that do not lead to it.
  void load(HostId from, std::uint32_t table, const std::map<HostId, Tags>& routes);
  /// Changes the route to `to` so that it avoids everything that this source suspects, now
  /// including `suspect`; routes to other hosts stay until they fail, too. Where there is no such
  /// route, links that only damage packets are allowed again. Returns whether there is a route.
  bool avoid(HostId from, HostId to, const Suspect& suspect);

 private:
  using Table = std::map<HostId, std::uint32_t>;  ///< routes of the network
  struct HostRoutes {
    std::map<std::uint32_t, Table> tables{};
    Obstacles dead{}, bad{};
    Table detours{};  ///< they take precedence over all tables
  };
  std::optional<std::uint32_t> around(HostRoutes& source, HostId from, HostId to);

  const Fabric& fabric_;
  Network& network_;
  std::map<HostId, HostRoutes> sources_;  ///< only those with tables or detours
  std::optional<Levels> levels_{};
};

}  // namespace weft::sim::elan
