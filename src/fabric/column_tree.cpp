// SPDX-License-Identifier: Apache-2.0
// The order of a column's switches, far before near.
#include "fabric/column_tree.hpp"

namespace weft {

ColumnTree::ColumnTree(const Fabric& fabric)
    : fabric_(fabric), out_(fabric.switch_count()), waiting_(fabric.switch_count()) {
  order_.reserve(fabric.switch_count());
}

void ColumnTree::load(std::span<const PortNumber> next) {
  waiting_.assign(fabric_.switch_count(), 0);
  order_.clear();
  for (SwitchId s : fabric_.switches()) {
    const PortNumber port = next[s.index()];
    out_[s] = port == here || port == no_port ? ChannelId::none() : fabric_.channel_at(s, port);
    if (!out_[s].valid()) continue;
    ++waiting_[fabric_.to(out_[s])];
  }
  constexpr std::uint32_t done = 0xFFFF'FFFF;
  for (SwitchId s : fabric_.switches()) {
    // A chain of switches that wait for no other switch is followed at once.
    for (SwitchId at = s; waiting_[at] == 0;) {
      waiting_[at] = done;
      if (!out_[at].valid()) break;
      order_.push_back(at);
      at = fabric_.to(out_[at]);
      --waiting_[at];
    }
  }
}

}  // namespace weft
