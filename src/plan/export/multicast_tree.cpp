// SPDX-License-Identifier: Apache-2.0
// Breadth-first trees, tried one after the other.
#include "plan/export/multicast_tree.hpp"

#include <algorithm>
#include <ostream>

#include "fabric/distances.hpp"
#include "fabric/format/parsing/text.hpp"
#include "plan/check/deadlock.hpp"

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
  struct Candidate {
    std::size_t hosts;
    std::uint32_t reach;  ///< links to the farthest switch
    SwitchId root;
    bool operator<(const Candidate& other) const {
      return std::tie(hosts, reach, root) < std::tie(other.hosts, other.reach, other.root);
    }
  };
  std::vector<Candidate> candidates;
  for (SwitchId s : fabric.switches()) {
    if (s == SwitchId(0)) continue;
    std::uint32_t reach = 0;
    for (const std::uint32_t links : distances(fabric, s))
      if (links != unreachable) reach = std::max(reach, links);
    candidates.push_back({fabric.hosts_on(s).size(), reach, s});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<SwitchId> out{SwitchId(0)};
  for (const Candidate& each : candidates)
    if (out.size() < most) out.push_back(each.root);
  return out;
}

/// All hosts as a group whose packets go along the tree.
Group group_along(const Fabric& fabric, const MulticastTree& tree) {
  Group out{"all hosts", {}};
  for (HostId h : fabric.hosts()) out.members.push_back(h);
  for (SwitchId s : fabric.switches()) {
    PortSet ports{s, {}};
    for (HostId h : fabric.hosts_on(s)) ports.ports.push_back(fabric[h].port);
    for (ChannelId c : branches(fabric, tree, s)) ports.ports.push_back(fabric.out_port(c));
    std::sort(ports.ports.begin(), ports.ports.end());
    out.out.push_back(std::move(ports));
  }
  return out;
}

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

Tables with_group(Tables tables, const Fabric& fabric, const MulticastTree& tree, Lane lane) {
  tables.groups = {group_along(fabric, tree)};
  tables.groups.front().lane = lane;
  tables.lane_count = std::max(tables.lane_count, lane + 1);
  return tables;
}

std::optional<MulticastTree> safe_tree(const Fabric& fabric, const Tables& tables, Lane lane) {
  for (SwitchId root : likely_roots(fabric)) {
    MulticastTree tree = tree_towards(fabric, root);
    if (std::holds_alternative<Certificate>(
            deadlock(fabric, with_group(tables, fabric, tree, lane))))
      return tree;
  }
  return std::nullopt;
}

void write_lid_matrix(std::ostream& stream, const Fabric& fabric, const MulticastTree& tree) {
  IdVector<SwitchId, std::vector<ChannelId>> ways;
  std::vector<SwitchId> by_lid;
  for (SwitchId s : fabric.switches()) {
    ways.push_back(branches(fabric, tree, s));
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
      for (ChannelId c : ways[reached[i]]) {
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
