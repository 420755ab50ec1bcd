// SPDX-License-Identifier: Apache-2.0
// Steering: the tables as the engine asks them: which port, and which lanes.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "fabric/tables.hpp"
#include "sim/engine/lanes.hpp"
#include "sim/engine/own_routes.hpp"

namespace weft::sim {

class Steering {
 public:
  Steering(const Fabric& fabric, const Tables& tables);

  struct Way {
    PortNumber port = no_port;  ///< or the tag of a group of links; no_port: there is none
    Lane lane_class = 0;
  };
  /// From switch `at`, entered by port `in`, after `slot.hops` switches.
  Way operator()(Index at, PortNumber in, const Slot& slot) const {
    const Destination& to = destinations_[slot.packet.to.index()];
    PortNumber port;
    if (slot.packet.route != no_route_id) {
      port = own_->tag(slot.packet.route, slot.hops);
    } else {
      if (to.column == nothing) return {};
      port = next_ != nullptr ? next_[to.column * width_ + at] : source_route(to.column, slot);
    }
    if (at == to.on && (port == here || port == to.port)) return {to.port, 0};
    if (port == here) return {};
    if (port >= first_link_group) return of_group(at, in, port, slot);
    if (one_lane_) return {port, 0};
    return {port, lane_class(SwitchId(at), in, port, slot)};
  }
  static bool is_choice(const Way& way) {
    return way.port >= first_link_group && way.port != no_port;
  }
  /// The ports that a choice is among, and the way by one of them.
  std::span<const PortNumber> ports(PortNumber tag) const {
    return own_ ? own_->link_groups()[tag - first_link_group]
                : std::get<SourceRoutes>(tables_.paths).link_groups()[tag - first_link_group];
  }
  Way by(PortNumber port, Index at, PortNumber in, const Slot& slot) const {
    if (one_lane_ || is_own(port, at, slot)) return {port, 0};
    return {port, lane_class(SwitchId(at), in, port, slot)};
  }
  /// Routes that packets have of their own; from the first call on there may be some.
  OwnRoutes& own_routes() {
    if (!own_) own_ = std::make_unique<OwnRoutes>(fabric_, tables_);
    return *own_;
  }
  bool has_own_routes() const { return own_ != nullptr; }
  /// Whether the way depends on nothing but switch and destination.
  bool by_destination() const { return next_ != nullptr && one_lane_; }
  /// The ports a switch copies packets of a group to; in ascending order where it has a root.
  const std::vector<PortNumber>& copies(std::uint32_t group, SwitchId at) const;
  /// Whether packets of a group go up to a root first, and the port up; 0 where there is none.
  bool has_root(std::uint32_t group) const { return tables_.groups[group].root.has_value(); }
  PortNumber up(std::uint32_t group, SwitchId at) const { return up_[group][at.index()]; }

 private:
  PortNumber source_route(Index column, const Slot& slot) const;
  Way of_group(Index at, PortNumber in, PortNumber tag, const Slot& slot) const;
  bool is_own(PortNumber port, Index at, const Slot& slot) const {
    const Destination& to = destinations_[slot.packet.to.index()];
    return at == to.on && port == to.port;
  }
  Lane lane_class(SwitchId at, PortNumber in, PortNumber out, const Slot& slot) const;

  struct Destination {
    Index column, on;
    PortNumber port;
  };
  const Fabric& fabric_;
  const Tables& tables_;
  const PortNumber* next_ = nullptr;  ///< by column and switch; null for source routes
  std::size_t width_ = 0;
  bool one_lane_;
  std::unique_ptr<OwnRoutes> own_;
  std::vector<Destination> destinations_;                            ///< by host
  std::vector<std::vector<const std::vector<PortNumber>*>> copies_;  ///< by group, switch
  std::deque<std::vector<PortNumber>> in_order_;  ///< the ports of groups with a root
  std::vector<std::vector<PortNumber>> up_;       ///< by group, switch; empty without a root
};

}  // namespace weft::sim
