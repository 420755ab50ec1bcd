// SPDX-License-Identifier: Apache-2.0
// Waits of groups with a root.
#include "plan/check/graph/rooted.hpp"

#include <algorithm>

namespace weft {

LinkPlace place_of(const Fabric& fabric, ChannelId channel) {
  if (channel.index() < fabric.channel_count())
    return {fabric.from(channel), fabric.out_port(channel), fabric[fabric.to(channel)].name};
  const Host& host = fabric[HostId(channel.index() - fabric.channel_count())];
  return {host.on, host.port, host.name};
}

std::string place_text(const Fabric& fabric, ChannelId channel, Lane lane) {
  const LinkPlace link = place_of(fabric, channel);
  return fmt::format("{} port {} lane {} (to {})", fabric[link.on].name, link.port, lane, link.to);
}

RootedGroups::RootedGroups(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric), tables_(tables), lanes_(static_cast<std::size_t>(tables.lane_count)) {
  any_ = std::any_of(tables.groups.begin(), tables.groups.end(),
                     [](const Group& group) { return group.root.has_value(); });
  if (!any_) return;
  before_.assign((fabric.channel_count() + fabric.host_count()) * lanes_, unused);
  for (const Group& group : tables.groups) {
    if (!group.root) continue;
    const auto tree = tree_of(group);
    if (!tree) {
      problem_ = Refused{
          fmt::format("group \"{}\" is no tree: some of its copies come to a link that others take",
                      group.name)};
      return;
    }
    for (const TreeLink& link : *tree)
      use(link.node, link.parent == none
                         ? root
                         : static_cast<NodeIndex>(hop((*tree)[link.parent].node).channel.index()));
    for (const UpPort& up : group.up)
      if (const ChannelId c = fabric.channel_at(up.on, up.port); c.valid() && up.on != *group.root)
        use(node({c, group.lane}), several);
  }
}

void RootedGroups::use(NodeIndex n, NodeIndex before) {
  before_[n] = before_[n] == unused || before_[n] == before ? before : several;
}

std::optional<Hop> RootedGroups::link_at(const Group& group, SwitchId at, PortNumber port) const {
  const Neighbour beyond = fabric_.at_port(at, port);
  if (beyond.host.valid()) return link_to(fabric_, beyond.host);
  if (beyond.channel.valid()) return Hop{beyond.channel, group.lane};
  return std::nullopt;
}

/// Nothing when the links form no tree.
std::optional<RootedGroups::Tree> RootedGroups::tree_of(const Group& group) const {
  IdVector<SwitchId, std::vector<PortNumber>> ports(fabric_.switch_count());
  for (const PortSet& set : group.out) {
    ports[set.on] = set.ports;
    std::sort(ports[set.on].begin(), ports[set.on].end());
    ports[set.on].erase(std::unique(ports[set.on].begin(), ports[set.on].end()),
                        ports[set.on].end());
  }
  struct LinkVisit {
    SwitchId at;
    PortNumber in;
    NodeIndex link;
    std::size_t next = 0;
  };
  Tree tree;
  std::vector<bool> seen(before_.size(), false);
  std::vector<LinkVisit> visits{{*group.root, 0, none}};
  while (!visits.empty()) {
    LinkVisit& visit = visits.back();
    if (visit.next == ports[visit.at].size()) {
      if (visit.link != none) tree[visit.link].end = static_cast<NodeIndex>(tree.size());
      visits.pop_back();
      continue;
    }
    const PortNumber port = ports[visit.at][visit.next++];
    const auto link = port == visit.in ? std::nullopt : link_at(group, visit.at, port);
    if (!link) continue;
    if (seen[node(*link)]) return std::nullopt;
    seen[node(*link)] = true;
    const auto place = static_cast<NodeIndex>(tree.size());
    tree.push_back({node(*link), visit.link, place + 1});
    if (link->channel.index() < fabric_.channel_count())
      visits.push_back({fabric_.to(link->channel), fabric_.in_port(link->channel), place});
  }
  return tree;
}

bool RootedGroups::has(const Group& group, Hop first, Hop second) const {
  std::vector<NodeIndex> nodes;
  for (const TreeLink& link : tree_of(group).value_or(Tree{})) nodes.push_back(link.node);
  for (const UpPort& up : group.up)
    if (const ChannelId c = fabric_.channel_at(up.on, up.port); c.valid())
      nodes.push_back(node({c, group.lane}));
  const auto among = [&](Hop h) {
    return std::find(nodes.begin(), nodes.end(), node(h)) != nodes.end();
  };
  return among(first) && among(second);
}

void RootedGroups::add_step(Hop first, Hop second) {
  if (!any_) return;
  steps_.emplace_back(node(first), node(second));
  if (steps_.size() >= tidy_at_) tidy();
}

void RootedGroups::tidy() {
  std::sort(steps_.begin(), steps_.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first < b.first;
  });
  steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
  tidy_at_ = std::max(tidy_at_, 2 * steps_.size());
}

