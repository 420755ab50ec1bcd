// SPDX-License-Identifier: Apache-2.0
// Pods are components of the lower levels, rails components of the upper ones; both are numbered by
// the lowest switch in them, so that a tree that was generated in order keeps its order.
#include "fabric/fat_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "fabric/tree_levels.hpp"

namespace weft {
namespace {

/// Switches in disjoint parts, joined link by link; a part is known by its lowest switch.
class SwitchParts {
 public:
  explicit SwitchParts(std::size_t switches) : part_(switches) {
    for (SwitchId s : part_.ids()) part_[s] = s;
  }
  SwitchId lowest(SwitchId s) {
    while (part_[s] != s) s = part_[s] = part_[part_[s]];
    return s;
  }
  void join(SwitchId a, SwitchId b) {
    a = lowest(a);
    b = lowest(b);
    part_[std::max(a, b)] = std::min(a, b);
  }

 private:
  IdVector<SwitchId, SwitchId> part_;
};

using PartKeys = IdVector<SwitchId, std::uint32_t>;

/// For every switch of the chosen levels, the lowest switch of level `of` in its part; of the part
/// itself where it has none.
template <class Chosen>
PartKeys part_keys(const Fabric& fabric, const TreeLevels& level, std::uint32_t of, Chosen chosen) {
  SwitchParts parts(fabric.switch_count());
  for (LinkId l : fabric.links()) {
    const Link& link = fabric[l];
    if (chosen(level[link.a.on]) && chosen(level[link.b.on])) parts.join(link.a.on, link.b.on);
  }
  PartKeys lowest(fabric.switch_count(), no_level);
  for (SwitchId s : fabric.switches())
    if (level[s] == of) {
      std::uint32_t& key = lowest[parts.lowest(s)];
      key = std::min(key, static_cast<std::uint32_t>(s.index()));
    }
  PartKeys out(fabric.switch_count(), no_level);
  for (SwitchId s : fabric.switches()) {
    if (!chosen(level[s])) continue;
    const std::uint32_t key = lowest[parts.lowest(s)];
    // Parts without such a switch come last.
    out[s] = key != no_level
                 ? key
                 : static_cast<std::uint32_t>(fabric.switch_count() + parts.lowest(s).index());
  }
  return out;
}

}  // namespace

std::variant<FatTree, Refused> FatTree::find(const Fabric& fabric) {
  auto found = tree_levels(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  FatTree tree;
  tree.level_ = std::get<TreeLevels>(std::move(found));
  tree.find_pods(fabric);
  tree.order_leaves(fabric);
  tree.find_rails(fabric);
  tree.order_parents(fabric);
  tree.find_joins(fabric);
  tree.find_complete(fabric);
  tree.put_into_words(fabric);
  return tree;
}

void FatTree::find_pods(const Fabric& fabric) {
  std::uint32_t height = 0;
  for (const std::uint32_t level : level_)
    if (level != no_level) height = std::max(height, level + 1);
  for (std::uint32_t h = 0; h < height; ++h)
    pod_.push_back(part_keys(fabric, level_, 0, [&](std::uint32_t level) { return level <= h; }));
}

/// Sorts the leaves by the pods that they are in, the largest first, and numbers the pods so.
void FatTree::order_leaves(const Fabric& fabric) {
  for (SwitchId s : fabric.switches())
    if (level_[s] == 0) leaves_.push_back(s);
  std::sort(leaves_.begin(), leaves_.end(), [&](SwitchId a, SwitchId b) {
    for (std::size_t h = pod_.size(); h-- > 0;)
      if (pod_[h][a] != pod_[h][b]) return pod_[h][a] < pod_[h][b];
    return a < b;
  });
  for (auto& pod : pod_) {
    std::map<std::uint32_t, std::uint32_t> number;
    for (SwitchId leaf : leaves_)
      number.emplace(pod[leaf], static_cast<std::uint32_t>(number.size()));
    for (SwitchId s : fabric.switches())
      if (pod[s] != no_level)
        pod[s] = number.emplace(pod[s], static_cast<std::uint32_t>(number.size())).first->second;
    pod_count_.push_back(static_cast<std::uint32_t>(number.size()));
  }
}

void FatTree::find_rails(const Fabric& fabric) {
  rail_.assign(fabric.switch_count(), 0);
  std::vector<PartKeys> above;  // by level: parts of the switches from there upwards
  for (std::uint32_t l = 0; l < levels(); ++l) {
    above.push_back(part_keys(
        fabric, level_, l, [&](std::uint32_t level) { return level >= l && level != no_level; }));
    // Alike are those in the same part at every level; the whole tree counts first.
    std::map<std::vector<std::uint32_t>, std::vector<SwitchId>> alike;
    for (SwitchId s : fabric.switches()) {
      if (level_[s] != l) continue;
      std::vector<std::uint32_t> key{pod_.back()[s]};
      for (std::uint32_t below = 1; below <= l; ++below) key.push_back(above[below][s]);
      alike[key].push_back(s);
    }
    std::uint32_t most = 1;
    IdVector<SwitchId, std::uint32_t> twin(fabric.switch_count(), 0);
    for (const auto& [key, switches] : alike) {
      std::map<std::uint32_t, std::uint32_t> in_pod;
      for (SwitchId s : switches) {
        twin[s] = in_pod[pod_[l][s]]++;
        most = std::max(most, twin[s] + 1);
      }
    }
    std::uint32_t rail = 0;
    std::uint32_t tree = no_level;
    for (const auto& [key, switches] : alike) {
      rail = key.front() == tree ? rail + 1 : 0;
      tree = key.front();
      for (SwitchId s : switches) rail_[s] = rail * most + twin[s];
    }
  }
}

void FatTree::order_parents(const Fabric& fabric) {
  up_.assign(fabric.switch_count(), {});
  for (SwitchId s : fabric.switches()) {
    if (level_[s] == no_level) continue;
    struct Parent {
      std::size_t link;
      std::uint32_t rail;
      SwitchId to;
      ChannelId channel;
    };
    std::vector<Parent> parents;
    for (ChannelId c : fabric.out(s)) {
      const SwitchId to = fabric.to(c);
      if (level_[to] < level_[s]) continue;
      const auto same = std::count_if(parents.begin(), parents.end(),
                                      [&](const Parent& p) { return p.to == to; });
      parents.push_back({static_cast<std::size_t>(same), rail_[to], to, c});
    }
    std::stable_sort(parents.begin(), parents.end(), [](const Parent& a, const Parent& b) {
      if (a.link != b.link) return a.link < b.link;
      return a.rail != b.rail ? a.rail < b.rail : a.to < b.to;
    });
    for (const Parent& parent : parents) up_[s].push_back(parent.channel);
  }
}

void FatTree::find_joins(const Fabric& fabric) {
  joins_ = joining_switches(fabric, level_);
  for (std::uint32_t l = levels(); l-- > 0;)
    for (SwitchId s : fabric.switches())
      if (level_[s] == l)
        for (ChannelId c : up_[s]) joins_[s] = joins_[s] || joins_[fabric.to(c)];
}

void FatTree::find_complete(const Fabric& fabric) {
  if (levels() == 0) return;
  complete_.assign(pods(levels() - 1), true);
  const auto reaching = reaching_switches(fabric, level_);
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty() && !reaching[s]) complete_[pod(s, levels() - 1)] = false;
}

void FatTree::put_into_words(const Fabric& fabric) {
  std::vector<std::size_t> count(levels(), 0);
  std::size_t bare = 0;
  std::size_t above = 0;
  for (SwitchId s : fabric.switches()) {
    if (level_[s] == no_level) continue;
    ++count[level_[s]];
    bare += level_[s] == 0 && fabric.hosts_on(s).empty() ? 1 : 0;
    above += level_[s] != 0 ? fabric.hosts_on(s).size() : 0;
  }
  words_ = counted(levels(), "level", "levels");
  for (std::uint32_t l = 0; l < levels(); ++l) {
    words_ += l == 0 ? ": " : ", ";
    if (l == 0)
      words_ += counted(count[l], "leaf", "leaves");
    else if (l + 1 == levels())
      words_ += counted(count[l], "top", "tops");
    else if (levels() == 3)
      words_ += counted(count[l], "middle switch", "middle switches");
    else
      words_ += fmt::format("{} of level {}", counted(count[l], "switch", "switches"), l);
    if (l > 0 && l + 1 < levels()) words_ += " in " + counted(pods(l), "pod", "pods");
  }
  if (levels() > 0 && pods(levels() - 1) > 1)
    words_ += fmt::format("; {} separate trees", pods(levels() - 1));
  if (bare > 0) words_ += "; " + counted(bare, "leaf", "leaves") + " without hosts";
  if (above > 0) words_ += "; " + counted(above, "host", "hosts") + " above the leaves";
}

}  // namespace weft
