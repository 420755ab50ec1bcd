// SPDX-License-Identifier: Apache-2.0
// DragonflyRoutes: canonical minimal routes on dragonflies (Kim, Dally, Scott, Abts, 2008) and
// dragonflies+ (Shpiner et al., 2017): inside a group to a switch with a link to the other group,
// that link, and inside that group to the destination. Routes as short over two links between
// groups are none of them. min, valiant, ugal, par and min_adaptive use it.
#pragma once
#include <variant>
#include <vector>

#include "plan/route/algorithms/switch_groups.hpp"

namespace weft {

class DragonflyRoutes {
 public:
  /// Refused, with what is missing, where a fabric is no dragonfly of either kind.
  static std::variant<DragonflyRoutes, Refused> find(const Fabric& fabric);

  const SwitchGroups& groups() const { return groups_; }
  /// All ports of canonical routes to a switch; none at the switch itself, or where a link is
  /// missing. A switch with links to the other group takes one of these; links to the
  /// destination itself go before others.
  std::vector<PortNumber> ports(SwitchId at, SwitchId to) const;
  /// The same to any switch of a group.
  std::vector<PortNumber> ports_to_group(SwitchId at, std::uint32_t group) const;
  /// The one of all routes to a switch, or to a group, that a destination and a source have in
  /// turn.
  std::vector<PortNumber> one_port(SwitchId at, SwitchId to) const;
  std::vector<PortNumber> one_port_to_group(SwitchId at, std::uint32_t group) const;
  /// Whether routes to the group lead back to a leaf first: from a spine (of a dragonfly+) that has
  /// no link there.
  bool turns_back(SwitchId at, std::uint32_t group) const;

 private:
  DragonflyRoutes(const Fabric& fabric, SwitchGroups groups)
      : fabric_(&fabric), groups_(std::move(groups)) {}
  std::vector<ChannelId> links(SwitchId at, std::uint32_t group, SwitchId to) const;
  std::vector<PortNumber> local_ports(SwitchId at, SwitchId to) const;
  std::vector<PortNumber> ports_by(SwitchId at, ChannelId link) const;
  std::vector<PortNumber> all_by(SwitchId at, const std::vector<ChannelId>& links) const;
  std::vector<PortNumber> one_by(SwitchId at, const std::vector<ChannelId>& links,
                                 std::size_t turn) const;

  const Fabric* fabric_;
  SwitchGroups groups_;
};

}  // namespace weft
