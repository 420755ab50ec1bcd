// SPDX-License-Identifier: Apache-2.0
// Routing tables of the Elans, and how a source changes its own.
#include "sim/elan/routes.hpp"

#include "base/error.hpp"

namespace weft::sim::elan {

Obstacles obstacles_of(const Fabric& fabric, const Faults& faults) {
  Obstacles out;
  for (const LinkFault& fault : faults.links) {
    if (fault.host.valid()) {
      out.add({.host = fault.host});
    } else {
      const LinkEnd& end = fabric[fault.link].a;
      out.add({.channel = fabric.channel_at(end.on, end.port)});
    }
  }
  for (const SwitchFault& fault : faults.switches) out.add({.on = fault.on});
  return out;
}

std::uint32_t Routes::find(HostId from, std::uint32_t table, HostId to) const {
  const auto source = sources_.find(from);
  if (source == sources_.end()) return no_route_id;
  if (const auto detour = source->second.detours.find(to); detour != source->second.detours.end())
    return detour->second;
  const auto found = source->second.tables.find(table);
  if (found == source->second.tables.end()) return no_route_id;
  const auto route = found->second.find(to);
  return route == found->second.end() ? no_route_id : route->second;
}

void Routes::load(HostId from, std::uint32_t table, const std::map<HostId, Tags>& routes) {
  Table loaded;  // all of it or nothing
  for (const auto& [to, tags] : routes) loaded[to] = network_.add_route(from, to, tags);
  sources_[from].tables[table] = std::move(loaded);
}

/// A route around everything that this source suspects, if there is one.
std::optional<std::uint32_t> Routes::around(HostRoutes& source, HostId from, HostId to) {
  if (!levels_) levels_.emplace(fabric_);
  const auto tags =
      detour(fabric_, *levels_, from, to, {&source.dead, &source.bad}, from.index() + to.index());
  if (!tags) return std::nullopt;
  return network_.add_route(from, to, *tags);
}

bool Routes::avoid(HostId from, HostId to, const Suspect& suspect) {
  HostRoutes& source = sources_[from];
  (suspect.dead ? source.dead : source.bad).add(suspect.obstacle);
  auto route = around(source, from, to);
  if (!route && !source.bad.empty()) {
    source.bad.clear();
    route = around(source, from, to);
  }
  if (!route) return false;
  source.detours[to] = *route;
  return true;
}

}  // namespace weft::sim::elan
