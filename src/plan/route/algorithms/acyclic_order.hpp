// SPDX-License-Identifier: Apache-2.0
// The dependency graph of one lane, kept free of cycles: dependencies are counted, and a new one is
// refused if it would close a cycle (incremental topological order; Pearce and Kelly, 2006).
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/turn_index.hpp"

namespace weft {

class AcyclicOrder {
 public:
  explicit AcyclicOrder(const TurnIndex& turns);

  /// Adds the dependency once more; false, and nothing has changed, if it would close a cycle.
  bool insert(ChannelId in, ChannelId out) {
    std::uint32_t& count = count_[turns_(in, out)];
    if (count != 0 || order_[in] < order_[out] || make_room(in, out)) {
      ++count;
      return true;
    }
    return false;
  }
  void erase(ChannelId in, ChannelId out) { --count_[turns_(in, out)]; }

 private:
  bool make_room(ChannelId in, ChannelId out);
  bool search_forward(ChannelId from, ChannelId goal);
  void search_backward(ChannelId from, std::uint32_t least);

  const TurnIndex& turns_;
  std::vector<std::uint32_t> count_;
  IdVector<ChannelId, std::uint32_t> order_;
  IdVector<ChannelId, std::uint32_t> seen_;
  std::uint32_t search_ = 0;
  std::vector<ChannelId> forward_, backward_;
  std::vector<std::uint32_t> pool_;
};

}  // namespace weft
