// SPDX-License-Identifier: Apache-2.0
// Dependencies of mixed tables: for every destination the channels that packets can come to by any
// mixture of entries are explored.
#include "plan/difference/transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include "fabric/walk.hpp"
#include "plan/check/deadlock.hpp"

namespace weft {
namespace {

constexpr std::array table_words{"old", "new"};

/// Two tables of one fabric, and how a packet may go on by either.
class MixedTables {
 public:
  MixedTables(const Fabric& fabric, const Tables& before, const Tables& after)
      : fabric_(fabric),
        tables_{&before, &after},
        lanes_(static_cast<std::size_t>(std::max(before.lane_count, after.lane_count))),
        seen_(fabric.channel_count() * lanes_, 0) {}

  std::size_t lanes() const { return lanes_; }
  LaneChannel node(Hop hop) const { return LaneChannel(hop.channel.index() * lanes_ + hop.lane); }
  Hop hop(LaneChannel n) const {
    return {ChannelId(n.index() / lanes_), static_cast<Lane>(n.index() % lanes_)};
  }

  /// Why mixtures cannot be explored, if so.
  std::optional<Refused> problem() const {
    for (const Tables* tables : tables_) {
      const auto* service = std::get_if<ServiceLanes>(&tables->lanes);
      if (service != nullptr && service->map)
        return Refused{"lanes follow from a map of service levels, which is not mixed"};
      if (!tables->further.empty())
        return Refused{"hosts have further LIDs (LMC), whose routes are not mixed"};
    }
    return std::nullopt;
  }
  /// Switches look destinations up; otherwise packets carry one of two routes to its end.
  bool mix() const {
    return std::holds_alternative<DestinationTables>(tables_[0]->paths) &&
           std::holds_alternative<DestinationTables>(tables_[1]->paths);
  }

  /// Calls `visit(first, second, one, two)` for each dependency of packets to a host: `one` and
  /// `two` are 0 or 1, the tables by which the packet took the first and takes the second.
  template <class Visit>
  void explore(HostId to, Visit visit) {
    ++search_;
    queue_.clear();
    for (SwitchId s : fabric_.switches()) {
      if (fabric_.hosts_on(s).empty() || s == fabric_[to].on) continue;
      for (std::size_t t = 0; t < 2; ++t)
        for (HostId from : fabric_.hosts_on(s)) enter(from, to, t);
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const MixedHop arrival = queue_[i];
      const SwitchId at = fabric_.to(arrival.hop.channel);
      if (at == fabric_[to].on) continue;
      for (std::size_t t = 0; t < 2; ++t) {
        const ChannelId out = out_channel(t, to, at);
        if (!out.valid()) continue;
        for (std::size_t rule = 0; rule < 2; ++rule) {
          const unsigned lane = lane_after(rule, arrival.hop, out);
          if (lane >= lanes_) continue;
          const Hop next{out, static_cast<Lane>(lane)};
          visit(arrival.hop, next, arrival.by, t);
          reach(next, t);
        }
      }
    }
  }

 private:
  struct MixedHop {
    Hop hop;
    std::size_t by;
  };

  ChannelId out_channel(std::size_t t, HostId to, SwitchId at) const {
    const ColumnId column = tables_[t]->to_host[to];
    if (!column.valid()) return ChannelId::none();
    const PortNumber port = std::get<DestinationTables>(tables_[t]->paths)[column][at.index()];
    return port == here || port == no_port ? ChannelId::none() : fabric_.channel_at(at, port);
  }
  void reach(Hop hop, std::size_t by) {
    std::uint32_t& seen = seen_[node(hop).index()];
    if (seen == search_) return;
    seen = search_;
    queue_.push_back({hop, by});
  }
  /// A host injects by an entry; its lane may be that of either table.
  void enter(HostId from, HostId to, std::size_t t) {
    const SwitchId s = fabric_[from].on;
    const ChannelId out = out_channel(t, to, s);
    if (!out.valid()) return;
    for (std::size_t rule = 0; rule < 2; ++rule) {
      const Tables& tables = *tables_[rule];
      unsigned lane = 0;
      if (const auto* turns = std::get_if<TurnLanes>(&tables.lanes))
        lane = turns->at(s, fabric_[from].port, fabric_.out_port(out))(0);
      else if (const auto* service = std::get_if<ServiceLanes>(&tables.lanes))
        lane = tables.to_host[to].valid() ? service->of(fabric_, tables.to_host[to], from) : 0U;
      if (lane < lanes_) reach({out, static_cast<Lane>(lane)}, t);
    }
  }
  unsigned lane_after(std::size_t rule, Hop in, ChannelId out) const {
    if (std::holds_alternative<OneLane>(tables_[rule]->lanes)) return 0;
    const auto* turns = std::get_if<TurnLanes>(&tables_[rule]->lanes);
    if (turns == nullptr) return in.lane;
    return turns->at(fabric_.to(in.channel), fabric_.in_port(in.channel),
                     fabric_.out_port(out))(in.lane);
  }

