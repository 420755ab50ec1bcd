// SPDX-License-Identifier: Apache-2.0
// Nue (Domke, Hoefler and Matsuoka, 2016): routes are searched inside the dependency graph, so any
// number of lanes suffices. Destinations are divided among the lanes; each lane has a spanning tree
// to escape to. Dependencies are entered when a switch is settled, so nothing has to be reset, and
// the escape tree is used only by the switches that need it.
#include <algorithm>
#include <queue>

#include "fabric/column_tree.hpp"
#include "plan/route/algorithms/acyclic_order.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// Switches by how many shortest paths between the destinations lead through them (Brandes, 2001).
SwitchId most_central(const Fabric& fabric, const std::vector<SwitchId>& destinations) {
  constexpr std::size_t most_sources = 256;
  const std::size_t stride = (destinations.size() + most_sources - 1) / most_sources;
  IdVector<SwitchId, double> between(fabric.switch_count(), 0);
  IdVector<SwitchId, double> paths(fabric.switch_count(), 0), share(fabric.switch_count(), 0);
  IdVector<SwitchId, std::uint8_t> wanted(fabric.switch_count(), 0);
  for (SwitchId s : destinations) wanted[s] = 1;
  for (std::size_t i = 0; i < destinations.size(); i += stride) {
    const SwitchId source = destinations[i];
    const auto distance = distances(fabric, source);
    std::vector<SwitchId> order;
    for (SwitchId s : fabric.switches())
      if (distance[s] != unreachable) order.push_back(s);
    std::stable_sort(order.begin(), order.end(),
                     [&](SwitchId a, SwitchId b) { return distance[a] < distance[b]; });
    std::fill(paths.begin(), paths.end(), 0);
    std::fill(share.begin(), share.end(), 0);
    paths[source] = 1;
    for (SwitchId s : order)
      for (ChannelId c : fabric.out(s))
        if (distance[fabric.to(c)] == distance[s] + 1) paths[fabric.to(c)] += paths[s];
    for (std::size_t k = order.size(); k-- > 0;)
      for (ChannelId c : fabric.out(order[k])) {
        const SwitchId beyond = fabric.to(c);
        if (distance[beyond] == distance[order[k]] + 1)
          share[order[k]] += paths[order[k]] / paths[beyond] * (wanted[beyond] + share[beyond]);
      }
    for (SwitchId s : order) between[s] += s == source ? 0 : share[s];
  }
  SwitchId best = destinations.front();
  for (SwitchId s : fabric.switches())
    if (between[s] > between[best] * (1 + 1e-12)) best = s;
  return best;
}

/// A spanning tree of the root's component, with the route along it to any destination.
class EscapeTree {
 public:
  EscapeTree(const Fabric& fabric, SwitchId root)
      : fabric_(fabric), parent_(fabric.switch_count()), order_{root} {
    IdVector<SwitchId, std::uint8_t> seen(fabric.switch_count(), 0);
    seen[root] = 1;
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (ChannelId c : fabric.out(order_[i])) {
        const SwitchId next = fabric.to(c);
        if (seen[next] != 0) continue;
        seen[next] = 1;
        parent_[next] = reverse(c);
        order_.push_back(next);
      }
  }
  std::span<const SwitchId> members() const { return order_; }

  void aim(SwitchId to) {
    escape_ = parent_;
    escape_[to] = ChannelId::none();
    for (SwitchId at = to; parent_[at].valid(); at = fabric_.to(parent_[at]))
      escape_[fabric_.to(parent_[at])] = reverse(parent_[at]);
  }
  ChannelId escape(SwitchId s) const { return escape_[s]; }

  /// Enters every dependency that the escape routes to `destinations` can cause.
  void enter(AcyclicOrder& order, const std::vector<SwitchId>& destinations) const {
    IdVector<SwitchId, std::uint32_t> below(fabric_.switch_count(), 0);
    for (SwitchId s : destinations) below[s] = 1;
    for (std::size_t i = order_.size(); i-- > 1;)
      below[fabric_.to(parent_[order_[i]])] += below[order_[i]];
    const std::uint32_t all = below[order_.front()];
    std::vector<std::vector<ChannelId>> tree_out(fabric_.switch_count());
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const ChannelId up = parent_[order_[i]];
      tree_out[order_[i].index()].push_back(up);
      tree_out[fabric_.to(up).index()].push_back(reverse(up));
    }
    const auto leads_somewhere = [&](ChannelId c) {
      const bool down = parent_[fabric_.to(c)] == reverse(c);
      return down ? below[fabric_.to(c)] != 0 : below[fabric_.from(c)] != all;
    };
    for (SwitchId s : order_)
      for (ChannelId leaving : tree_out[s.index()])
        for (ChannelId out : tree_out[s.index()]) {
          if (out == leaving || !leads_somewhere(out)) continue;
          invariant(order.insert(reverse(leaving), out), "a tree has no cycle");
        }
  }

 private:
  const Fabric& fabric_;
  IdVector<SwitchId, ChannelId> parent_, escape_;
  std::vector<SwitchId> order_;
};

