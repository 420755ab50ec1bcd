// SPDX-License-Identifier: Apache-2.0
// Canonical minimal routes, from the groups alone.
#include "plan/route/algorithms/dragonfly_routes.hpp"

#include <algorithm>

namespace weft {

std::variant<DragonflyRoutes, Refused> DragonflyRoutes::find(const Fabric& fabric) {
  auto found = SwitchGroups::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) {
    auto plus = SwitchGroups::find_with_spines(fabric);
    if (std::holds_alternative<Refused>(plus)) return *refused;
    found = std::move(plus);
  }
  return DragonflyRoutes(fabric, std::get<SwitchGroups>(std::move(found)));
}

std::vector<PortNumber> DragonflyRoutes::ports(SwitchId at, SwitchId to) const {
  const std::uint32_t group = groups_.of(to);
  if (groups_.of(at) == group) return local_ports(at, to);
  return all_by(at, links(at, group, to));
}

std::vector<PortNumber> DragonflyRoutes::ports_to_group(SwitchId at, std::uint32_t group) const {
  if (groups_.of(at) == group) return {};
  return all_by(at, links(at, group, SwitchId::none()));
}

std::vector<PortNumber> DragonflyRoutes::one_port(SwitchId at, SwitchId to) const {
  const std::uint32_t group = groups_.of(to);
  if (groups_.of(at) != group) return one_by(at, links(at, group, to), to.index() + at.index());
  const auto local = local_ports(at, to);
  if (local.empty()) return {};
  return {local[to.index() % local.size()]};
}

std::vector<PortNumber> DragonflyRoutes::one_port_to_group(SwitchId at, std::uint32_t group) const {
  if (groups_.of(at) == group) return {};
  return one_by(at, links(at, group, SwitchId::none()), group + at.index());
}

bool DragonflyRoutes::turns_back(SwitchId at, std::uint32_t group) const {
  if (!groups_.have_spines() || groups_.of(at) == group || !fabric_->hosts_on(at).empty())
    return false;
  const auto all = groups_.between(groups_.of(at), group);
  return std::none_of(all.begin(), all.end(),
                      [&](ChannelId link) { return fabric_->from(link) == at; });
}

/// The links that packets to a group may take from here: its own, else those of the group; of
/// these the links to the destination itself, else all.
std::vector<ChannelId> DragonflyRoutes::links(SwitchId at, std::uint32_t group, SwitchId to) const {
  const auto all = groups_.between(groups_.of(at), group);
  std::vector<ChannelId> out(all.begin(), all.end());
  const auto keep = [&out](auto&& wanted) {
    if (std::any_of(out.begin(), out.end(), wanted))
      std::erase_if(out, [&](ChannelId link) { return !wanted(link); });
  };
  keep([&](ChannelId link) { return fabric_->from(link) == at; });
  keep([&](ChannelId link) { return fabric_->to(link) == to; });
  return out;
}

/// Ports inside a group: of the links to the other switch, else of those to neighbours of both.
std::vector<PortNumber> DragonflyRoutes::local_ports(SwitchId at, SwitchId to) const {
  std::vector<PortNumber> direct, by_others;
  if (at == to) return direct;
  for (const ChannelId out : fabric_->out(at)) {
    if (!groups_.is_local(*fabric_, out)) continue;
    const auto beyond = fabric_->out(fabric_->to(out));
    if (fabric_->to(out) == to)
      direct.push_back(fabric_->out_port(out));
    else if (direct.empty() && std::any_of(beyond.begin(), beyond.end(),
                                           [&](ChannelId c) { return fabric_->to(c) == to; }))
      by_others.push_back(fabric_->out_port(out));
  }
  return direct.empty() ? by_others : direct;
}

std::vector<PortNumber> DragonflyRoutes::ports_by(SwitchId at, ChannelId link) const {
  if (fabric_->from(link) == at) return {fabric_->out_port(link)};
  return local_ports(at, fabric_->from(link));
}

std::vector<PortNumber> DragonflyRoutes::all_by(SwitchId at,
                                                const std::vector<ChannelId>& links) const {
  std::vector<PortNumber> out;
  std::vector<SwitchId> known;
  for (const ChannelId link : links) {
    const SwitchId from = fabric_->from(link);
    if (from != at && std::find(known.begin(), known.end(), from) != known.end()) continue;
    known.push_back(from);
    const auto ports = ports_by(at, link);
    out.insert(out.end(), ports.begin(), ports.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<PortNumber> DragonflyRoutes::one_by(SwitchId at, const std::vector<ChannelId>& links,
                                                std::size_t turn) const {
  const ChannelId link = links[turn % links.size()];
  const auto ports = ports_by(at, link);
  if (ports.empty()) return {};
  return {ports[turn % ports.size()]};
}

}  // namespace weft
