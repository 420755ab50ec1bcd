// SPDX-License-Identifier: Apache-2.0
// Destination mod k on trees (Zahavi, 2010): on the way up, the digits of the destination choose
// the parent; on the way down there is no choice. Every shift permutation is free of contention on
// a full tree.
#include <algorithm>

#include "plan/route/parts/columns.hpp"
#include "plan/route/rows.hpp"

namespace weft {
namespace {

constexpr std::uint32_t no_level = 0xFFFF'FFFF;

/// The fabric as levels of switches, those with hosts at level 0.
class LevelTree {
 public:
  static std::variant<LevelTree, Refused> find(const Fabric& fabric);

  std::uint32_t level(SwitchId s) const { return level_[s]; }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(divisor_.size()); }
  /// Ports to parents: the first link to each parent, then the second, and so on.
  std::span<const ChannelId> up(SwitchId s) const { return up_[s]; }
  /// What the destination's number is divided by before it chooses a parent at this level.
  std::uint64_t divisor(std::uint32_t level) const { return divisor_[level]; }

 private:
  std::optional<Refused> rank(const Fabric& fabric);
  void order_parents(const Fabric& fabric);

  IdVector<SwitchId, std::uint32_t> level_;
  IdVector<SwitchId, std::vector<ChannelId>> up_;
  std::vector<std::uint64_t> divisor_;
};

std::variant<LevelTree, Refused> LevelTree::find(const Fabric& fabric) {
  LevelTree tree;
  if (auto refused = tree.rank(fabric)) return *refused;
  tree.order_parents(fabric);
  return tree;
}

std::optional<Refused> LevelTree::rank(const Fabric& fabric) {
  level_.assign(fabric.switch_count(), no_level);
  std::vector<SwitchId> queue;
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty()) {
      level_[s] = 0;
      queue.push_back(s);
    }
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric.out(queue[i])) {
      const SwitchId next = fabric.to(c);
      if (level_[next] == no_level) {
        level_[next] = level_[queue[i]] + 1;
        queue.push_back(next);
      } else if (level_[next] == level_[queue[i]]) {
        return Refused{
            fmt::format("needs a tree with hosts on its leaves only; \"{}\" and \"{}\" "
                        "are linked at the same height",
                        fabric[queue[i]].name, fabric[next].name)};
      }
    }
  return std::nullopt;
}

void LevelTree::order_parents(const Fabric& fabric) {
  up_.assign(fabric.switch_count(), {});
  std::vector<std::uint64_t> widest;
  for (SwitchId s : fabric.switches()) {
    if (level_[s] == no_level) continue;
    struct Parent {
      std::size_t link;
      SwitchId to;
      ChannelId channel;
    };
    std::vector<Parent> parents;
    for (ChannelId c : fabric.out(s)) {
      if (level_[fabric.to(c)] != level_[s] + 1) continue;
      const auto same = std::count_if(parents.begin(), parents.end(),
                                      [&](const Parent& p) { return p.to == fabric.to(c); });
      parents.push_back({static_cast<std::size_t>(same), fabric.to(c), c});
    }
    std::stable_sort(parents.begin(), parents.end(), [](const Parent& a, const Parent& b) {
      return a.link != b.link ? a.link < b.link : a.to < b.to;
    });
    for (const Parent& parent : parents) up_[s].push_back(parent.channel);
    if (widest.size() <= level_[s]) widest.resize(level_[s] + 1, 1);
    widest[level_[s]] = std::max<std::uint64_t>(widest[level_[s]], up_[s].size());
  }
  std::uint64_t product = 1;
  for (std::uint64_t width : widest) {
    divisor_.push_back(product);
    product *= width;
  }
}

/// The ports with which each switch may go on towards the hosts of one leaf.
class LeafChoices {
 public:
  LeafChoices(const Fabric& fabric, const LevelTree& tree) : fabric_(fabric), tree_(tree) {
    for (SwitchId s : fabric.switches())
      if (tree.level(s) != no_level) top_down_.push_back(s);
    std::stable_sort(top_down_.begin(), top_down_.end(),
                     [&](SwitchId a, SwitchId b) { return tree.level(a) > tree.level(b); });
    ports_.assign(fabric.switch_count(), {});
    length_.assign(fabric.switch_count(), unreachable);
  }

