// SPDX-License-Identifier: Apache-2.0
// Loads a column, cuts its loops, and finds what is behind each broken entry.
#include "plan/repair/kept_column.hpp"

namespace weft {

KeptColumn::KeptColumn(const Fabric& fabric)
    : fabric_(fabric),
      tree_(fabric),
      depth_(fabric.switch_count(), 0),
      root_(fabric.switch_count()),
      seen_(fabric.switch_count(), 0) {}

void KeptColumn::load(std::span<const PortNumber> next, SwitchId to) {
  to_ = to;
  entries_.assign(next.begin(), next.end());
  for (PortNumber& port : entries_)
    if (port == here) port = no_port;
  entries_[to.index()] = here;
  tree_.load(entries_);
  cut_loops();
  roots_.clear();
  for (SwitchId s : fabric_.switches()) {
    depth_[s] = s == to ? 1 : 0;
    root_[s] = s;
    if (s != to && !out(s).valid()) roots_.push_back(s);
  }
  const auto order = tree_.order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const SwitchId s = order[i], at = tree_.next(s);
    depth_[s] = depth_[at] == 0 ? 0 : depth_[at] + 1;
    root_[s] = root_[at];
  }
}

/// Switches of loops, and only those, lead on without being in the order.
void KeptColumn::cut_loops() {
  std::size_t leading = 0;
  for (SwitchId s : fabric_.switches()) leading += out(s).valid() ? 1 : 0;
  if (leading == tree_.order().size()) return;
  open_ = entries_;
  for (SwitchId s : fabric_.switches()) seen_[s] = 0;
  for (SwitchId s : tree_.order()) seen_[s] = 1;
  for (SwitchId s : fabric_.switches()) {
    if (seen_[s] != 0 || !out(s).valid()) continue;
    open_[place_of_cut(s).index()] = no_port;
    for (SwitchId at = s; seen_[at] == 0; at = tree_.next(at)) seen_[at] = 1;
  }
  tree_.load(open_);
}

/// A switch of the loop next to the destination, if there is one: it can be led out at once.
SwitchId KeptColumn::place_of_cut(SwitchId on_loop) const {
  SwitchId at = on_loop;
  do {
    for (ChannelId c : fabric_.out(at))
      if (fabric_.to(c) == to_) return at;
    at = tree_.next(at);
  } while (at != on_loop);
  return on_loop;
}

}  // namespace weft
