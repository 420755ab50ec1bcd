// SPDX-License-Identifier: Apache-2.0
// Only channels whose place lies between the two ends of a new dependency are visited and moved.
#include "plan/route/algorithms/acyclic_order.hpp"

#include <algorithm>

namespace weft {

AcyclicOrder::AcyclicOrder(const TurnIndex& turns)
    : turns_(turns),
      count_(turns.size(), 0),
      order_(turns.fabric().channel_count()),
      seen_(turns.fabric().channel_count(), 0) {
  for (ChannelId c : turns.fabric().channels()) order_[c] = static_cast<std::uint32_t>(c.index());
}

bool AcyclicOrder::search_forward(ChannelId from, ChannelId goal) {
  const Fabric& fabric = turns_.fabric();
  forward_.assign(1, from);
  seen_[from] = search_;
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    const ChannelId at = forward_[i];
    for (ChannelId next : fabric.out(fabric.to(at))) {
      if (count_[turns_(at, next)] == 0) continue;
      if (next == goal) return false;
      if (order_[next] > order_[goal] || seen_[next] == search_) continue;
      seen_[next] = search_;
      forward_.push_back(next);
    }
  }
  return true;
}

void AcyclicOrder::search_backward(ChannelId from, std::uint32_t least) {
  const Fabric& fabric = turns_.fabric();
  backward_.assign(1, from);
  seen_[from] = search_;
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    const ChannelId at = backward_[i];
    for (ChannelId leaving : fabric.out(fabric.from(at))) {
      const ChannelId before = reverse(leaving);
      if (count_[turns_(before, at)] == 0 || order_[before] < least || seen_[before] == search_)
        continue;
      seen_[before] = search_;
      backward_.push_back(before);
    }
  }
}

bool AcyclicOrder::make_room(ChannelId in, ChannelId out) {
  if (in == out) return false;
  ++search_;
  if (!search_forward(out, in)) return false;
  search_backward(in, order_[out]);
  const auto by_order = [&](ChannelId a, ChannelId b) { return order_[a] < order_[b]; };
  std::sort(forward_.begin(), forward_.end(), by_order);
  std::sort(backward_.begin(), backward_.end(), by_order);
  pool_.clear();
  for (ChannelId c : backward_) pool_.push_back(order_[c]);
  for (ChannelId c : forward_) pool_.push_back(order_[c]);
  std::sort(pool_.begin(), pool_.end());
  std::size_t place = 0;
  for (ChannelId c : backward_) order_[c] = pool_[place++];
  for (ChannelId c : forward_) order_[c] = pool_[place++];
  return true;
}

}  // namespace weft
