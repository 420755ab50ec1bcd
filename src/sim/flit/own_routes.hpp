// SPDX-License-Identifier: Apache-2.0
// OwnRoutes: lists of tags that packets have instead of the tables' routes. Every list is kept
// once: in a tree, most sources reach a host with the same tags.
#pragma once
#include <optional>
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

  std::size_t size() const { return begin_.size() - 1; }
  /// The tag for the switch after so many others.
  PortNumber tag(RouteId route, std::uint32_t hops) const {
    const std::size_t place = begin_[route] + hops;
    return place < begin_[route + std::size_t{1}] ? tags_[place] : here;
  }
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
  std::vector<std::size_t> begin_{0};  ///< by route
  std::vector<PortNumber> tags_;
  std::unordered_map<std::string, RouteId> known_;
};

}  // namespace weft::sim