  void aim(SwitchId leaf) {
    for (SwitchId s : fabric_.switches()) {
      ports_[s].clear();
      length_[s] = s == leaf ? 0 : unreachable;
    }
    for (auto s = top_down_.rbegin(); s != top_down_.rend(); ++s)
      for (ChannelId c : fabric_.out(*s)) {
        const SwitchId child = fabric_.to(c);
        if (tree_.level(child) + 1 != tree_.level(*s) || length_[child] == unreachable) continue;
        length_[*s] = length_[child] + 1;
        ports_[*s].push_back(fabric_.out_port(c));
      }
    for (SwitchId s : top_down_)
      if (length_[s] == unreachable) climb(s);
  }
  /// None where no way leads up and then down.
  const std::vector<PortNumber>& ports(SwitchId s) const { return ports_[s]; }

 private:
  /// The parents from which it is not far.
  void climb(SwitchId s) {
    for (ChannelId c : tree_.up(s))
      if (length_[fabric_.to(c)] != unreachable)
        length_[s] = std::min(length_[s], length_[fabric_.to(c)] + 1);
    for (ChannelId c : tree_.up(s))
      if (length_[s] != unreachable && length_[fabric_.to(c)] + 1 == length_[s])
        ports_[s].push_back(fabric_.out_port(c));
  }

  const Fabric& fabric_;
  const LevelTree& tree_;
  std::vector<SwitchId> top_down_;
  IdVector<SwitchId, std::vector<PortNumber>> ports_;
  IdVector<SwitchId, std::uint32_t> length_;  ///< links to the leaf, up and then down
};

/// Numbers of the hosts by position, so that a missing host leaves the others of its leaf, and of
/// the other leaves, where they are. (A leaf without any host is no leaf to this engine.)
struct Positions {
  PortNumber first = no_port;
  std::uint64_t per_leaf = 1;
  explicit Positions(const Fabric& fabric) {
    for (HostId h : fabric.hosts()) first = std::min(first, fabric[h].port);
    for (HostId h : fabric.hosts())
      per_leaf = std::max<std::uint64_t>(per_leaf, fabric[h].port - first + 1U);
  }
};

}  // namespace

Routed dmodk(const Fabric& fabric, const Params&) {
  const auto found = LevelTree::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const LevelTree& tree = std::get<LevelTree>(found);
  const Positions positions(fabric);
  const auto component = components(fabric);
  Tables tables = empty_tables(fabric, true);
  auto& next = std::get<DestinationTables>(tables.paths);
  LeafChoices choices(fabric, tree);
  std::vector<std::uint64_t> digit(tree.levels());
  std::uint64_t leaf_number = 0;
  for (SwitchId leaf : fabric.switches()) {
    if (fabric.hosts_on(leaf).empty()) continue;
    choices.aim(leaf);
    for (SwitchId s : fabric.switches())
      if (s != leaf && !fabric.hosts_on(s).empty() && choices.ports(s).empty() &&
          component[s] == component[leaf])
        return Refused{
            fmt::format("needs a tree; no way leads up and then down from \"{}\" to \"{}\"",
                        fabric[s].name, fabric[leaf].name)};
    for (HostId h : fabric.hosts_on(leaf)) {
      const std::uint64_t number =
          leaf_number * positions.per_leaf + (fabric[h].port - positions.first);
      for (std::uint32_t level = 0; level < tree.levels(); ++level)
        digit[level] = number / tree.divisor(level);
      const auto column = next[tables.to_host[h]];
      for (SwitchId s : fabric.switches()) {
        const auto& ports = choices.ports(s);
        if (!ports.empty()) column[s.index()] = ports[digit[tree.level(s)] % ports.size()];
      }
      column[leaf.index()] = here;
    }
    ++leaf_number;
  }
  return tables;
}

}  // namespace weft
