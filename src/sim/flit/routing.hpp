// SPDX-License-Identifier: Apache-2.0
// Routing: the tables as switches ask them: which port a packet takes, and which lanes.
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/flit/lane_table.hpp"
#include "sim/flit/layout.hpp"
#include "sim/flit/own_routes.hpp"

namespace weft::sim {

/// Where a packet goes on, and the lane class that it has there.
struct RouteStep {
  PortNumber port = no_port;  ///< or the tag of a group of links; no_port: there is none
  Lane lane_class = 0;
  std::uint8_t level = 0;  ///< its service level

  bool is_choice() const { return port >= first_link_group && port != no_port; }
};

class Routing {
 public:
  Routing(const Layout& layout, const PacketPool& packets);

  /// From switch `at`, entered by port `in` (of all ports). The port leads to a switch or to the
  /// host meant, or there is none.
  [[gnu::always_inline]] RouteStep operator()(Index at, Index in, const Head& head) {
    if (by_destination_ && !head.has(Head::own_route)) {
      const std::uint16_t port = layout_.out_ports(at, head.to);
      if (port == PortTable::nowhere) return {};
      const RouteStep hop{static_cast<PortNumber>(port + 1)};
      if (hop.is_choice()) return one_lane_ ? hop : choice(hop.port, at, in, head);
      return by(hop.port, at, in, head);
    }
    return by_tags(at, in, head);
  }
  /// What the call above will read, where hops depend on switch and destination: first where that
  /// is, then that.
  bool can_prefetch() const { return by_destination_; }
  void prefetch_page(Index at, const Head& head) const {
    layout_.out_ports.prefetch_page(at, head.to);
  }
  void prefetch(Index at, const Head& head) const {
    layout_.out_ports.prefetch(at, head.to);
    if (levels_ == nullptr || head.hops != 0) return;
    const ColumnId column = layout_.tables.to_host[HostId(head.to)];
    if (column.valid() && source_of_input_.empty()) __builtin_prefetch(&(*levels_)[column][at]);
  }
  /// Groups of links that tags name.
  std::size_t group_count() const {
    if (own_) return own_->link_groups().size();
    const auto* routes = std::get_if<SourceRoutes>(&layout_.tables.paths);
    return routes == nullptr ? 0 : routes->link_groups().size();
  }
  /// The ports that a choice is among, and the hop by one of them, which the switch has.
  std::span<const PortNumber> ports(PortNumber tag) const {
    return own_
               ? own_->link_groups()[tag - first_link_group]
               : std::get<SourceRoutes>(layout_.tables.paths).link_groups()[tag - first_link_group];
  }
  [[gnu::always_inline]] RouteStep by(PortNumber port, Index at, Index in, const Head& head) const {
    if (one_lane_) return {port, 0, 0};
    if (levels_ == nullptr) return {port, lanes_(in, port - 1U, head.lane_class), 0};
    const std::uint8_t of_head = level(at, in, head);
    return {port, lanes_(in, port - 1U, of_head), of_head};
  }
  /// The service level of a packet at a switch that it has entered by port `in`; 0 without levels.
  std::uint8_t level(Index at, Index in, const Head& head) const {
    if (levels_ == nullptr) return 0;
    return head.hops == 0 ? first_level(at, in, head.to) : static_cast<std::uint8_t>(head.level);
  }
  /// The port of a host at its last switch; no_port elsewhere.
  PortNumber last_port(Index at, Index to) const {
    return last_hops_[to].on == at ? last_hops_[to].port : no_port;
  }
  /// The hop to a packet's host at its last switch; no port elsewhere.
  RouteStep to_host(Index at, Index in, const Head& head) const {
    const PortNumber last = last_port(at, head.to);
    return last == no_port ? RouteStep{} : by(last, at, in, head);
  }
  /// Routes that packets have of their own; from the first call on there may be some.
  OwnRoutes& own_routes() {
    if (!own_) own_ = std::make_unique<OwnRoutes>(layout_.fabric, layout_.tables);
    return *own_;
  }
  /// So many packets may follow tags: until then threads share this.
  void make_room(std::size_t packets);
  bool has_own_routes() const { return own_ != nullptr; }
  bool has_levels() const { return levels_ != nullptr; }
  /// Whether the tables name no lanes.
  bool has_one_lane() const { return one_lane_; }
  /// Whether a hop depends on nothing but switch and destination.
  bool by_destination() const { return by_destination_ && one_lane_; }
  /// Whether the next port does, and its lane class on the turn there and the class before.
  bool by_turns() const {
    return by_destination_ && !one_lane_ && levels_ == nullptr &&
           lanes_.is_closed(static_cast<Index>(layout_.class_lanes.size()));
  }
  const LaneTable& lane_table() const { return lanes_; }

  /// The ports a switch copies packets of a group to; in ascending order where it has a root.
  const std::vector<PortNumber>& copies(Index group, SwitchId at) const;
  /// Whether packets of a group go up to a root first, and the port up; 0 where there is none.
  bool has_root(Index group) const { return layout_.tables.groups[group].root.has_value(); }
  PortNumber up(Index group, SwitchId at) const { return up_[group][at.index()]; }

 private:
  /// (With few branches: they would be guessed wrong.)
  [[gnu::always_inline]] RouteStep by_tags(Index at, Index in, const Head& head) {
    if (head.hops == 0) note_tags(at, head);
    const std::span<const PortNumber> tags = tags_of_[head.packet];
    const PortNumber some = tags[std::min<std::size_t>(head.hops, tags.size() - 1)];
    const PortNumber tag = head.hops < tags.size() ? some : here;
    const LastHop& last = last_hops_[head.to];
    const PortNumber end = at == last.on ? last.port : no_port;
    const RouteStep hop{tag == here ? end : tag};
    if (hop.is_choice()) return one_lane_ ? hop : choice(hop.port, at, in, head);
    return layout_.ends.leads_on(at, hop.port, head.to) ? by_tag(hop.port, at, in, head)
                                                        : RouteStep{};
  }
  RouteStep by_tag(PortNumber port, Index at, Index in, const Head& head) const {
    const RouteStep hop = by(port, at, in, head);
    return hop.lane_class < layout_.class_lanes.size() ? hop : RouteStep{};
  }
  RouteStep choice(PortNumber tag, Index at, Index in, const Head& head) const;
  void note_tags(Index at, const Head& head);
  std::span<const PortNumber> tags_from(Index at, const Head& head) const;
  /// Of packets that come from a host, by an input of their first switch, and go to another.
  std::uint8_t first_level(Index at, Index in, Index to) const {
    const Index source = source_of_input_.empty() ? at : source_of_input_[in];
    return (*levels_)[layout_.tables.to_host[HostId(to)]][source];
  }

  struct LastHop {
    Index on;
    PortNumber port;
  };
  const Layout& layout_;
  const PacketPool& packets_;
  const Grid<std::uint8_t>* levels_;    ///< null where packets have no service levels
  std::vector<Index> source_of_input_;  ///< the host at an input, where hosts have own levels
  bool by_destination_, one_lane_;
  LaneTable lanes_;
  std::unique_ptr<OwnRoutes> own_;
  std::vector<std::span<const PortNumber>>
      tags_of_;                     ///< by packet, from its first switch on; never empty
  std::vector<LastHop> last_hops_;  ///< by host
  std::vector<std::vector<const std::vector<PortNumber>*>> copies_;  ///< by group, switch
  std::deque<std::vector<PortNumber>> in_order_;  ///< the ports of groups with a root
  std::vector<std::vector<PortNumber>> up_;       ///< by group, switch; empty without a root
};

}  // namespace weft::sim
