// SPDX-License-Identifier: Apache-2.0
// Walks the tables and adds up the cycles of links and switches.
#include "sim/contention_free/lone_paths.hpp"

#include <algorithm>
#include <cstddef>

#include "fabric/group_walk.hpp"

namespace weft::sim {
namespace {

constexpr std::size_t most_recent = 65'521;  ///< a prime: few pairs of a pattern share a place

Loss loss_of(RouteEnd end) { return end == RouteEnd::loop ? Loss::loop : Loss::no_route; }

}  // namespace

LonePaths::LonePaths(const Fabric& fabric, const Tables& tables, const SwitchModel& model)
    : fabric_(fabric),
      tables_(tables),
      timing_(fabric, model),
      stores_(model.switching == Switching::store_and_forward),
      walk_(fabric, tables),
      recent_(std::min(fabric.host_count() * fabric.host_count(), most_recent)),
      on_channels_(fabric.channel_count() * static_cast<std::size_t>(tables.lane_count)) {
  const StageCycles stages = timing_.stages(SwitchId(0));
  in_switch_ = stages.route + stages.lane;
  const auto time_of = [](const LinkCycles& link) { return LinkTime{link.flight, link.interval}; };
  for (const ChannelId channel : fabric.channels())
    links_.push_back(time_of(timing_.link(channel)));
  for (const HostId host : fabric.hosts()) {
    from_hosts_.push_back(time_of(timing_.from_host(host)));
    to_hosts_.push_back(time_of(timing_.to_host(host)));
  }
}

LonePath LonePaths::from_host(HostId from) const {
  const LinkTime& link = from_hosts_[from];
  return {.head = link.flight, .last_interval = link.interval, .slowest = link.interval};
}

/// Through a switch and over the link behind it.
void LonePaths::cross(LonePath& path, const LinkTime& link) const {
  if (stores_) path.stored += path.last_interval;
  path.last_interval = link.interval;
  ++path.hops;
  path.head += in_switch_ + link.flight;
  path.only_head = link.interval < path.slowest ? path.only_head + in_switch_ : 0;
  path.slowest = std::max(path.slowest, link.interval);
}

const LonePath& LonePaths::take(HostId from, HostId to, std::uint32_t flits) {
  PairPath& pair = of_pair(from, to);
  pair.flits += flits;
  return pair.path;
}

LonePaths::PairPath& LonePaths::of_pair(HostId from, HostId to) {
  const std::size_t place = from.index() * fabric_.host_count() + to.index();
  PairPath& pair = recent_[place % recent_.size()];
  if (pair.from == from && pair.path.to == to) return pair;
  count_flits(pair);
  pair = {from, find_path(from, to)};
  return pair;
}

LonePath LonePaths::find_path(HostId from, HostId to) {
  const Walk& walk = walk_(from, to);
  LonePath path = from_host(from);
  path.to = to;
  for (const Hop& hop : walk.hops) cross(path, links_[hop.channel]);
  if (walk.end == RouteEnd::reached)
    cross(path, to_hosts_[to]);
  else
    path.broken = loss_of(walk.end);
  return path;
}

void LonePaths::count_flits(PairPath& pair) {
  if (pair.flits == 0) return;
  for (const Hop& hop : walk_(pair.from, pair.path.to).hops)
    flits_on(hop.channel, hop.lane) += pair.flits;
  pair.flits = 0;
}

const GroupPaths& LonePaths::take_group(std::uint32_t group, HostId from, std::uint32_t flits) {
  const auto [at, is_new] = groups_.try_emplace({group, from});
  GroupPaths& paths = at->second;
  if (is_new) paths = find_group(tables_.groups[group], from);
  for (const ChannelId channel : paths.channels)
    flits_on(channel, tables_.groups[group].lane) += flits;
  return paths;
}

GroupPaths LonePaths::find_group(const Group& group, HostId from) const {
  GroupPaths out;
  IdVector<HostId, std::size_t> place(fabric_.host_count(), group.members.size());
  for (const HostId member : group.members) {
    if (member == from) continue;
    place[member] = out.members.size();
    out.members.push_back({.to = member, .broken = Loss::no_route});
  }
  GroupWalk(fabric_, group)(
      from, from_host(from),
      [&](LonePath path, ChannelId channel) {
        cross(path, links_[channel]);
        out.channels.push_back(channel);
        ++out.copies;
        return path;
      },
      [&](LonePath path, HostId host) {
        if (place[host] == group.members.size()) return;
        cross(path, to_hosts_[host]);
        path.to = host;
        out.members[place[host]] = path;
        ++out.copies;
      });
  return out;
}

std::vector<LaneUse> LonePaths::lane_use() {
  for (PairPath& pair : recent_) count_flits(pair);
  std::vector<LaneUse> out;
  const auto lanes = static_cast<std::size_t>(tables_.lane_count);
  for (const ChannelId channel : fabric_.channels())
    for (std::size_t lane = 0; lane < lanes; ++lane)
      out.push_back({.channel = channel,
                     .lane = static_cast<Lane>(lane),
                     .flits = on_channels_[channel.index() * lanes + lane]});
  return out;
}

}  // namespace weft::sim
