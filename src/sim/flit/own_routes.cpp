// SPDX-License-Identifier: Apache-2.0
// Routes of packets' own: what they must be, and where they are kept.
#include "sim/flit/own_routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

Tables links_of(const Fabric& fabric, const Tables& tables) {
  if (!std::holds_alternative<OneLane>(tables.lanes))
    throw Error("packets cannot have routes of their own: the tables ({}) tell their lanes",
                tables.engine);
  SourceRoutes groups(fabric.switch_count());
  if (const auto* routes = std::get_if<SourceRoutes>(&tables.paths))
    for (const std::vector<PortNumber>& ports : routes->link_groups()) groups.add_links(ports);
  Tables out;
  out.paths = std::move(groups);
  return out;
}

/// "g0 3 1", of many only the first.
std::string tags_text(std::span<const PortNumber> tags) {
  constexpr std::size_t most = 16;
  std::string out;
  for (const PortNumber tag : tags.first(std::min(tags.size(), most))) {
    if (!out.empty()) out += ' ';
    out += tag >= first_link_group && tag != no_port ? fmt::format("g{}", tag - first_link_group)
                                                     : fmt::format("{}", tag);
  }
  return tags.size() > most ? out + " ..." : out;
}

}  // namespace

OwnRoutes::OwnRoutes(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric), tables_(links_of(fabric, tables)), ways_(fabric, tables_) {}

PortNumber OwnRoutes::add_links(const std::vector<PortNumber>& ports) {
  const auto& known = link_groups();
  require_links(fabric_, ports, known.size());
  const auto found = std::find(known.begin(), known.end(), ports);
  if (found != known.end())
    return static_cast<PortNumber>(first_link_group + (found - known.begin()));
  if (known.size() == most_link_groups)
    throw Error("{} groups of links are there already, and are the most", known.size());
  return std::get<SourceRoutes>(tables_.paths).add_links(ports);
}

RouteId OwnRoutes::add(HostId from, HostId to, std::span<const PortNumber> tags) {
  require_arrival(from, to, tags);
  const auto next = static_cast<RouteId>(size());
  const auto [found, fresh] = known_.try_emplace(std::string(as_key(tags)), next);
  if (!fresh) return found->second;
  routes_.emplace_back(tags.begin(), tags.end());
  return next;
}

void OwnRoutes::require_arrival(HostId from, HostId to, std::span<const PortNumber> tags) {
  std::optional<std::string> wrong = wrong_tag(tags);
  if (!wrong) {
    ways_.aim(to);
    const RouteSet::Index start = ways_.start(from, tags);
    ways_.explore();
    wrong = tags_left(start);
    if (!wrong && ways_[start].end != weft::RouteEnd::reached)
      wrong = wrong_end(to, ways_.worst(start));
  }
  if (wrong)
    throw Error("the route \"{}\" from host \"{}\" to \"{}\" {}", tags_text(tags),
                fabric_[from].name, fabric_[to].name, *wrong);
}

/// Without a look at the fabric.
std::optional<std::string> OwnRoutes::wrong_tag(std::span<const PortNumber> tags) const {
  if (tags.size() > 4 * fabric_.switch_count())
    return fmt::format("is {} tags long; {} are the most here", tags.size(),
                       4 * fabric_.switch_count());
  for (const PortNumber tag : tags) {
    if (tag == here || tag == no_port)
      return fmt::format("has tag {}; ports are numbered from 1", tag);
    if (!groups().ports(tag).empty()) continue;
    const std::size_t count = link_groups().size();
    return fmt::format("names group g{} of links; there {}", tag - first_link_group,
                       count == 0   ? "are none"
                       : count == 1 ? "is only g0"
                                    : fmt::format("are g0 to g{}", count - 1));
  }
  return std::nullopt;
}

std::optional<std::string> OwnRoutes::tags_left(RouteSet::Index start) const {
  for (const RouteSet::Index i : ways_.order()) {
    const RouteSet::RouteNode& place = ways_[i];
    if (place.tags.size() < 2) continue;
    for (const PortNumber port : groups().ports(place.tags.front())) {
      const HostId host = fabric_.at_port(place.position.at, port).host;
      if (!host.valid()) continue;
      const std::size_t left = place.tags.size() - 1;
      return fmt::format("is longer than its path: at host \"{}\" {} left; {} would do",
                         fabric_[host].name,
                         left == 1 ? "a tag is" : fmt::format("{} tags are", left),
                         ways_[start].tags.size() - left);
    }
  }
  return std::nullopt;
}

std::string OwnRoutes::wrong_end(HostId to, const Walk& walk) const {
  const std::string_view at = fabric_[walk.at].name;
  const std::string right = fmt::format("\"{}\" is at port {} of switch \"{}\"", fabric_[to].name,
                                        fabric_[to].port, fabric_[fabric_[to].on].name);
  if (walk.port == here) return fmt::format("ends at switch \"{}\"; {}", at, right);
  if (walk.port > fabric_[walk.at].ports)
    return fmt::format("takes port {} of switch \"{}\", which has {}", walk.port, at,
                       fabric_[walk.at].ports);
  const HostId host = fabric_.at_port(walk.at, walk.port).host;
  if (host.valid())
    return fmt::format("leads to \"{}\" at port {} of switch \"{}\"; {}", fabric_[host].name,
                       walk.port, at, right);
  return fmt::format("takes port {} of switch \"{}\", to which nothing is connected", walk.port,
                     at);
}

}  // namespace weft::sim
