// SPDX-License-Identifier: Apache-2.0
// The channel dependency graph (Dally and Seitz, 1987): its nodes are (channel, lane), and an edge
// says that some packet holding the first asks for the second next.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

/// A node of the graph: channel * lanes + lane. Where groups have a root there are nodes for the
/// links to hosts, too: see rooted.hpp.
using LaneChannel = Id<struct LaneChannelTag>;

class DependencyGraph {
 public:
  struct Edge {
    LaneChannel from, to;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  DependencyGraph(std::size_t channels, int lanes, std::vector<Edge> edges);

  std::size_t node_count() const { return begin_.size() - 1; }
  std::size_t dependency_count() const { return to_.size(); }
  IdRange<LaneChannel> nodes() const { return IdRange<LaneChannel>(node_count()); }
  std::span<const LaneChannel> after(LaneChannel n) const {
    return {to_.data() + begin_[n.index()], to_.data() + begin_[n.index() + 1]};
  }
  ChannelId channel(LaneChannel n) const { return ChannelId(n.index() / lanes_); }
  Lane lane(LaneChannel n) const { return static_cast<Lane>(n.index() % lanes_); }

 private:
  std::size_t lanes_;
  std::vector<std::size_t> begin_;
  std::vector<LaneChannel> to_;
};

/// All dependencies that unicast and multicast packets of the hosts can cause. Refused when
/// some packet would turn to a lane that does not exist.
std::variant<DependencyGraph, Refused> dependencies(const Fabric& fabric, const Tables& tables);

}  // namespace weft