/// The columns of one lane.
class NueLane {
 public:
  NueLane(const TurnIndex& turns, const std::vector<SwitchId>& destinations, Loads& loads)
      : turns_(turns),
        blocked_(turns.size(), 0),
        fabric_(turns.fabric()),
        loads_(loads),
        order_(turns),
        tree_(fabric_, most_central(fabric_, destinations)),
        next_(fabric_.switch_count()),
        flow_(fabric_.switch_count()),
        column_(fabric_) {
    tree_.enter(order_, destinations);
  }

  void column(SwitchId to, std::span<PortNumber> ports, std::uint64_t hosts) {
    entered_.clear();
    search(to);
    if (settled_.size() < tree_.members().size()) fall_back(to);
    std::fill(ports.begin(), ports.end(), no_port);
    for (SwitchId s : tree_.members())
      ports[s.index()] = s == to ? here : fabric_.out_port(next_[s]);
    add_loads(ports, hosts);
  }

 private:
  struct QueuedChannel {
    std::uint64_t cost;
    ChannelId channel;
    bool operator>(const QueuedChannel& other) const {
      return cost != other.cost ? cost > other.cost : channel > other.channel;
    }
  };
  /// Links first, load second.
  std::uint64_t weight(ChannelId c) const { return (std::uint64_t{1} << 40) + loads_[c]; }
  bool enter(ChannelId in, ChannelId out) {
    if (blocked_[turns_(in, out)] != 0) return false;
    if (!order_.insert(in, out)) {
      blocked_[turns_(in, out)] = 1;
      return false;
    }
    entered_.push_back({in, out});
    return true;
  }

  void search(SwitchId to);
  void fall_back(SwitchId to);
  void add_loads(std::span<const PortNumber> ports, std::uint64_t hosts);

  const TurnIndex& turns_;
  /// Refused once, refused for good: the lane's dependencies only grow, but for the few that a
  /// fall-back takes back.
  std::vector<std::uint8_t> blocked_;
  const Fabric& fabric_;
  Loads& loads_;
  AcyclicOrder order_;
  EscapeTree tree_;
  IdVector<SwitchId, ChannelId> next_;
  IdVector<SwitchId, std::uint64_t> flow_;
  ColumnTree column_;
  std::vector<SwitchId> settled_;
  std::vector<Turn> entered_;
  std::vector<QueuedChannel> heap_;
};

/// Dijkstra's search backwards from the destination; a switch is settled by the first channel whose
/// dependency the lane accepts.
void NueLane::search(SwitchId to) {
  const auto later = std::greater<QueuedChannel>();
  next_.assign(fabric_.switch_count(), ChannelId::none());
  settled_.assign(1, to);
  heap_.clear();
  const auto reach = [&](SwitchId s, std::uint64_t cost) {
    for (ChannelId leaving : fabric_.out(s)) {
      const ChannelId c = reverse(leaving);
      const SwitchId from = fabric_.from(c);
      if (from == to || next_[from].valid()) continue;
      heap_.push_back({cost + weight(c), c});
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  };
  reach(to, 0);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const QueuedChannel entry = heap_.back();
    heap_.pop_back();
    const SwitchId from = fabric_.from(entry.channel);
    const SwitchId at = fabric_.to(entry.channel);
    if (next_[from].valid()) continue;
    if (at != to && !enter(entry.channel, next_[at])) continue;
    next_[from] = entry.channel;
    settled_.push_back(from);
    reach(from, entry.cost);
  }
}