  const Fabric& fabric_;
  std::array<const Tables*, 2> tables_;
  std::size_t lanes_;
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_;
  std::vector<MixedHop> queue_;
};

/// A host for each pair of columns that hosts share in both tables.
std::vector<HostId> destinations_of(const Fabric& fabric, const Tables& before,
                                    const Tables& after) {
  std::set<std::tuple<ColumnId, ColumnId, SwitchId>> seen;
  std::vector<HostId> out;
  for (HostId h : fabric.hosts())
    if (seen.insert({before.to_host[h], after.to_host[h], fabric[h].on}).second) out.push_back(h);
  return out;
}

using MixedEdges = std::vector<DependencyGraph::Edge>;

void tidy_edges(MixedEdges& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

/// Adds what the tables alone depend on, groups included; says why that is unknown.
std::optional<Refused> add_own(const Fabric& fabric, const Tables& tables, const MixedTables& mixed,
                               MixedEdges& edges) {
  const auto built = dependencies(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&built)) return *refused;
  const auto& graph = std::get<DependencyGraph>(built);
  const auto node = [&](LaneChannel n) { return mixed.node({graph.channel(n), graph.lane(n)}); };
  for (LaneChannel n : graph.nodes())
    for (LaneChannel m : graph.after(n)) edges.push_back({node(n), node(m)});
  return std::nullopt;
}

MixedCycle in_words(MixedTables& mixed, const std::vector<HostId>& hosts,
                    const std::vector<LaneChannel>& nodes) {
  MixedCycle out;
  for (LaneChannel n : nodes) out.waits.push_back({mixed.hop(n).channel, mixed.hop(n).lane});
  std::size_t unknown = out.waits.size();
  for (HostId to : hosts) {
    if (unknown == 0 || !mixed.mix()) break;
    mixed.explore(to, [&](Hop first, Hop second, std::size_t one, std::size_t two) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        MixedWait& wait = out.waits[i];
        if (wait.to.valid() || mixed.node(first) != nodes[i] ||
            mixed.node(second) != nodes[(i + 1) % nodes.size()])
          continue;
        wait.to = to;
        wait.entries = fmt::format("by {} then {} entries", table_words[one], table_words[two]);
        --unknown;
      }
    });
  }
  return out;
}

}  // namespace

std::vector<std::string> MixedCycle::describe(const Fabric& fabric) const {
  const auto place = [&](const MixedWait& wait) {
    if (wait.channel.index() >= fabric.channel_count())
      return fmt::format("the link of host {}",
                         fabric[HostId(wait.channel.index() - fabric.channel_count())].name);
    return fmt::format("{} port {} lane {} (to {})", fabric[fabric.from(wait.channel)].name,
                       fabric.out_port(wait.channel), wait.lane,
                       fabric[fabric.to(wait.channel)].name);
  };
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    lines.push_back(
        fmt::format("{} waits for {}", place(waits[i]), place(waits[(i + 1) % waits.size()])));
    if (waits[i].to.valid())
      lines.back() +=
          fmt::format(", for packets to {} {}", fabric[waits[i].to].name, waits[i].entries);
  }
  return lines;
}

TransitionVerdict transition(const Fabric& fabric, const Tables& before, const Tables& after) {
  MixedTables mixed(fabric, before, after);
  if (auto problem = mixed.problem()) return *problem;
  MixedEdges edges;
  for (const Tables* tables : {&before, &after})
    if (auto refused = add_own(fabric, *tables, mixed, edges)) return *refused;
  const std::vector<HostId> hosts = destinations_of(fabric, before, after);
  std::size_t tidy_at = std::max<std::size_t>(1 << 20, 2 * edges.size());
  for (HostId to : hosts) {
    if (!mixed.mix()) break;
    mixed.explore(to, [&](Hop first, Hop second, std::size_t, std::size_t) {
      edges.push_back({mixed.node(first), mixed.node(second)});
    });
    if (edges.size() < tidy_at) continue;
    tidy_edges(edges);
    tidy_at = std::max(tidy_at, 2 * edges.size());
  }
  tidy_edges(edges);
  const int lanes = static_cast<int>(mixed.lanes());
  const DependencyGraph graph(fabric.channel_count() + fabric.host_count(), lanes,
                              std::move(edges));
  const std::vector<LaneChannel> cycle = find_cycle(graph);
  if (!cycle.empty()) return in_words(mixed, hosts, cycle);
  return numbered(graph, lanes);
}

}  // namespace weft
