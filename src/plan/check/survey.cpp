// SPDX-License-Identifier: Apache-2.0
// The survey: destination columns are taken as trees, one visit per switch and column; source
// routes are walked, or where they leave choices the route set is explored.
#include "plan/check/survey.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/check/choice/choice_loads.hpp"
#include "plan/check/choice/choice_survey.hpp"

namespace weft {
namespace {

constexpr std::size_t strays_reported = 8;

struct Surveyor {
  const Fabric& fabric;
  const Tables& tables;
  Traffic traffic;
  IdVector<SwitchId, std::uint32_t> component;
  Survey result{};

  Surveyor(const Fabric& f, const Tables& t)
      : fabric(f), tables(t), traffic(f, t, Lids::first), component(components(f)) {
    result.load.assign(f.channel_count(), 0);
    result.pairs = std::uint64_t{f.host_count()} * f.host_count();
  }

  void count_reached(SwitchId from, std::uint64_t hosts_to, std::uint64_t hops) {
    const std::uint64_t pairs = fabric.hosts_on(from).size() * hosts_to;
    result.reached += pairs;
    result.hop_sum += pairs * hops;
    result.most_hops = std::max(result.most_hops, pairs == 0 ? 0 : hops);
  }

  /// Whether the tables are to blame for losing packets of a switch with hosts.
  bool count_missed(SwitchId from, HostId to, std::uint64_t hosts_to) {
    const std::uint64_t pairs = fabric.hosts_on(from).size() * hosts_to;
    if (pairs == 0) return false;
    if (component[from] != component[fabric[to].on]) {
      result.apart += pairs;
      return false;
    }
    if (result.strays.size() < strays_reported)
      result.strays.push_back({fabric.hosts_on(from).front(), to});
    return true;
  }

  void count_missed(SwitchId from, std::span<const HostId> to, const Walk& walk) {
    if (!count_missed(from, to.front(), to.size())) return;
    lost.add(loss_place(fabric, walk), fabric.hosts_on(from).front(), to,
             fabric.hosts_on(from).size() * to.size());
  }

  void columns(const DestinationTables& next);
  void column(const ColumnTree& tree, std::span<const PortNumber> next,
              std::span<const HostId> hosts);
  void column_losses(const ColumnTree& tree, std::span<const PortNumber> next,
                     std::span<const HostId> hosts);
  void routes();
  void walk_to(std::span<const HostId> to);
  void choices();
  void explore_to(RouteSet& route_set, std::span<const HostId> to);
  void candidates();
  void lost_hosts();
  LostPairsByPlace lost;
  IdVector<SwitchId, std::uint32_t> depth_;
  IdVector<SwitchId, SwitchId> last_;
  IdVector<SwitchId, SwitchId> source_;
  IdVector<SwitchId, std::uint64_t> flow_;
};

/// The hosts of one column, split by switch: correct tables have one group.
std::vector<std::vector<HostId>> by_switch(const Fabric& fabric, std::vector<HostId> hosts) {
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](HostId a, HostId b) { return fabric[a].on < fabric[b].on; });
  std::vector<std::vector<HostId>> groups;
  for (HostId h : hosts) {
    if (groups.empty() || fabric[groups.back().front()].on != fabric[h].on) groups.emplace_back();
    groups.back().push_back(h);
  }
  return groups;
}

void Surveyor::columns(const DestinationTables& next) {
  ColumnTree tree(fabric);
  for (ColumnId c : next.ids()) {
    if (traffic.to[c.index()].empty()) continue;
    tree.load(next[c]);
    for (const auto& hosts : by_switch(fabric, traffic.to[c.index()])) {
      if (next[c][fabric[hosts.front()].on.index()] == here) {
        column(tree, next[c], hosts);
        continue;
      }
      // Tables may name the host's port, or be wrong, at the last switch.
      for (const HostId& h : hosts) column(tree, next[c], {&h, 1});
    }
  }
}

void Surveyor::column(const ColumnTree& tree, std::span<const PortNumber> next,
                      std::span<const HostId> hosts) {
  constexpr std::uint32_t unreached = 0;
  const SwitchId root = fabric[hosts.front()].on;
  const PortNumber at_root = next[root.index()];
  const bool delivered = at_root == here || at_root == fabric[hosts.front()].port;
  depth_.assign(fabric.switch_count(), unreached);
  flow_.assign(fabric.switch_count(), 0);
  if (delivered) depth_[root] = 1;
  const auto order = tree.order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const SwitchId s = order[i];
    const std::uint32_t beyond = depth_[tree.next(s)];
    if (beyond != unreached) depth_[s] = beyond + 1;
  }
  bool losses = false;
  for (SwitchId s : fabric.switches()) {
    if (depth_[s] == unreached) {
      losses |= count_missed(s, hosts.front(), hosts.size());
      continue;
    }
    count_reached(s, hosts.size(), depth_[s]);
    flow_[s] = fabric.hosts_on(s).size() * hosts.size();
  }
  for (SwitchId s : order) {
    if (flow_[s] == 0) continue;
    result.load[tree.out(s)] += static_cast<double>(flow_[s]);
    flow_[tree.next(s)] += flow_[s];
  }
  if (losses) column_losses(tree, next, hosts);
}

