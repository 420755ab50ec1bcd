// SPDX-License-Identifier: Apache-2.0
// OwnRoutes: lists of tags that packets have instead of the tables' routes. Every list is kept
// once: in a tree, most sources reach a host with the same tags.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/route_set.hpp"
#include "sim/network.hpp"

namespace weft::sim {

class OwnRoutes {
 public:
  /// With the groups of links that the tables have. Throws Error when lanes differ in them.
  OwnRoutes(const Fabric& fabric, const Tables& tables);

  /// Throw Error: see Network.
  RouteId add(HostId from, HostId to, std::span<const PortNumber> tags);
  PortNumber add_links(const std::vector<PortNumber>& ports);

  std::size_t size() const { return routes_.size(); }
  /// They stay where they are.
  std::span<const PortNumber> tags(RouteId route) const { return routes_[route]; }
  const std::vector<std::vector<PortNumber>>& link_groups() const { return groups().link_groups(); }

 private:
  const SourceRoutes& groups() const { return std::get<SourceRoutes>(tables_.paths); }
  void require_arrival(HostId from, HostId to, std::span<const PortNumber> tags);
  std::optional<std::string> wrong_tag(std::span<const PortNumber> tags) const;
  std::optional<std::string> tags_left(RouteSet::Index start) const;
  std::string wrong_end(HostId to, const Walk& walk) const;

  const Fabric& fabric_;
  Tables tables_;  ///< nothing but groups of links
  RouteSet ways_;
  std::deque<std::vector<PortNumber>> routes_;
  std::unordered_map<std::string, RouteId> known_;
};

}  // namespace weft::sim
