// SPDX-License-Identifier: Apache-2.0
// rooted: hardware broadcast as in QsNet (Petrini, Feng, Hoisie, Coll, Frachtenberg, 2002). Packets
// go up to one switch and are copied from there on, down. Root and tree are the fabric's, whoever
// the members are: that is what makes circuits of many groups safe together.
#include <algorithm>

#include "fabric/distances.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/names.hpp"
#include "plan/mcast/schemes.hpp"
#include "plan/mcast/trees/tree_ports.hpp"

namespace weft {
namespace {

/// Shortest routes from a root; on fat trees only down.
struct RootTree {
  SwitchId root{};
  IdVector<SwitchId, bool> reached;
  IdVector<SwitchId, ChannelId> by;  ///< the channel by which copies come to a switch
};

RootTree tree_from(const Fabric& fabric, SwitchId root, const FatTree* levels) {
  RootTree tree{root, IdVector<SwitchId, bool>(fabric.switch_count(), false),
                IdVector<SwitchId, ChannelId>(fabric.switch_count())};
  tree.reached[root] = true;
  std::vector<SwitchId> queue{root};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric.out(queue[i])) {
      const SwitchId next = fabric.to(c);
      if (tree.reached[next]) continue;
      if (levels != nullptr && levels->level(next) >= levels->level(queue[i])) continue;
      tree.reached[next] = true;
      tree.by[next] = c;
      queue.push_back(next);
    }
  return tree;
}

bool reaches(const Fabric& fabric, const RootTree& tree, const std::vector<HostId>& hosts) {
  return std::all_of(hosts.begin(), hosts.end(),
                     [&](HostId h) { return tree.reached[fabric[h].on]; });
}

/// The first of the highest switches that have all these hosts below them.
std::optional<RootTree> top_of(const Fabric& fabric, const std::vector<HostId>& hosts) {
  const auto found = FatTree::find(fabric);
  const auto* levels = std::get_if<FatTree>(&found);
  if (levels == nullptr) return std::nullopt;
  std::uint32_t height = 0;
  for (SwitchId s : fabric.switches())
    if (levels->level(s) != no_level) height = std::max(height, levels->level(s));
  for (SwitchId s : fabric.switches()) {
    if (levels->level(s) != height) continue;
    RootTree tree = tree_from(fabric, s, levels);
    if (reaches(fabric, tree, hosts)) return tree;
  }
  return std::nullopt;
}

/// The middle of a long path: from the lowest switch to a farthest one, and from that to a
/// farthest.
SwitchId middle(const Fabric& fabric, SwitchId in_part) {
  const auto farthest = [&](SwitchId from) {
    const auto distance = distances(fabric, from);
    SwitchId best = from;
    for (SwitchId s : fabric.switches())
      if (distance[s] != unreachable && distance[s] > distance[best]) best = s;
    return best;
  };
  const auto joined = distances(fabric, in_part);
  SwitchId lowest = in_part;
  for (SwitchId s : fabric.switches())
    if (joined[s] != unreachable) lowest = std::min(lowest, s);
  const SwitchId end = farthest(lowest);
  const auto distance = distances(fabric, end);
  SwitchId at = farthest(end);
  const std::uint32_t half = distance[at] / 2;
  while (distance[at] > half)
    for (ChannelId c : fabric.out(at))
      if (distance[fabric.to(c)] < distance[at]) {
        at = fabric.to(c);
        break;
      }
  return at;
}

RootTree tree_of(const Fabric& fabric, const Params& params, const std::vector<HostId>& hosts,
                 SwitchId in_part) {
  const std::string& root = params.text("root");
  if (root == "auto") {
    if (auto top = top_of(fabric, hosts)) return std::move(*top);
    return tree_from(fabric, middle(fabric, in_part), nullptr);
  }
  const auto named = find_switch_called(fabric, root);
  if (!named) params.reject("root", "write auto or the name of a switch");
  const auto found = FatTree::find(fabric);
  if (const auto* levels = std::get_if<FatTree>(&found)) {
    RootTree tree = tree_from(fabric, *named, levels);
    if (reaches(fabric, tree, hosts)) return tree;
  }
  return tree_from(fabric, *named, nullptr);
}

/// The routes up of these hosts.
std::vector<UpPort> up_ports(const Fabric& fabric, const RootTree& tree,
                             const std::vector<HostId>& hosts) {
  std::vector<UpPort> up;
  std::vector<bool> done(fabric.switch_count(), false);
  for (HostId h : hosts)
    for (SwitchId at = fabric[h].on; tree.by[at].valid() && !done[at.index()];
         at = fabric.from(tree.by[at])) {
      done[at.index()] = true;
      up.push_back({at, fabric.in_port(tree.by[at])});
    }
  std::sort(up.begin(), up.end(), [](const UpPort& a, const UpPort& b) {
    return a.port != b.port ? a.port < b.port : a.on < b.on;
  });
  return up;
}

}  // namespace

Grouped rooted_group(const GroupSubject& subject, const Params& params) {
  const auto& [fabric, tables, request] = subject;
  const SwitchId in_part = fabric[request.members.front()].on;
  const auto joined = distances(fabric, in_part);
  std::vector<HostId> hosts;
  for (HostId h : fabric.hosts())
    if (joined[fabric[h].on] != unreachable) hosts.push_back(h);
  const RootTree tree = tree_of(fabric, params, hosts, in_part);
  if (!reaches(fabric, tree, hosts))
    return Refused{
        fmt::format("the root \"{}\" and host \"{}\" lie in different parts of the "
                    "fabric",
                    fabric[tree.root].name, fabric[request.members.front()].name)};
  const auto touched = ends(request);
  if (!reaches(fabric, tree, touched))
    return Refused{"the members lie in different parts of the fabric"};
  TreePorts ports;
  for (HostId member : request.members) {
    if (member == request.source) continue;
    for (SwitchId at = fabric[member].on; tree.by[at].valid(); at = fabric.from(tree.by[at]))
      ports.add(fabric.from(tree.by[at]), fabric.out_port(tree.by[at]));
  }
  Group group = std::move(ports).group(subject);
  group.root = tree.root;
  group.up = up_ports(fabric, tree, request.source ? std::vector{*request.source} : hosts);
  return group;
}

}  // namespace weft
