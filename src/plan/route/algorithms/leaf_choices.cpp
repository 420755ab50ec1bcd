// SPDX-License-Identifier: Apache-2.0
// From a leaf its ancestors are found, then the switches that go up to one of them.
#include "plan/route/algorithms/leaf_choices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft {

LeafChoices::LeafChoices(const Fabric& fabric, const FatTree& tree)
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
