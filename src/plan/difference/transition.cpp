// SPDX-License-Identifier: Apache-2.0
// Dependencies of mixed tables: for every destination the channels that packets can come to by any
// mixture of entries are explored.
#include "plan/difference/transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "fabric/walk.hpp"
#include "plan/check/deadlock.hpp"

namespace weft {
namespace {

constexpr std::array table_words{"old", "new"};

/// A LID of a host: the columns to it, of both tables.
struct MixedDestination {
  HostId host;
  std::array<ColumnId, 2> column;
};

/// How many service levels packets of the tables may have.
std::size_t levels_of(const Tables& tables) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr) return 1;
  return static_cast<std::size_t>(service->map ? service->map->levels : tables.lane_count);
}

/// Two tables of one fabric, and how a packet may go on by either: a switch has the entry of one
/// and the lanes of one, and hosts choose levels by one.
class MixedTables {
 public:
  MixedTables(const Fabric& fabric, const Tables& before, const Tables& after)
      : fabric_(fabric),
        tables_{&before, &after},
        lanes_(static_cast<std::size_t>(std::max(before.lane_count, after.lane_count))),
        levels_(std::max(levels_of(before), levels_of(after))),
        seen_(fabric.channel_count() * lanes_ * levels_, 0) {}

  std::size_t lanes() const { return lanes_; }
  LaneChannel node(Hop hop) const { return LaneChannel(hop.channel.index() * lanes_ + hop.lane); }
  Hop hop(LaneChannel n) const {
    return {ChannelId(n.index() / lanes_), static_cast<Lane>(n.index() % lanes_)};
  }

  /// Switches look destinations up; otherwise packets carry one of two routes to its end.
  bool mix() const {
    return std::holds_alternative<DestinationTables>(tables_[0]->paths) &&
           std::holds_alternative<DestinationTables>(tables_[1]->paths);
  }

  /// Calls `visit(first, second, one, two)` for each dependency of packets to a host: `one` and
  /// `two` are 0 or 1, the tables by which the packet took the first and takes the second.
  template <class Visit>
  void explore(const MixedDestination& to, Visit visit) {
    ++search_;
    queue_.clear();
    const SwitchId last = fabric_[to.host].on;
    for (HostId from : fabric_.hosts())
      if (fabric_[from].on != last)
        for (const unsigned level : levels_from(from, to))
          leave({fabric_[from].on, fabric_[from].port}, 0, level, to, [](Hop, std::size_t) {});
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const MixedHop arrival = queue_[i];
      const ChannelId in = arrival.hop.channel;
      if (fabric_.to(in) == last) continue;
      leave({fabric_.to(in), fabric_.in_port(in)}, arrival.hop.lane, arrival.level, to,
            [&](Hop next, std::size_t t) { visit(arrival.hop, next, arrival.by, t); });
    }
  }

 private:
  struct MixedHop {
    Hop hop;
    unsigned level;
    std::size_t by;
  };

  ChannelId out_channel(ColumnId column, std::size_t t, SwitchId at) const {
    if (!column.valid()) return ChannelId::none();
    const PortNumber port = std::get<DestinationTables>(tables_[t]->paths)[column][at.index()];
    return port == here || port == no_port ? ChannelId::none() : fabric_.channel_at(at, port);
  }
  std::array<unsigned, 2> levels_from(HostId from, const MixedDestination& to) const {
    std::array<unsigned, 2> out{0, 0};
    for (std::size_t t = 0; t < 2; ++t)
      if (const auto* service = std::get_if<ServiceLanes>(&tables_[t]->lanes);
          service != nullptr && to.column[t].valid())
        out[t] = service->of(fabric_, to.column[t], from);
    return out;
  }
  /// The lane that a switch with the rule of one of the tables gives a packet.
  std::size_t lane_after(std::size_t rule, LinkEnd in, std::size_t lane, unsigned level,
                         ChannelId out) const {
    const PortNumber port = fabric_.out_port(out);
    if (const auto* turns = std::get_if<TurnLanes>(&tables_[rule]->lanes))
      return turns->at(in.on, in.port, port)(static_cast<unsigned>(lane));
    const auto* service = std::get_if<ServiceLanes>(&tables_[rule]->lanes);
    if (service == nullptr) return 0;
    if (level >= levels_of(*tables_[rule])) return lanes_;  // it drops such packets
    return service->map ? (*service->map)(in.on, fabric_[in.on], in.port, port, level) : level;
  }
  /// A packet that has come to a switch goes on by either table, with the lanes of either.
  template <class Visit>
  void leave(LinkEnd in, std::size_t lane, unsigned level, const MixedDestination& to,
             Visit visit) {
    for (std::size_t t = 0; t < 2; ++t) {
      const ChannelId out = out_channel(to.column[t], t, in.on);
      if (!out.valid()) continue;
      for (std::size_t rule = 0; rule < 2; ++rule) {
        const std::size_t next_lane = lane_after(rule, in, lane, level, out);
        if (next_lane >= lanes_) continue;
        const Hop next{out, static_cast<Lane>(next_lane)};
        visit(next, t);
        std::uint32_t& seen = seen_[node(next).index() * levels_ + level];
        if (seen == search_) continue;
        seen = search_;
        queue_.push_back({next, level, t});
      }
    }
  }

  const Fabric& fabric_;
  std::array<const Tables*, 2> tables_;
  std::size_t lanes_, levels_;
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> seen_;  ///< by channel, lane and level: the search that came there
  std::vector<MixedHop> queue_;
};

