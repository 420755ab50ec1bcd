// SPDX-License-Identifier: Apache-2.0
// Trees from likely roots, tried one after the other: grown so that they are safe, or breadth
// first.
#include "plan/export/multicast_tree.hpp"

#include <algorithm>
#include <ostream>
#include <set>

#include "fabric/distances.hpp"
#include "fabric/format/parsing/text.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/graph/acyclic_dependencies.hpp"
#include "plan/export/opensm_levels.hpp"

namespace weft {
namespace {

/// Ports of the tree at a switch, with what is behind them.
std::vector<ChannelId> branches(const Fabric& fabric, const MulticastTree& tree, SwitchId s) {
  std::vector<ChannelId> out;
  for (ChannelId c : fabric.out(s))
    if (tree.up[s] == c || tree.up[fabric.to(c)] == reverse(c)) out.push_back(c);
  return out;
}

/// Roots worth trying: the first switch, where up*/down* begins; switches without hosts, such as
/// the tops of trees; central ones.
std::vector<SwitchId> likely_roots(const Fabric& fabric) {
  const std::size_t most = fabric.switch_count() > 256 ? 8 : 64;
  struct LikelyRoot {
    std::size_t hosts;
    std::uint32_t reach;  ///< links to the farthest switch
    SwitchId root;
    bool operator<(const LikelyRoot& other) const {
      return std::tie(hosts, reach, root) < std::tie(other.hosts, other.reach, other.root);
    }
  };
  std::vector<LikelyRoot> candidates;
  for (SwitchId s : fabric.switches()) {
    if (s == SwitchId(0)) continue;
    std::uint32_t reach = 0;
    for (const std::uint32_t links : distances(fabric, s))
      if (links != unreachable) reach = std::max(reach, links);
    candidates.push_back({fabric.hosts_on(s).size(), reach, s});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<SwitchId> out{SwitchId(0)};
  for (const LikelyRoot& each : candidates)
    if (out.size() < most) out.push_back(each.root);
  return out;
}

SwitchId root_of(const Fabric& fabric, const MulticastTree& tree, SwitchId s) {
  while (tree.up[s].valid()) s = fabric.to(tree.up[s]);
  return s;
}

/// The lanes of groups that have the same everywhere.
std::optional<std::vector<Lane>> fixed_lanes(const Fabric& fabric, const Tables& tables,
                                             std::span<const GroupLane> lanes) {
  std::set<Lane> out;
  for (const GroupLane& each : lanes) {
    const auto lane = each.level ? uniform_lane(fabric, tables, *each.level) : each.lane;
    if (!lane) return std::nullopt;
    out.insert(*lane);
  }
  return std::vector<Lane>(out.begin(), out.end());
}

/// Dependencies of tables without groups, beside which groups on these lanes are to be safe.
struct UnicastDependencies {
  std::vector<Lane> group_lanes;
  std::size_t width;  ///< lanes of a channel
  AcyclicDependencies known;
};

/// nullopt where lanes of groups are not the same everywhere, or the tables can deadlock.
std::optional<UnicastDependencies> unicast_dependencies(const Fabric& fabric, Tables tables,
                                                        std::span<const GroupLane> lanes) {
  const auto fixed = fixed_lanes(fabric, tables, lanes);
  if (!fixed) return std::nullopt;
  tables.groups.clear();
  for (const Lane lane : *fixed) tables.lane_count = std::max(tables.lane_count, lane + 1);
  const auto graph = dependencies(fabric, tables);
  const auto* found = std::get_if<DependencyGraph>(&graph);
  if (found == nullptr || !find_cycle(*found).empty()) return std::nullopt;
  return UnicastDependencies{*fixed, static_cast<std::size_t>(tables.lane_count),
                             AcyclicDependencies(*found)};
}

/// A tree that grows link by link from its root, without those that would close a cycle with the
/// dependencies of unicast and of the tree so far.
class TreeGrowth {
 public:
  TreeGrowth(const Fabric& fabric, const UnicastDependencies& unicast)
      : fabric_(fabric),
        lanes_(unicast.group_lanes),
        width_(unicast.width),
        known_(unicast.known),
        links_(fabric.switch_count()) {}

  /// nullopt where some switch with hosts cannot be joined to the others that links join it to.
  std::optional<MulticastTree> grow(SwitchId root) && {
    tree_.up.assign(fabric_.switch_count(), ChannelId::none());
    is_in_.assign(fabric_.switch_count(), false);
    IdVector<SwitchId, bool> seen(fabric_.switch_count(), false);
    std::vector<SwitchId> starts{root};
    for (SwitchId s : fabric_.switches()) starts.push_back(s);
    for (SwitchId start : starts) {
      if (seen[start]) continue;
      grow_from(start);
      const auto links = distances(fabric_, start);
      for (SwitchId s : fabric_.switches()) {
        if (links[s] == unreachable) continue;
        seen[s] = true;
        if (!is_in_[s] && !fabric_.hosts_on(s).empty()) return std::nullopt;
      }
    }
    return std::move(tree_);
  }

 private:
  using Edge = DependencyGraph::Edge;

  void grow_from(SwitchId root) {
    is_in_[root] = true;
    std::vector<SwitchId> reached{root};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (ChannelId c : fabric_.out(reached[i]))
        if (!is_in_[fabric_.to(c)] && add(c)) reached.push_back(fabric_.to(c));
  }
  bool add(ChannelId out) {
    const SwitchId from = fabric_.from(out);
    std::vector<Edge> edges;
    const auto depend = [&](ChannelId first, ChannelId second, Lane lane) {
      const Edge edge{LaneChannel(first.index() * width_ + lane),
                      LaneChannel(second.index() * width_ + lane)};
      if (!known_.contains(edge)) edges.push_back(edge);
    };
    for (ChannelId other : links_[from])
      for (const Lane lane : lanes_) {
        depend(reverse(other), out, lane);
        depend(reverse(out), other, lane);
      }
    if (!known_.insert(edges)) return false;
    links_[from].push_back(out);
    links_[fabric_.to(out)].push_back(reverse(out));
    is_in_[fabric_.to(out)] = true;
    tree_.up[fabric_.to(out)] = reverse(out);
    return true;
  }

  const Fabric& fabric_;
  const std::vector<Lane>& lanes_;
  std::size_t width_;
  AcyclicDependencies known_;
  MulticastTree tree_;
  IdVector<SwitchId, bool> is_in_;
  IdVector<SwitchId, std::vector<ChannelId>> links_;  ///< of the tree, leaving a switch
};

}  // namespace

MulticastTree tree_towards(const Fabric& fabric, SwitchId root) {
  MulticastTree out;
  out.up.assign(fabric.switch_count(), ChannelId::none());
  IdVector<SwitchId, bool> seen;
  seen.assign(fabric.switch_count(), false);
  std::vector<SwitchId> roots{root};
  for (SwitchId s : fabric.switches()) roots.push_back(s);
  for (SwitchId first : roots) {
    if (seen[first]) continue;
    seen[first] = true;
    std::vector<SwitchId> reached{first};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (ChannelId c : fabric.out(reached[i])) {
        const SwitchId next = fabric.to(c);
        if (seen[next]) continue;
        seen[next] = true;
        out.up[next] = reverse(c);
        reached.push_back(next);
      }
  }
  return out;
}

std::size_t tree_count(const Fabric& fabric, const MulticastTree& tree,
                       const IdVector<SwitchId, bool>& marked) {
  std::set<SwitchId> roots;
  for (SwitchId s : fabric.switches())
    if (marked[s]) roots.insert(root_of(fabric, tree, s));
  return roots.size();
}

bool joins_all(const Fabric& fabric, const MulticastTree& tree) {
  IdVector<SwitchId, bool> seen(fabric.switch_count(), false);
  for (SwitchId start : fabric.switches()) {
    if (seen[start] || fabric.hosts_on(start).empty()) continue;
    const SwitchId root = root_of(fabric, tree, start);
    const auto links = distances(fabric, start);
    for (SwitchId s : fabric.switches()) {
      if (links[s] == unreachable || fabric.hosts_on(s).empty()) continue;
      seen[s] = true;
      if (root_of(fabric, tree, s) != root) return false;
    }
  }
  return true;
}

IdVector<SwitchId, std::vector<ChannelId>> branches_between(
    const Fabric& fabric, const MulticastTree& tree, const IdVector<SwitchId, bool>& marked) {
  // Behind a branch are some of the marked switches of its tree, and not all of them.
  std::vector<SwitchId> by_depth;
  for (SwitchId s : fabric.switches())
    if (!tree.up[s].valid()) by_depth.push_back(s);
  for (std::size_t i = 0; i < by_depth.size(); ++i)
    for (ChannelId c : branches(fabric, tree, by_depth[i]))
      if (c != tree.up[by_depth[i]]) by_depth.push_back(fabric.to(c));
  IdVector<SwitchId, std::size_t> behind(fabric.switch_count(), 0), all(fabric.switch_count(), 0);
  for (std::size_t i = by_depth.size(); i-- > 0;) {
    const SwitchId s = by_depth[i];
    behind[s] += marked[s] ? 1U : 0U;
    if (tree.up[s].valid()) behind[fabric.to(tree.up[s])] += behind[s];
  }
  IdVector<SwitchId, std::vector<ChannelId>> out(fabric.switch_count());
  for (SwitchId s : by_depth) {
    const ChannelId up = tree.up[s];
    all[s] = up.valid() ? all[fabric.to(up)] : behind[s];
    if (!up.valid() || behind[s] == 0 || behind[s] == all[s]) continue;
    out[s].push_back(up);
    out[fabric.to(up)].push_back(reverse(up));
  }
  return out;
}

Group group_along(const Fabric& fabric, const MulticastTree& tree, std::vector<HostId> members) {
  Group out{"all hosts", std::move(members)};
  IdVector<SwitchId, bool> marked(fabric.switch_count(), false);
  IdVector<SwitchId, std::vector<PortNumber>> ports(fabric.switch_count());
  for (HostId h : out.members) {
    marked[fabric[h].on] = true;
    ports[fabric[h].on].push_back(fabric[h].port);
  }
  const auto links = branches_between(fabric, tree, marked);
  for (SwitchId s : fabric.switches()) {
    for (ChannelId c : links[s]) ports[s].push_back(fabric.out_port(c));
    std::sort(ports[s].begin(), ports[s].end());
    if (!ports[s].empty()) out.out.push_back({s, std::move(ports[s])});
  }
  return out;
}

Tables with_groups(Tables tables, const Fabric& fabric, const MulticastTree& tree,
                   std::span<const GroupLane> lanes) {
  std::vector<HostId> everyone;
  for (HostId h : fabric.hosts()) everyone.push_back(h);
  const Group all = group_along(fabric, tree, std::move(everyone));
  tables.groups.clear();
  for (const GroupLane& each : lanes) {
    Group& group = tables.groups.emplace_back(all);
    if (lanes.size() > 1) group.name += fmt::format(" ({})", tables.groups.size());
    group.lane = each.lane;
    group.level = each.level;
    tables.lane_count = std::max(tables.lane_count, each.lane + 1);
  }
  return tables;
}

std::optional<MulticastTree> safe_tree(const Fabric& fabric, const Tables& tables,
                                       std::span<const GroupLane> lanes) {
  const auto unicast = unicast_dependencies(fabric, tables, lanes);
  for (SwitchId root : likely_roots(fabric)) {
    auto tree = unicast ? TreeGrowth(fabric, *unicast).grow(root) : tree_towards(fabric, root);
    if (tree && std::holds_alternative<Certificate>(
                    deadlock(fabric, with_groups(tables, fabric, *tree, lanes))))
      return tree;
  }
  return std::nullopt;
}

void write_lid_matrix(std::ostream& stream, const Fabric& fabric, const MulticastTree& tree) {
  IdVector<SwitchId, std::vector<ChannelId>> links;
  std::vector<SwitchId> by_lid;
  for (SwitchId s : fabric.switches()) {
    links.push_back(branches(fabric, tree, s));
    by_lid.push_back(s);
  }
  std::sort(by_lid.begin(), by_lid.end(),
            [&](SwitchId a, SwitchId b) { return fabric[a].lid < fabric[b].lid; });
  struct Distance {
    PortNumber port = no_port;  ///< of the first switch
    unsigned hops = 0;
  };
  Printer out(stream);
  for (SwitchId from : fabric.switches()) {
    IdVector<SwitchId, Distance> to;
    to.assign(fabric.switch_count(), {});
    to[from].port = 0;
    std::vector<SwitchId> reached{from};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (ChannelId c : links[reached[i]]) {
        Distance& next = to[fabric.to(c)];
        if (next.port != no_port) continue;
        next = {i == 0 ? fabric.out_port(c) : to[reached[i]].port, to[reached[i]].hops + 1};
        reached.push_back(fabric.to(c));
      }
    out.print("Switch: guid 0x{:016x}\n", fabric[from].guid);
    for (SwitchId s : by_lid) {
      if (to[s].port == no_port) continue;
      out.print("0x{:04x}:", fabric[s].lid);
      for (unsigned port = 0; port < to[s].port; ++port) out.put(" ff");
      out.print(" {:02x} # portguid 0x{:016x}\n", to[s].hops, fabric[s].guid);
    }
  }
}

}  // namespace weft