/// Finds for every switch that is not reached the last one that its packets come to, or one of the
/// loop that they end in.
void Surveyor::column_losses(const ColumnTree& tree, std::span<const PortNumber> next,
                             std::span<const HostId> hosts) {
  const auto order = tree.order();
  last_.assign(fabric.switch_count(), SwitchId::none());
  for (SwitchId s : fabric.switches())
    if (!tree.out(s).valid()) last_[s] = s;
  for (SwitchId s : order) last_[s] = s;  // for now: what is left is on a loop
  for (SwitchId s : fabric.switches())
    for (SwitchId at = s; !last_[at].valid(); at = tree.next(at)) last_[at] = s;
  for (std::size_t i = order.size(); i-- > 0;) last_[order[i]] = last_[tree.next(order[i])];
  const std::uint32_t part = component[fabric[hosts.front()].on];
  flow_.assign(fabric.switch_count(), 0);
  source_.assign(fabric.switch_count(), SwitchId::none());
  for (SwitchId s : fabric.switches()) {
    if (depth_[s] != 0 || component[s] != part || fabric.hosts_on(s).empty()) continue;
    flow_[last_[s]] += fabric.hosts_on(s).size() * hosts.size();
    if (!source_[last_[s]].valid()) source_[last_[s]] = s;
  }
  const Stepper stepper(fabric, tables);
  for (SwitchId s : fabric.switches()) {
    if (flow_[s] == 0) continue;
    const PortNumber port = next[s.index()];
    const LossPlace place =
        tree.out(s).valid()
            ? loop_of(fabric, next, s)
            : loss_place(fabric, {stepper.end(hosts.front(), s, port), s, port, {}, 0});
    lost.add(place, fabric.hosts_on(source_[s]).front(), hosts, flow_[s]);
  }
}

void Surveyor::routes() {
  for (const auto& column : traffic.to)
    for (const auto& hosts : by_switch(fabric, column)) walk_to(hosts);
}

void Surveyor::walk_to(std::span<const HostId> to) {
  Walker walk(fabric, tables);
  for (SwitchId from : fabric.switches()) {
    if (fabric.hosts_on(from).empty()) continue;
    const Walk& w = walk(fabric.hosts_on(from).front(), to.front());
    if (w.end != RouteEnd::reached) {
      count_missed(from, to, w);
      continue;
    }
    count_reached(from, to.size(), w.hops.size() + 1);
    for (const Hop& hop : w.hops)
      result.load[hop.channel] += static_cast<double>(fabric.hosts_on(from).size() * to.size());
  }
}

void Surveyor::choices() {
  RouteSet route_set(fabric, tables);
  for (const auto& column : traffic.to)
    for (const auto& hosts : by_switch(fabric, column)) explore_to(route_set, hosts);
  // Sums of thirds are inexact; rounding makes loads equal that are meant to be.
  for (double& load : result.load) load = std::round(load * 0x1p20) * 0x1p-20;
}

void Surveyor::explore_to(RouteSet& route_set, std::span<const HostId> to) {
  route_set.aim(to.front());
  std::vector<std::pair<SwitchId, RouteSet::Index>> starts;
  for (SwitchId from : fabric.switches())
    if (!fabric.hosts_on(from).empty())
      starts.emplace_back(from, route_set.start(fabric.hosts_on(from).front()));
  route_set.explore();
  std::vector<double> flow(route_set.order().size(), 0);
  for (const auto& [from, node] : starts) {
    if (node == RouteSet::no_node || route_set[node].end != RouteEnd::reached) {
      count_missed(
          from, to,
          node == RouteSet::no_node ? Walk{RouteEnd::no_entry, from} : route_set.worst(node));
      continue;
    }
    count_reached(from, to.size(), route_set[node].hops);
    flow[node] += static_cast<double>(fabric.hosts_on(from).size() * to.size());
  }
  for (const RouteSet::Index node : route_set.order())
    for (const RouteSet::NextHop& hop : route_set.next_hops(route_set[node])) {
      const double part = flow[node] / route_set[node].choices;
      result.load[hop.by] += part;
      flow[hop.to] += part;
    }
}

