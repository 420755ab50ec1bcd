// SPDX-License-Identifier: Apache-2.0
// Routes: the routing tables of the Elans. Several are loaded at once, a DMA says which it uses;
// where a table has no route of its own the fabric's tables lead. A source that cannot get through
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

/// What a packet broke at.
struct Suspect {
  Obstacle obstacle{};
  bool dead = false;  ///< failed, rather than it damages packets
};

/// What routes have to avoid when all of these have failed, for a time or for good.
Obstacles obstacles_of(const Fabric& fabric, const Faults& faults);

class Routes {
 public:
  Routes(const Fabric& fabric, Network& network) : fabric_(fabric), network_(network) {}

  /// What packets take: a route of the network, or no_route_id: as the fabric's tables say.
  std::uint32_t find(HostId from, std::uint32_t table, HostId to) const;
  /// Throws Error for a host that is not there or tags that do not lead to it.
  void load(HostId from, std::uint32_t table, const std::map<HostId, Tags>& routes);
  /// Whether there is a way to `to` without anything this source suspects, now this, too; packets
  /// to it take that from now on, those to others when they do not get through either. Without one,
  /// what only damages packets is given another chance.
  bool avoid(HostId from, HostId to, const Suspect& suspect);

 private:
  using Table = std::map<HostId, std::uint32_t>;  ///< routes of the network
  struct HostRoutes {
    std::map<std::uint32_t, Table> tables{};
    Obstacles dead{}, bad{};
    Table detours{};  ///< they count before all tables
  };
  std::optional<std::uint32_t> around(HostRoutes& source, HostId from, HostId to);

  const Fabric& fabric_;
  Network& network_;
  std::map<HostId, HostRoutes> sources_;  ///< those that have something of their own
  std::optional<Levels> levels_{};
};

}  // namespace weft::sim::elan
