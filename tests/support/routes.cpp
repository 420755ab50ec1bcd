// SPDX-License-Identifier: Apache-2.0
// What tests ask of routes.
#include "support/routes.hpp"

#include <queue>

#include "fabric/walk.hpp"
#include "plan/check/group_steps.hpp"

namespace weft::test {

Tables routed(const Fabric& fabric, const std::string& spec) {
  Routed out = route(fabric, spec);
  if (auto* refused = std::get_if<Refused>(&out)) throw Error("{}: {}", spec, refused->why);
  return std::get<Tables>(std::move(out));
}

std::uint64_t shortest_hop_sum(const Fabric& fabric) {
  std::uint64_t sum = 0;
  for (SwitchId from : fabric.switches()) {
    std::vector<int> distance(fabric.switch_count(), -1);
    std::queue<SwitchId> queue;
    distance[from.index()] = 1;
    queue.push(from);
    while (!queue.empty()) {
      const SwitchId at = queue.front();
      queue.pop();
      sum += fabric.hosts_on(from).size() * fabric.hosts_on(at).size() *
             static_cast<std::uint64_t>(distance[at.index()]);
      for (ChannelId c : fabric.out(at)) {
        const SwitchId next = fabric.to(c);
        if (distance[next.index()] >= 0) continue;
        distance[next.index()] = distance[at.index()] + 1;
        queue.push(next);
      }
    }
  }
  return sum;
}

namespace {

/// One packet, followed with nothing but the tables.
void follow_packet(const Fabric& fabric, const Tables& tables, HostId from, HostId to,
                   Dependencies& found) {
  const ColumnId column = tables.to_host[to];
  if (!column.valid()) return;
  const SwitchId source = fabric[from].on;
  SwitchId at = source;
  PortNumber in = fabric[from].port;
  unsigned lane = 0;
  std::optional<LaneHop> before;
  for (std::size_t step = 0; step <= 2 * fabric.channel_count() + 2; ++step) {
    PortNumber out = no_port;
    if (const auto* next = std::get_if<DestinationTables>(&tables.paths)) {
      out = (*next)[column][at.index()];
    } else {
      const auto route = std::get<SourceRoutes>(tables.paths).route(column, source);
      if (route) out = step < route->size() ? (*route)[step] : here;
    }
    const Neighbour beyond = out == no_port ? Neighbour{} : fabric.at_port(at, out);
    if (!beyond.channel.valid()) return;
    if (const auto* turns = std::get_if<TurnLanes>(&tables.lanes))
      lane = turns->at(at, in, out)(lane);
    if (const auto* service = std::get_if<ServiceLanes>(&tables.lanes)) {
      lane = service->level[column][source.index()];
      if (service->map) lane = (*service->map)(at, fabric[at], in, out, lane);
    }
    const LaneHop now{beyond.channel.index(), static_cast<int>(lane)};
    if (before) found.insert({*before, now});
    before = now;
    at = fabric.to(beyond.channel);
    in = fabric.in_port(beyond.channel);
  }
}

/// Copies of a group's packet, by recursion; every channel is entered once.
void follow_copies(const Fabric& fabric, const Group& group, SwitchId at, ChannelId in,
                   std::set<std::size_t>& entered, Dependencies& found) {
  for (const PortSet& set : group.out) {
    if (set.on != at) continue;
    for (PortNumber port : set.ports) {
      const ChannelId out = fabric.at_port(at, port).channel;
      if (!out.valid() || (in.valid() && fabric.in_port(in) == port)) continue;
      if (in.valid()) found.insert({{in.index(), group.lane}, {out.index(), group.lane}});
      if (entered.insert(out.index()).second)
        follow_copies(fabric, group, fabric.to(out), out, entered, found);
    }
  }
}

}  // namespace

Dependencies brute_force_dependencies(const Fabric& fabric, const Tables& tables) {
  Dependencies found;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts()) follow_packet(fabric, tables, from, to, found);
  for (const Group& group : tables.groups) {
    std::set<std::size_t> entered;
    for (HostId sender : group.source ? std::vector{*group.source} : group.members)
      follow_copies(fabric, group, fabric[sender].on, ChannelId::none(), entered, found);
  }
  return found;
}

Dependencies as_set(const DependencyGraph& graph) {
  Dependencies found;
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n))
      found.insert(
          {{graph.channel(n).index(), graph.lane(n)}, {graph.channel(m).index(), graph.lane(m)}});
  return found;
}

std::optional<std::string> not_a_cycle(const Fabric& fabric, const Tables& tables,
                                       const Cycle& cycle) {
  if (cycle.waits.size() < 2) return "it has fewer than two waits";
  Walker walk(fabric, tables);
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const Wait& wait = cycle.waits[i];
    const Wait& next = cycle.waits[(i + 1) % cycle.waits.size()];
    bool made = false;
    if (wait.from.valid()) {
      const auto& hops = walk(wait.from, wait.to).hops;
      for (std::size_t k = 1; k < hops.size(); ++k)
        made = made || (hops[k - 1].channel == wait.channel && hops[k - 1].lane == wait.lane &&
                        hops[k].channel == next.channel && hops[k].lane == next.lane);
    }
    for (const Group& group : tables.groups)
      if (group.name == wait.group)
        for_each_step(fabric, group, [&](ChannelId in, ChannelId out) {
          made = made || (in == wait.channel && out == next.channel && group.lane == wait.lane &&
                          group.lane == next.lane);
        });
    if (!made) return "nobody makes step " + std::to_string(i) + ": " + cycle.told(fabric)[i];
  }
  return std::nullopt;
}

std::optional<std::string> not_certified(const Fabric& fabric, const Tables& tables) {
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  if (const auto* certificate = std::get_if<Certificate>(&verdict))
    return verify(fabric, tables, *certificate);
  if (const auto* refused = std::get_if<Refused>(&verdict)) return refused->why;
  return "there is a cycle: " + std::get<Cycle>(verdict).told(fabric).front();
}

}  // namespace weft::test
