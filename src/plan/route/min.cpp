// SPDX-License-Identifier: Apache-2.0
// min: minimal routes on dragonflies (Kim, Dally, Scott, Abts, 2008): a local link to a switch with
// a link to the other group, that link, and a local link there; each but the first two may be
// missing. Some pairs have routes as short over two global links: these are never taken, as they
// would overload such links. Lane 1 is that of the last local link, lane 0 of all before.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/switch_groups.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// The next channels of routes to one switch.
class ColumnOfDragonfly {
 public:
  ColumnOfDragonfly(const Fabric& fabric, const SwitchGroups& groups, SwitchId to)
      : fabric_(fabric), groups_(groups), to_(to) {}

  PortNumber port(SwitchId at) const {
    if (at == to_) return here;
    if (groups_.of(at) == groups_.of(to_)) return port_to(at, to_);
    const auto links = groups_.between(groups_.of(at), groups_.of(to_));
    if (const ChannelId own = best_of(links, at, at); own.valid()) return fabric_.out_port(own);
    return port_to(at, fabric_.from(best_of(links, at, SwitchId::none())));
  }

 private:
  /// A link of a switch, or of any: one that leads to the destination itself, or one in turn, by
  /// destination and source.
  ChannelId best_of(std::span<const ChannelId> links, SwitchId at, SwitchId of) const {
    std::vector<ChannelId> all, direct;
    for (const ChannelId link : links) {
      if (of.valid() && fabric_.from(link) != of) continue;
      all.push_back(link);
      if (fabric_.to(link) == to_) direct.push_back(link);
    }
    const std::vector<ChannelId>& best = direct.empty() ? all : direct;
    return best.empty() ? ChannelId::none() : best[(to_.index() + at.index()) % best.size()];
  }
  /// Of parallel links one in turn, by destination.
  PortNumber port_to(SwitchId at, SwitchId next) const {
    std::vector<PortNumber> ports;
    for (const ChannelId channel : fabric_.out(at))
      if (fabric_.to(channel) == next) ports.push_back(fabric_.out_port(channel));
    return ports[to_.index() % ports.size()];
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  SwitchId to_;
};

/// Local links after a global one are on lane 1; routes make no other turns.
TurnLanes last_local_apart(const Fabric& fabric, const SwitchGroups& groups) {
  TurnLanes turns(fabric, LaneOp::set(0), LaneOp());
  for (const SwitchId s : fabric.switches())
    for (const ChannelId back : fabric.out(s))
      for (const ChannelId out : fabric.out(s)) {
        const bool from_local = groups.is_local(fabric, back);
        if (from_local == groups.is_local(fabric, out)) continue;
        turns.at(s, fabric.out_port(back), fabric.out_port(out)) =
            LaneOp::set(from_local ? Lane{0} : Lane{1});
      }
  return turns;
}

}  // namespace

Routed min_on_dragonfly(const Fabric& fabric, const Params&) {
  const auto found = SwitchGroups::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const auto& groups = std::get<SwitchGroups>(found);
  Tables tables = empty_tables(fabric, false);
  auto& next = std::get<DestinationTables>(tables.paths);
  for (const SwitchId to : destinations(fabric)) {
    const ColumnOfDragonfly column(fabric, groups, to);
    const auto ports = next[tables.to_host[fabric.hosts_on(to).front()]];
    for (const SwitchId at : fabric.switches()) ports[at.index()] = column.port(at);
  }
  if (groups.size() == 1) return tables;
  tables.lane_count = 2;
  tables.lanes = last_local_apart(fabric, groups);
  return tables;
}

}  // namespace weft
