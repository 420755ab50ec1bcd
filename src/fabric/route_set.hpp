// SPDX-License-Identifier: Apache-2.0
// RouteSet: all routes that source routes leave open, where tags name groups of links. It is a
// graph of packet positions; packets that came by the same channel, on the same lane, with the same
// tags left go on alike and share a node.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

/// Needs tables with source routes, or at least their groups of links. One object serves many
/// destinations.
class RouteSet {
 public:
  using Index = std::uint32_t;
  struct RouteNode {
    PacketPosition position;
    ChannelId by{};                      ///< packets came by it; none: from a host
    std::span<const PortNumber> tags{};  ///< that are left
    std::uint64_t tags_hash = 0;
    RouteEnd end = RouteEnd::reached;  ///< or how the first choice ends that does not arrive
    PortNumber port = here;            ///< that it takes here
    Index hops = 1;                    ///< switches on the longest route from here on
    Index choices = 0;                 ///< ports that may be taken
    Index first = 0, count = 0;        ///< of its next hops to other switches
  };
  struct NextHop {
    ChannelId by{};
    Lane lane = 0;
    Index to = 0;  ///< a node
  };

  RouteSet(const Fabric& fabric, const Tables& tables);

  /// Chooses the destination, and drops the nodes of the last one.
  void aim(HostId to);
  /// The node where packets of a host enter; no_node without a route.
  Index start(HostId from);
  /// The same with tags from elsewhere than the tables; they must outlive the nodes.
  Index start(HostId from, std::span<const PortNumber> tags) {
    return start(from, ColumnId::none(), tags);
  }
  static constexpr Index no_node = ~Index{0};
  /// Follows all routes that were started to their ends.
  void explore();

  const RouteNode& operator[](Index node) const { return nodes_[node]; }
  std::span<const NextHop> next_hops(const RouteNode& node) const {
    return {next_hops_.data() + node.first, node.count};
  }
  /// All nodes; next hops lead to later ones.
  std::span<const Index> order() const { return order_; }
  /// One route from a node: the first that does not arrive, if there is one.
  Walk worst(Index node) const;

 private:
  Index start(HostId from, ColumnId column, std::span<const PortNumber> tags);
  Index node_of(const RouteNode& node);
  std::size_t slot_of(const RouteNode& node) const;
  bool goes_on_alike(const RouteNode& a, const RouteNode& b) const;
  void grow();
  void expand(Index node);
  void judge(RouteNode& node) const;

  const Fabric& fabric_;
  const Tables& tables_;
  const SourceRoutes& routes_;
  Stepper stepper_;
  HostId to_{};
  std::vector<RouteNode> nodes_;
  std::vector<NextHop> next_hops_;
  std::vector<std::vector<Index>> by_length_;  ///< nodes by the number of tags left
  std::vector<Index> order_;
  std::vector<Index> known_;  ///< a hash table of nodes, at most half full
};

/// A LID of a host.
struct FurtherLid {
  HostId host{};
  unsigned lid = 0;  ///< above its first
};

/// The route of a pair, human-readable. Where there are choices, all routes in one line, as "h0 ->
/// s0:3|4 lane 0 -> s4, s6:1 lane 0 -> s1:2 -> h3", or one that does not arrive.
std::string route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to);
/// The same to a further LID of the host (LMC); routes to the first LID serve those that have none.
std::string route_text(const Fabric& fabric, Tables tables, HostId from, FurtherLid to);

}  // namespace weft