/// Whether a packet other than a circuit that goes from the first link to the second may find all
/// lanes of the second held by circuits. Where all circuits come by the first link, too, the packet
/// has one of its lanes: there are fewer circuits than lanes.
bool RootedGroups::meets_circuits(NodeIndex first, NodeIndex second) const {
  if (before_[second] == unused) return false;
  const Hop from = hop(first), to = hop(second);
  const bool same_lane = to.lane == from.lane || to.channel.index() >= fabric_.channel_count();
  return !same_lane || before_[second] != from.channel.index();
}

void RootedGroups::find_unsafe() {
  unsafe_.assign(before_.size(), false);
  tidy();
  std::vector<NodeIndex> todo;
  const auto mark = [&](NodeIndex n) {
    if (!unsafe_[n]) todo.push_back(n);
    unsafe_[n] = true;
  };
  for (const auto& [first, second] : steps_)
    if (meets_circuits(first, second)) mark(first);
  while (!todo.empty()) {
    const NodeIndex n = todo.back();
    todo.pop_back();
    const auto into =
        std::lower_bound(steps_.begin(), steps_.end(), n,
                         [](const auto& step, NodeIndex to) { return step.second < to; });
    for (auto step = into; step != steps_.end() && step->second == n; ++step) mark(step->first);
  }
}

void RootedGroups::for_each_wait(const Visit& visit) {
  if (!any_ || problem_) return;
  // The copies of a short packet may have left all channels but the last.
  for (const Group& group : tables_.groups) {
    if (!group.root) continue;
    const Tree tree = *tree_of(group);
    for (const TreeLink& link : tree)
      if (link.parent != none) add_step(hop(tree[link.parent].node), hop(link.node));
  }
  find_unsafe();
  for (const Group& group : tables_.groups) {
    if (!group.root) continue;
    const Tree tree = *tree_of(group);
    waits_up(group, tree, visit);
    spread(group, tree, visit);
    contend(group, tree, visit);
  }
}

/// Waits up, channel by channel, and for the first link at the root.
void RootedGroups::waits_up(const Group& group, const Tree& tree, const Visit& visit) const {
  IdVector<SwitchId, ChannelId> up(fabric_.switch_count());
  for (const UpPort& port : group.up)
    if (port.on != *group.root) up[port.on] = fabric_.channel_at(port.on, port.port);
  for (SwitchId s : fabric_.switches()) {
    if (!up[s].valid()) continue;
    const Hop first{up[s], group.lane};
    const SwitchId next = fabric_.to(up[s]);
    if (next != *group.root) {
      if (up[next].valid()) visit(group, first, {up[next], group.lane});
    } else if (!tree.empty()) {
      visit(group, first, hop(tree.front().node));
    }
  }
}

/// Waits down, link by link; and at the root from all links behind one port to the next port.
void RootedGroups::spread(const Group& group, const Tree& tree, const Visit& visit) const {
  for (const TreeLink& link : tree)
    if (link.parent != none) visit(group, hop(tree[link.parent].node), hop(link.node));
  for (NodeIndex port = 0; port < tree.size() && tree[port].end < tree.size();
       port = tree[port].end)
    for (NodeIndex i = port; i < tree[port].end; ++i)
      if (tree[i].end == i + 1) visit(group, hop(tree[i].node), hop(tree[tree[port].end].node));
}

bool RootedGroups::contended(const TreeLink& link) const {
  return link.parent != none && (before_[link.node] == several || unsafe_[link.node]);
}

/// Waits for links behind the root whose lanes may all be held by packets that may never
/// release them: while a circuit waits for such a link it may hold any link that is neither behind
/// it nor behind later ports of its switch.
void RootedGroups::contend(const Group& group, const Tree& tree, const Visit& visit) const {
  std::vector<NodeIndex> all;
  for (NodeIndex i = 0; i < tree.size(); ++i)
    if (contended(tree[i])) all.push_back(i);
  if (all.empty()) return;
  const auto room = [&](NodeIndex i) { return tree[tree[i].parent].end; };
  const auto leaf_behind = [&](NodeIndex i) {
    while (tree[i].end != i + 1) ++i;
    return hop(tree[i].node);
  };
  // Two links, each of which may be held while the other is waited for, are a cycle: enough.
  const NodeIndex early = *std::min_element(
      all.begin(), all.end(), [&](NodeIndex a, NodeIndex b) { return room(a) < room(b); });
  const NodeIndex late = all.back();
  if (late >= room(early)) {
    visit(group, leaf_behind(early), hop(tree[late].node));
    visit(group, leaf_behind(late), hop(tree[early].node));
    return;
  }
  for (const NodeIndex i : all)
    for (NodeIndex held = 0; held < tree.size(); ++held)
      if ((held < i || held >= room(i)) && tree[held].end == held + 1)
        visit(group, hop(tree[held].node), hop(tree[i].node));
}

}  // namespace weft
