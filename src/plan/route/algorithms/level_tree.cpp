// SPDX-License-Identifier: Apache-2.0
// Levels are distances from the leaves; every leaf has its own routes down to it.
#include "plan/route/algorithms/level_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft {

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

LeafChoices::LeafChoices(const Fabric& fabric, const LevelTree& tree)
    : fabric_(fabric), tree_(tree), component_(components(fabric)) {
  for (SwitchId s : fabric.switches())
    if (tree.level(s) != no_level) top_down_.push_back(s);
  std::stable_sort(top_down_.begin(), top_down_.end(),
                   [&](SwitchId a, SwitchId b) { return tree.level(a) > tree.level(b); });
  ports_.assign(fabric.switch_count(), {});
  length_.assign(fabric.switch_count(), unreachable);
}

void LeafChoices::aim(SwitchId leaf) {
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
    if (length_[s] == unreachable) add_ports_up(s);
}

/// Adds the ports to the parents nearest to the leaf.
void LeafChoices::add_ports_up(SwitchId s) {
  for (ChannelId c : tree_.up(s))
    if (length_[fabric_.to(c)] != unreachable)
      length_[s] = std::min(length_[s], length_[fabric_.to(c)] + 1);
  for (ChannelId c : tree_.up(s))
    if (length_[s] != unreachable && length_[fabric_.to(c)] + 1 == length_[s])
      ports_[s].push_back(fabric_.out_port(c));
}

std::optional<Refused> LeafChoices::cut_off(SwitchId leaf) const {
  for (SwitchId s : fabric_.switches())
    if (s != leaf && !fabric_.hosts_on(s).empty() && ports_[s].empty() &&
        component_[s] == component_[leaf])
      return Refused{
          fmt::format("needs a tree; no route leads up and then down from \"{}\" to \"{}\"",
                      fabric_[s].name, fabric_[leaf].name)};
  return std::nullopt;
}

}  // namespace weft
