// SPDX-License-Identifier: Apache-2.0
// In a tree the levels alternate, so its graph has two colours, and most hosts are on the colour of
// the leaves. Levels are distances from leaves that surely are some; switches that join nothing new
// although they are far from those turn out to be leaves without (or with few) hosts.
#include "fabric/tree_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "fabric/distances.hpp"
#include "fabric/fat_tree.hpp"

namespace weft {
namespace {

/// A set of leaves, or of other switches, for every switch.
class LeafSets {
 public:
  LeafSets(std::size_t rows, std::size_t leaves)
      : words_((leaves + 63) / 64), bits_(rows * words_, 0) {}

  void add(SwitchId row, std::size_t leaf) {
    bits_[row.index() * words_ + leaf / 64] |= std::uint64_t{1} << leaf % 64;
  }
  void unite(SwitchId row, const LeafSets& other, SwitchId with) {
    for (std::size_t w = 0; w < words_; ++w) word(row, w) |= other.word(with, w);
  }
  bool within(SwitchId row, const LeafSets& other, SwitchId all) const {
    for (std::size_t w = 0; w < words_; ++w)
      if ((word(row, w) & ~other.word(all, w)) != 0) return false;
    return true;
  }
  /// Calls `use` with every leaf of a set.
  template <class Use>
  void each(SwitchId row, Use use) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t left = word(row, w); left != 0; left &= left - 1)
        use(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

 private:
  std::uint64_t& word(SwitchId row, std::size_t w) { return bits_[row.index() * words_ + w]; }
  std::uint64_t word(SwitchId row, std::size_t w) const { return bits_[row.index() * words_ + w]; }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

std::vector<std::vector<SwitchId>> by_level(const Fabric& fabric, const TreeLevels& level) {
  std::vector<std::vector<SwitchId>> out;
  for (SwitchId s : fabric.switches()) {
    if (level[s] == no_level) continue;
    if (out.size() <= level[s]) out.resize(level[s] + 1);
    out[level[s]].push_back(s);
  }
  return out;
}

class LevelFinder {
 public:
  explicit LevelFinder(const Fabric& fabric)
      : fabric_(fabric), component_(components(fabric)), colour_(fabric.switch_count(), 0) {
    std::size_t count = 0;
    for (const std::uint32_t c : component_) count = std::max<std::size_t>(count, c + 1);
    leaf_colour_.assign(count, 0);
  }

  std::variant<TreeLevels, Refused> find() {
    if (auto refused = colour()) return *refused;
    choose_leaf_colour();
    choose_sources();
    measure();
    while (add_sources()) measure();
    lower_bare_switches();
    if (auto refused = hosts_everywhere()) return *refused;
    return level_;
  }

 private:
  std::optional<Refused> colour();
  Refused linked_at_same_height(std::uint32_t component);
  void choose_leaf_colour();
  void choose_sources();
  void measure();
  bool add_sources();
  void lower_bare_switches();
  std::optional<Refused> hosts_everywhere() const;

  std::size_t hosts(SwitchId s) const { return fabric_.hosts_on(s).size(); }
  bool may_be_leaf(SwitchId s) const { return colour_[s] == leaf_colour_[component_[s]]; }

  const Fabric& fabric_;
  IdVector<SwitchId, std::uint32_t> component_;
  IdVector<SwitchId, int> colour_;  ///< 1 or 2
  std::vector<int> leaf_colour_;    ///< by component
  IdVector<SwitchId, bool> source_;
  TreeLevels level_;
};

std::optional<Refused> LevelFinder::colour() {
  for (SwitchId start : fabric_.switches()) {
    if (colour_[start] != 0) continue;
    colour_[start] = 1;
    std::vector<SwitchId> queue{start};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (ChannelId c : fabric_.out(queue[i])) {
        const SwitchId next = fabric_.to(c);
        if (colour_[next] == colour_[queue[i]]) return linked_at_same_height(component_[start]);
        if (colour_[next] != 0) continue;
        colour_[next] = 3 - colour_[queue[i]];
        queue.push_back(next);
      }
  }
  return std::nullopt;
}

/// Names a link between two switches that are equally far from the leaves; where there are not two
/// colours, there is one.
Refused LevelFinder::linked_at_same_height(std::uint32_t component) {
  for (SwitchId s : fabric_.switches()) colour_[s] = component_[s] == component ? 1 : 0;
  leaf_colour_.assign(leaf_colour_.size(), 1);
  choose_sources();
  measure();
  for (LinkId l : fabric_.links()) {
    const auto& [a, b, wire] = fabric_[l];
    if (component_[a.on] == component && level_[a.on] == level_[b.on])
      return {fmt::format("needs a tree; \"{}\" and \"{}\" are linked at the same height",
                          fabric_[a.on].name, fabric_[b.on].name)};
  }
  return {"needs a tree with hosts"};
}

/// The colour with most hosts; of a component of one switch without links, its own.
void LevelFinder::choose_leaf_colour() {
  std::vector<std::size_t> first(leaf_colour_.size(), 0), second(leaf_colour_.size(), 0);
  for (SwitchId s : fabric_.switches())
    (colour_[s] == 1 ? first : second)[component_[s]] += hosts(s);
  for (std::size_t c = 0; c < leaf_colour_.size(); ++c)
    leaf_colour_[c] = first[c] >= second[c] ? 1 : 2;
}

/// Leaves beyond doubt are those with as many hosts as the median, or more. A top switch with a
/// service node or two is none.
void LevelFinder::choose_sources() {
  std::vector<std::vector<std::size_t>> counts(leaf_colour_.size());
  for (SwitchId s : fabric_.switches())
    if (may_be_leaf(s) && hosts(s) > 0) counts[component_[s]].push_back(hosts(s));
  for (auto& of_component : counts) std::sort(of_component.begin(), of_component.end());
  source_.assign(fabric_.switch_count(), false);
  for (SwitchId s : fabric_.switches()) {
    const auto& known = counts[component_[s]];
    source_[s] = may_be_leaf(s) && hosts(s) > 0 && hosts(s) >= known[known.size() / 2];
  }
}

void LevelFinder::measure() {
  level_.assign(fabric_.switch_count(), no_level);
  std::vector<SwitchId> queue;
  for (SwitchId s : fabric_.switches())
    if (source_[s]) {
      level_[s] = 0;
      queue.push_back(s);
    }
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric_.out(queue[i])) {
      const SwitchId next = fabric_.to(c);
      if (level_[next] != no_level) continue;
      level_[next] = level_[queue[i]] + 1;
      queue.push_back(next);
    }
}

/// Switches with fewer hosts that join nothing are leaves as well, of those the farthest first:
/// once they are known, others may turn out to be above them. Whether there are any.
bool LevelFinder::add_sources() {
  const auto joins = joining_switches(fabric_, level_);
  std::vector<SwitchId> farthest;
  for (SwitchId s : fabric_.switches()) {
    if (source_[s] || hosts(s) == 0 || !may_be_leaf(s) || joins[s]) continue;
    if (!farthest.empty() && level_[s] > level_[farthest.front()]) farthest.clear();
    if (farthest.empty() || level_[s] == level_[farthest.front()]) farthest.push_back(s);
  }
  for (SwitchId s : farthest) source_[s] = true;
  return !farthest.empty();
}

/// Switches without hosts that join nothing, far from all leaves, are below their neighbours
/// instead of above: leaves that have lost their hosts, and whole pods of them.
void LevelFinder::lower_bare_switches() {
  const auto joins = joining_switches(fabric_, level_);
  const auto levels = by_level(fabric_, level_);
  IdVector<SwitchId, bool> lowered(fabric_.switch_count(), false);
  std::vector<SwitchId> queue;
  for (std::size_t l = levels.size(); l-- > 2;)
    for (SwitchId s : levels[l]) {
      if (joins[s] || hosts(s) > 0) continue;
      const auto out = fabric_.out(s);
      lowered[s] = std::all_of(out.begin(), out.end(), [&](ChannelId c) {
        return level_[fabric_.to(c)] < l || lowered[fabric_.to(c)];
      });
    }
  for (std::size_t l = 2; l < levels.size(); ++l)
    for (SwitchId s : levels[l]) {
      if (!lowered[s]) continue;
      for (ChannelId c : fabric_.out(s)) {
        // Its neighbours below have their final level already.
        const std::uint32_t below = level_[fabric_.to(c)];
        if (below < l) level_[s] = std::min(level_[s], below > 0 ? below - 1 : 1);
      }
    }
}

/// A tree has nearly all its hosts on its leaves; meshes and the like have them everywhere.
std::optional<Refused> LevelFinder::hosts_everywhere() const {
  std::vector<std::size_t> all(leaf_colour_.size(), 0), above(leaf_colour_.size(), 0);
  for (SwitchId s : fabric_.switches()) {
    all[component_[s]] += hosts(s);
    if (level_[s] != 0) above[component_[s]] += hosts(s);
  }
  for (SwitchId s : fabric_.switches()) {
    if (hosts(s) == 0 || 4 * above[component_[s]] <= all[component_[s]]) continue;
    for (ChannelId c : fabric_.out(s))
      if (hosts(fabric_.to(c)) > 0)
        return Refused{
            fmt::format("needs a tree with its hosts on the leaves; \"{}\" and \"{}\" are linked "
                        "and both have hosts",
                        fabric_[s].name, fabric_[fabric_.to(c)].name)};
  }
  return std::nullopt;
}

}  // namespace

std::variant<TreeLevels, Refused> tree_levels(const Fabric& fabric) {
  return LevelFinder(fabric).find();
}

IdVector<SwitchId, bool> joining_switches(const Fabric& fabric, const TreeLevels& level) {
  const auto levels = by_level(fabric, level);
  const std::size_t leaves = levels.empty() ? 0 : levels[0].size();
  LeafSets below(fabric.switch_count(), leaves);  // what is below a switch
  LeafSets near(fabric.switch_count(), leaves);   // what lower levels join to a leaf
  IdVector<SwitchId, bool> joins(fabric.switch_count(), false);
  for (std::size_t i = 0; i < leaves; ++i) {
    below.add(levels[0][i], i);
    near.add(levels[0][i], i);
  }
  for (std::size_t l = 1; l < levels.size(); ++l) {
    for (SwitchId s : levels[l]) {
      for (ChannelId c : fabric.out(s))
        if (level[fabric.to(c)] < l) below.unite(s, below, fabric.to(c));
      std::size_t all = 0;
      std::size_t joined = 0;
      below.each(s, [&](std::size_t leaf) {
        ++all;
        if (!below.within(s, near, levels[0][leaf])) ++joined;
      });
      joins[s] = 2 * joined > all;
    }
    if (l + 1 == levels.size()) break;
    for (SwitchId s : levels[l])
      below.each(s, [&](std::size_t leaf) { near.unite(levels[0][leaf], below, s); });
  }
  return joins;
}

IdVector<SwitchId, bool> reaching_switches(const Fabric& fabric, const TreeLevels& level) {
  const auto levels = by_level(fabric, level);
  const auto component = components(fabric);
  // Sets of switches with hosts.
  LeafSets reached(fabric.switch_count(), fabric.switch_count());
  LeafSets of_component(fabric.switch_count(), fabric.switch_count());
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty()) {
      reached.add(s, s.index());
      of_component.add(SwitchId(component[s]), s.index());
    }
  for (std::size_t l = 1; l < levels.size(); ++l)
    for (SwitchId s : levels[l])
      for (ChannelId c : fabric.out(s))
        if (level[fabric.to(c)] < l) reached.unite(s, reached, fabric.to(c));
  for (std::size_t l = levels.size(); l-- > 0;)
    for (SwitchId s : levels[l])
      for (ChannelId c : fabric.out(s))
        if (level[fabric.to(c)] > l) reached.unite(s, reached, fabric.to(c));
  IdVector<SwitchId, bool> out(fabric.switch_count(), false);
  for (SwitchId s : fabric.switches())
    out[s] = of_component.within(SwitchId(component[s]), reached, s);
  return out;
}

}  // namespace weft