/// One for each pair of columns that LIDs of a switch's hosts share in both tables.
std::vector<MixedDestination> destinations_of(const Fabric& fabric, const Tables& before,
                                              const Tables& after) {
  std::map<std::pair<HostId, unsigned>, std::array<ColumnId, 2>> by_lid;
  std::size_t t = 0;
  for (const Tables* tables : {&before, &after}) {
    for (HostId h : fabric.hosts()) by_lid[{h, 0}][t] = tables->to_host[h];
    for (const auto& [host, lid, column] : tables->further) by_lid[{host, lid}][t] = column;
    ++t;
  }
  std::set<std::tuple<std::array<ColumnId, 2>, SwitchId>> seen;
  std::vector<MixedDestination> out;
  for (const auto& [lid, columns] : by_lid)
    if (seen.insert({columns, fabric[lid.first].on}).second) out.push_back({lid.first, columns});
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

MixedCycle in_words(MixedTables& mixed, const std::vector<MixedDestination>& destinations,
                    const std::vector<LaneChannel>& nodes) {
  MixedCycle out;
  for (LaneChannel n : nodes) out.waits.push_back({mixed.hop(n).channel, mixed.hop(n).lane});
  std::size_t unknown = out.waits.size();
  for (const MixedDestination& to : destinations) {
    if (unknown == 0 || !mixed.mix()) break;
    mixed.explore(to, [&](Hop first, Hop second, std::size_t one, std::size_t two) {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        MixedWait& wait = out.waits[i];
        if (wait.to.valid() || mixed.node(first) != nodes[i] ||
            mixed.node(second) != nodes[(i + 1) % nodes.size()])
          continue;
        wait.to = to.host;
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
  MixedEdges edges;
  for (const Tables* tables : {&before, &after})
    if (auto refused = add_own(fabric, *tables, mixed, edges)) return *refused;
  const std::vector<MixedDestination> destinations = destinations_of(fabric, before, after);
  std::size_t tidy_at = std::max<std::size_t>(1 << 20, 2 * edges.size());
  for (const MixedDestination& to : destinations) {
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
  if (!cycle.empty() && (are_levels_unknown(before) || are_levels_unknown(after)))
    return Refused{
        "the service levels are not known; if all packets travel on one lane, it can deadlock"};
  if (!cycle.empty()) return in_words(mixed, destinations, cycle);
  return numbered(graph, lanes);
}

}  // namespace weft