/// Of choice tables. Every hop is a switch more than the first one of each route.
void Surveyor::candidates() {
  ChoiceRoutes all(fabric, tables, ChoiceRoutes::FollowedLids::first);
  ChoiceSurvey pairs_of(fabric, tables, all);
  result.may_go_round = pairs_of.run([&](const SurveyedPairs& pairs) {
    const SwitchId from = fabric[pairs.from].on;
    const std::uint64_t count = pairs.sources * pairs.to.size();
    if (pairs.lost == nullptr) {
      result.reached += count;
      result.most_hops = std::max<std::uint64_t>(result.most_hops, pairs.most_hops + 1);
    } else if (component[from] != component[fabric[pairs.to.front()].on]) {
      result.apart += count;
    } else {
      if (result.strays.size() < strays_reported)
        result.strays.push_back({pairs.from, pairs.to.front()});
      lost.add(loss_place(fabric, *pairs.lost), pairs.from, pairs.to, count);
    }
  });
  result.hops_may_exceed = pairs_of.hops_may_exceed();
  const auto hops = [&](const IdVector<ChannelId, double>& load) {
    return std::accumulate(load.begin(), load.end(), static_cast<double>(result.reached));
  };
  ChoiceLoads loads(fabric, tables, all);
  result.load = loads.all_pairs(DetoursTaken::none);
  result.split_hop_sum = hops(result.load);
  result.sampled_sources = loads.sampled_sources();
  result.cuts_loops = loads.cuts_loops();
  const auto& phases = std::get<ChoiceTables>(tables.paths).phases;
  if (std::none_of(phases.begin(), phases.end(),
                   [](const Phase& phase) { return phase.detour.has_value(); }))
    return;
  result.detour_load = loads.all_pairs(DetoursTaken::all);
  result.detour_hop_sum = hops(result.detour_load);
  result.sampled_detour_sources = loads.sampled_sources();
  result.cuts_loops = loads.cuts_loops();
}

void Surveyor::lost_hosts() {
  for (HostId h : fabric.hosts()) {
    if (tables.to_host[h].valid()) continue;
    for (SwitchId from : fabric.switches())
      if (count_missed(from, h, 1))
        lost.add({}, fabric.hosts_on(from).front(), {&h, 1}, fabric.hosts_on(from).size());
  }
}

}  // namespace

std::string estimate_text(const Fabric& fabric, std::uint64_t sampled_sources) {
  return sampled_sources == 0 ? ""
                              : fmt::format(" (estimated from {} of {} sources)", sampled_sources,
                                            fabric.host_count());
}

std::string loops_text(bool cuts_loops) {
  return cuts_loops ? "; part of the load of packets that go round is left out" : "";
}

Traffic::Traffic(const Fabric& fabric, const Tables& tables, Lids lids)
    : to(column_count(tables)), sources(fabric.switch_count()) {
  for (HostId h : fabric.hosts())
    if (tables.to_host[h].valid()) to[tables.to_host[h].index()].push_back(h);
  if (lids == Lids::all)
    for (const FurtherColumn& further : tables.further)
      to[further.column.index()].push_back(further.host);
  const auto* turns = std::get_if<TurnLanes>(&tables.lanes);
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  const bool by_host = service != nullptr && (service->map || service->by_host);
  for (SwitchId s : fabric.switches()) {
    const auto same = [&](HostId a, HostId b) {
      if (by_host) return false;  // the first lane may follow from the host's port, or level
      for (std::uint32_t out = 1; turns != nullptr && out <= fabric[s].ports; ++out) {
        const auto port = static_cast<PortNumber>(out);
        if (turns->at(s, fabric[a].port, port) != turns->at(s, fabric[b].port, port)) return false;
      }
      return true;
    };
    for (HostId h : fabric.hosts_on(s))
      if (std::none_of(sources[s].begin(), sources[s].end(),
                       [&](HostId known) { return same(known, h); }))
        sources[s].push_back(h);
  }
}

Survey survey(const Fabric& fabric, const Tables& tables) {
  Surveyor surveyor(fabric, tables);
  if (const auto* next = std::get_if<DestinationTables>(&tables.paths))
    surveyor.columns(*next);
  else if (std::holds_alternative<ChoiceTables>(tables.paths))
    surveyor.candidates();
  else if (leave_choices(tables))
    surveyor.choices();
  else
    surveyor.routes();
  surveyor.lost_hosts();
  surveyor.result.lost = std::move(surveyor.lost).groups();
  return std::move(surveyor.result);
}

}  // namespace weft
