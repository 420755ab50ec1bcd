// SPDX-License-Identifier: Apache-2.0
// Routes with the fewest changes, by breadth-first search against their direction in which steps
// along entries cost nothing.
#include "plan/repair/fewest_changes.hpp"

#include <algorithm>

namespace weft {

FewestChanges::FewestChanges(const Fabric& fabric)
    : fabric_(fabric),
      changes_(fabric.switch_count()),
      most_(fabric.switch_count()),
      branches_(fabric.switch_count()),
      behind_(fabric.switch_count()) {}

void FewestChanges::offer(SwitchId s, std::uint32_t changes, bool first) {
  if (changes_[s] <= changes) return;
  changes_[s] = changes;
  if (first)
    queue_.push_front(s);
  else
    queue_.push_back(s);
}

/// The changes that lead each orphan to where the column works, or out of the orphans that share
/// its broken entry.
void FewestChanges::search(const KeptColumn& column, Goal goal) {
  changes_.assign(fabric_.switch_count(), unreached);
  queue_.clear();
  const auto apart = [&](SwitchId a, SwitchId b) {
    return column.depth(b) != 0 ||
           (goal == Goal::outside_own_tree && column.root(a) != column.root(b));
  };
  for (SwitchId s : fabric_.switches())
    if (column.depth(s) == 0)
      for (ChannelId c : fabric_.out(s))
        if (apart(s, fabric_.to(c))) offer(s, 1, false);
  while (!queue_.empty()) {
    const SwitchId at = queue_.front();
    queue_.pop_front();
    for (ChannelId leaving : fabric_.out(at)) {
      const ChannelId in = reverse(leaving);
      const SwitchId from = fabric_.from(in);
      if (column.depth(from) != 0 || apart(from, at)) continue;
      const bool kept = column.entry(from) == in;
      offer(from, changes_[at] + (kept ? 0 : 1), kept);
    }
  }
}

/// Counts, for each root, the switches with sources behind them that send to it.
void FewestChanges::count_branches(const KeptColumn& column, const std::vector<bool>& sources) {
  for (SwitchId s : fabric_.switches()) behind_[s] = sources[s.index()] ? 1 : 0;
  for (SwitchId root : column.roots()) branches_[root] = 0;
  for (SwitchId s : column.order()) {
    const SwitchId at = fabric_.to(column.out(s));
    behind_[at] |= behind_[s];
    if (column.depth(s) == 0 && at == column.root(s)) branches_[at] += behind_[s];
  }
}

/// Every change belongs to the orphans of one broken entry, so the changes that these need to get
/// out add up; and no route can do with fewer than it needs to the destination. A switch that is no
/// source may stay broken, but then each that sends to it must change.
std::uint64_t FewestChanges::operator()(const KeptColumn& column,
                                        const std::vector<bool>& sources) {
  search(column, Goal::destination);
  std::uint32_t most = 0;
  orphans_.clear();
  for (SwitchId s : fabric_.switches()) {
    if (column.depth(s) != 0 || !sources[s.index()] || changes_[s] == unreached) continue;
    orphans_.push_back(s);
    most = std::max(most, changes_[s]);
  }
  if (orphans_.empty()) return 0;
  count_branches(column, sources);
  search(column, Goal::outside_own_tree);
  for (SwitchId root : column.roots()) most_[root] = 0;
  for (SwitchId s : orphans_) most_[column.root(s)] = std::max(most_[column.root(s)], changes_[s]);
  std::uint64_t sum = 0;
  for (SwitchId root : column.roots()) {
    if (most_[root] > 0 && !sources[root.index()] && !column.cut(root))
      most_[root] = std::max(most_[root], std::min(changes_[root], branches_[root]));
    sum += most_[root];
  }
  return std::max<std::uint64_t>(most, sum);
}

}  // namespace weft