/// Switches that found no route take the escape tree, and so does everyone whose route through them
/// the lane would not accept.
void NueLane::fall_back(SwitchId to) {
  tree_.aim(to);
  IdVector<SwitchId, std::uint8_t> escaping(fabric_.switch_count(), 0);
  const auto escape_from = [&](SwitchId s) {
    for (; s != to && escaping[s] == 0; s = fabric_.to(tree_.escape(s))) escaping[s] = 1;
  };
  for (SwitchId s : tree_.members())
    if (s != to && !next_[s].valid()) escape_from(s);
  for (bool changed = true; changed;) {
    changed = false;
    for (SwitchId s : tree_.members()) {
      if (s == to || escaping[s] != 0) continue;
      const SwitchId beyond = fabric_.to(next_[s]);
      if (beyond == to || escaping[beyond] == 0 || enter(next_[s], tree_.escape(beyond))) continue;
      escape_from(s);
      changed = true;
    }
  }
  for (SwitchId s : tree_.members())
    if (escaping[s] != 0) next_[s] = tree_.escape(s);
  // Each dependency in use was entered at least once; the rest are taken back.
  for (const Turn& turn : entered_) {
    const SwitchId from = fabric_.from(turn.in);
    const SwitchId at = fabric_.to(turn.in);
    if (next_[from] != turn.in || next_[at] != turn.out) order_.erase(turn.in, turn.out);
  }
}

/// The column is a tree, but escapes may have changed the order in which it was settled.
void NueLane::add_loads(std::span<const PortNumber> ports, std::uint64_t hosts) {
  column_.load(ports);
  for (SwitchId s : tree_.members()) flow_[s] = fabric_.hosts_on(s).size() * hosts;
  for (SwitchId s : column_.order()) {
    loads_[column_.out(s)] += flow_[s];
    flow_[column_.next(s)] += flow_[s];
  }
}

/// Destinations in breadth-first order, cut into one block per lane: near ones stay together.
/// Components are kept apart, as a lane's tree spans only one.
std::vector<std::vector<SwitchId>> blocks(const Fabric& fabric, std::size_t lanes) {
  std::vector<std::vector<SwitchId>> out;
  IdVector<SwitchId, std::uint8_t> seen(fabric.switch_count(), 0);
  for (SwitchId root : fabric.switches()) {
    if (seen[root] != 0) continue;
    std::vector<SwitchId> order{root};
    seen[root] = 1;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (ChannelId c : fabric.out(order[i]))
        if (seen[fabric.to(c)] == 0) {
          seen[fabric.to(c)] = 1;
          order.push_back(fabric.to(c));
        }
    std::erase_if(order, [&](SwitchId s) { return fabric.hosts_on(s).empty(); });
    for (std::size_t lane = 0; lane < lanes; ++lane)
      out.emplace_back(
          order.begin() + static_cast<std::ptrdiff_t>(lane * order.size() / lanes),
          order.begin() + static_cast<std::ptrdiff_t>((lane + 1) * order.size() / lanes));
  }
  return out;
}

}  // namespace

Routed nue(const Fabric& fabric, const Params& params) {
  const auto lanes = params.whole<std::size_t>("lanes");
  const bool per_host = params.is("columns", "host");
  Tables tables = empty_tables(fabric, per_host);
  auto& next = std::get<DestinationTables>(tables.paths);
  ServiceLanes service{Grid<std::uint8_t>(next.size(), fabric.switch_count(), 0)};
  const TurnIndex turns(fabric);
  Loads loads(fabric.channel_count(), 0);
  std::size_t block = 0;
  for (auto& group : blocks(fabric, lanes)) {
    const std::size_t lane = block++ % lanes;
    if (group.empty()) continue;
    NueLane columns(turns, group, loads);
    std::stable_sort(group.begin(), group.end(), [&](SwitchId a, SwitchId b) {
      return fabric.hosts_on(a).size() > fabric.hosts_on(b).size();
    });
    for (SwitchId to : group) {
      const auto hosts = fabric.hosts_on(to);
      for (HostId h : per_host ? hosts : hosts.first(1)) {
        const ColumnId column = tables.to_host[h];
        columns.column(to, next[column], per_host ? 1 : hosts.size());
        std::fill(service.level[column].begin(), service.level[column].end(),
                  static_cast<std::uint8_t>(lane));
      }
    }
  }
  tables.lane_count = static_cast<int>(lanes);
  if (lanes > 1) tables.lanes = std::move(service);
  return tables;
}

}  // namespace weft
