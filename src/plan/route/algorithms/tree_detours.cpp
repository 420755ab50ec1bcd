// SPDX-License-Identifier: Apache-2.0
// From a switch that has no route a search goes out, over switches that have none either, to those
// that have one. What is found is taken if the dependencies stay free of cycles.
#include "plan/route/algorithms/tree_detours.hpp"

#include <algorithm>
#include <vector>

#include "fabric/distances.hpp"
#include "plan/route/algorithms/acyclic_order.hpp"

namespace weft {
namespace {

class DetourFinder {
 public:
  DetourFinder(const Fabric& fabric, DestinationTables& next)
      : fabric_(fabric), next_(next), turns_(fabric), order_(turns_), by_(fabric.switch_count()) {}

  /// Counts the dependencies of the routes of a column that start at hosts.
  void count(ColumnId column) {
    std::vector<bool> counted(fabric_.switch_count(), false);
    for (SwitchId start : fabric_.switches()) {
      if (fabric_.hosts_on(start).empty()) continue;
      for (SwitchId s = start; !counted[s.index()];) {
        counted[s.index()] = true;
        const ChannelId out = channel(column, s);
        if (!out.valid()) break;
        s = fabric_.to(out);
        const ChannelId after = channel(column, s);
        if (after.valid()) order_.insert(out, after);
      }
    }
  }

  /// Leads from a switch to one that has a route; false if that is not possible.
  bool lead(ColumnId column, SwitchId from, SwitchId to) {
    std::fill(by_.begin(), by_.end(), ChannelId::none());
    std::vector<SwitchId> queue{from};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (ChannelId c : fabric_.out(queue[i])) {
        const SwitchId next = fabric_.to(c);
        if (next == from || by_[next].valid()) continue;
        if (next == to || channel(column, next).valid()) {
          if (take(column, from, c)) return true;
        } else {
          by_[next] = c;
          queue.push_back(next);
        }
      }
    return false;
  }

 private:
  ChannelId channel(ColumnId column, SwitchId s) const {
    const PortNumber port = next_[column][s.index()];
    return port == no_port || port == here ? ChannelId::none() : fabric_.channel_at(s, port);
  }

  /// Enters the path of the search that ends with `last`, unless it would close a cycle.
  bool take(ColumnId column, SwitchId from, ChannelId last) {
    std::vector<ChannelId> path{last};  // backwards
    for (SwitchId s = fabric_.from(last); s != from; s = fabric_.from(by_[s]))
      path.push_back(by_[s]);
    std::vector<Turn> added;
    for (ChannelId in = last, out; (out = channel(column, fabric_.to(in))).valid(); in = out)
      added.push_back({in, out});
    for (std::size_t i = 1; i < path.size(); ++i) added.push_back({path[i], path[i - 1]});
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (order_.insert(added[i].in, added[i].out)) continue;
      while (i-- > 0) order_.erase(added[i].in, added[i].out);
      return false;
    }
    for (ChannelId c : path) next_[column][fabric_.from(c).index()] = fabric_.out_port(c);
    return true;
  }

  const Fabric& fabric_;
  DestinationTables& next_;
  TurnIndex turns_;
  AcyclicOrder order_;
  IdVector<SwitchId, ChannelId> by_;  ///< the channel by which the search came
};

}  // namespace

bool add_detours(const Fabric& fabric, Tables& tables) {
  auto& next = std::get<DestinationTables>(tables.paths);
  const auto component = components(fabric);
  DetourFinder finder(fabric, next);
  for (HostId h : fabric.hosts()) finder.count(tables.to_host[h]);
  for (HostId h : fabric.hosts()) {
    const ColumnId column = tables.to_host[h];
    const SwitchId to = fabric[h].on;
    for (SwitchId s : fabric.switches())
      if (!fabric.hosts_on(s).empty() && component[s] == component[to] &&
          next[column][s.index()] == no_port && !finder.lead(column, s, to))
        return false;
  }
  return true;
}

}  // namespace weft
