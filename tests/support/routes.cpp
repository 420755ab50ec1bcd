// SPDX-License-Identifier: Apache-2.0
// Properties of routes, computed by brute force.
#include "support/routes.hpp"

#include <queue>

#include "plan/check/graph/group_steps.hpp"
#include "plan/verify/verify_text.hpp"

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

/// Follows packets with nothing but the tables, once for every choice.
struct Explorer {
  const Fabric& fabric;
  const Tables& tables;
  HostId to;
  SwitchId source;
  std::vector<ChosenRoute> found{};

  std::vector<PortNumber> ports(SwitchId at, std::size_t step) const {
    const ColumnId column = tables.to_host[to];
    if (const auto* next = std::get_if<DestinationTables>(&tables.paths))
      return {(*next)[column][at.index()]};
    const auto& routes = std::get<SourceRoutes>(tables.paths);
    const auto route = routes.route(column, source);
    if (!route) return {no_port};
    if (step >= route->size()) return {here};
    const PortNumber tag = (*route)[step];
    if (tag < first_link_group || tag == no_port) return {tag};
    return routes.link_groups()[tag - first_link_group];
  }
  unsigned lane_after(SwitchId at, PortNumber in, PortNumber out, unsigned lane) const {
    if (const auto* turns = std::get_if<TurnLanes>(&tables.lanes))
      return turns->at(at, in, out)(lane);
    const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
    if (service == nullptr) return 0;
    const unsigned level = service->level[tables.to_host[to]][source.index()];
    return service->map ? (*service->map)(at, fabric[at], in, out, level) : level;
  }
  void follow(SwitchId at, PortNumber in, unsigned lane, ChosenRoute route) {
    const auto choices = ports(at, route.hops.size());
    route.chance /= static_cast<double>(choices.size());
    const bool endless = route.hops.size() > 2 * fabric.channel_count() + 2;
    for (const PortNumber& out : choices) {
      const Neighbour beyond = out == no_port ? Neighbour{} : fabric.at_port(at, out);
      ChosenRoute next = &out == &choices.back() ? std::move(route) : route;
      if (!beyond.channel.valid() || endless) {
        next.arrives = !endless && fabric[to].on == at && (out == here || out == fabric[to].port);
        found.push_back(std::move(next));
        continue;
      }
      const unsigned after = lane_after(at, in, out, lane);
      next.hops.push_back({beyond.channel.index(), static_cast<int>(after)});
      follow(fabric.to(beyond.channel), fabric.in_port(beyond.channel), after, std::move(next));
    }
  }
};

/// Copies of a group's packet, by recursion; every lane of a channel is entered once.
struct Copies {
  const Fabric& fabric;
  const Tables& tables;
  const Group& group;
  Dependencies& found;
  std::set<LaneHop> entered{};

  int lane(SwitchId at, PortNumber in, PortNumber out) const {
    if (!group.level) return group.lane;
    const auto& service = std::get<ServiceLanes>(tables.lanes);
    if (!service.map) return *group.level;
    const std::size_t width = fabric[at].ports + std::size_t{1};
    return service.map
        ->lane[at.index()]
              [(in * width + out) * static_cast<std::size_t>(service.map->levels) + *group.level];
  }
  void follow(SwitchId at, PortNumber in, std::optional<LaneHop> by) {
    for (const PortSet& set : group.out) {
      if (set.on != at) continue;
      for (PortNumber port : set.ports) {
        const ChannelId out = fabric.at_port(at, port).channel;
        if (!out.valid() || port == in) continue;
        const LaneHop next{out.index(), lane(at, in, port)};
        if (by) found.insert({*by, next});
        if (entered.insert(next).second) follow(fabric.to(out), fabric.in_port(out), next);
      }
    }
  }
};

}  // namespace

std::vector<ChosenRoute> all_routes(const Fabric& fabric, const Tables& tables, HostId from,
                                    HostId to) {
  if (!tables.to_host[to].valid()) return {ChosenRoute{}};
  Explorer explorer{fabric, tables, to, fabric[from].on};
  explorer.follow(fabric[from].on, fabric[from].port, 0, {});
  return explorer.found;
}

Dependencies dependencies_of_pairs(const Fabric& fabric, const Tables& tables) {
  Dependencies found;
  for (HostId from : fabric.hosts())
    for (HostId to : fabric.hosts())
      for (const ChosenRoute& route : all_routes(fabric, tables, from, to))
        for (std::size_t i = 1; i < route.hops.size(); ++i)
          found.insert({route.hops[i - 1], route.hops[i]});
  return found;
}

Dependencies with_groups(Dependencies found, const Fabric& fabric, const Tables& tables) {
  for (const Group& group : tables.groups) {
    Copies copies{fabric, tables, group, found};
    for (HostId sender : group.source ? std::vector{*group.source} : group.members)
      copies.follow(fabric[sender].on, fabric[sender].port, std::nullopt);
  }
  return found;
}

Dependencies brute_force_dependencies(const Fabric& fabric, const Tables& tables) {
  return with_groups(dependencies_of_pairs(fabric, tables), fabric, tables);
}

Dependencies as_set(const DependencyGraph& graph) {
  Dependencies found;
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n))
      found.insert(
          {{graph.channel(n).index(), graph.lane(n)}, {graph.channel(m).index(), graph.lane(m)}});
  return found;
}

void give_level(const Tables& tables, Group& group, Rng& rng) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr || group.root || rng.below(2) == 0) return;
  const int levels = service->map ? service->map->levels : tables.lane_count;
  group.level = static_cast<std::uint8_t>(rng.below(static_cast<std::uint64_t>(levels)));
  group.lane = 0;
}

std::optional<std::string> not_a_cycle(const Fabric& fabric, const Tables& tables,
                                       const DependencyCycle& cycle) {
  if (cycle.waits.size() < 2) return "it has fewer than two waits";
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const ChannelWait& wait = cycle.waits[i];
    const ChannelWait& next = cycle.waits[(i + 1) % cycle.waits.size()];
    const LaneHop first{wait.channel.index(), wait.lane}, second{next.channel.index(), next.lane};
    bool made = false;
    if (wait.from.valid())
      for (const ChosenRoute& route : all_routes(fabric, tables, wait.from, wait.to))
        for (std::size_t k = 1; k < route.hops.size(); ++k)
          made = made || (route.hops[k - 1] == first && route.hops[k] == second);
    for (const Group& group : tables.groups)
      if (group.name == wait.group)
        for_each_step(fabric, tables, group, [&](Hop in, Hop out) {
          made =
              made || (in == Hop{wait.channel, wait.lane} && out == Hop{next.channel, next.lane});
        });
    if (!made) return "nobody makes step " + std::to_string(i) + ": " + cycle.describe(fabric)[i];
  }
  return std::nullopt;
}

std::optional<std::string> not_certified(const Fabric& fabric, const Tables& tables) {
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  if (const auto* certificate = std::get_if<Certificate>(&verdict))
    return verify(fabric, tables, *certificate);
  if (const auto* refused = std::get_if<Refused>(&verdict)) return refused->why;
  if (const auto* cycle = std::get_if<DependencyCycle>(&verdict))
    return "there is a cycle: " + cycle->describe(fabric).front();
  return "packets of several lanes may block each other";
}

}  // namespace weft::test
