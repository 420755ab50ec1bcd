// SPDX-License-Identifier: Apache-2.0
// The dependency graph of one lane, kept free of cycles: dependencies are counted, and a new one is
// refused if it would close a cycle.
#pragma once
#include <cstdint>
#include <vector>

#include "base/topological_order.hpp"
#include "fabric/turn_index.hpp"

namespace weft {

class AcyclicOrder {
 public:
  explicit AcyclicOrder(const TurnIndex& turns);

  /// Adds the dependency once more; false, and nothing has changed, if it would close a cycle.
  bool insert(ChannelId in, ChannelId out) {
    std::uint32_t& count = count_[turns_(in, out)];
    if (count != 0 || order_.precedes(node(in), node(out)) || make_room(in, out)) {
      ++count;
      return true;
    }
    return false;
  }
  void erase(ChannelId in, ChannelId out) { --count_[turns_(in, out)]; }

 private:
  static TopologicalOrder::Node node(ChannelId c) {
    return static_cast<TopologicalOrder::Node>(c.index());
  }
  bool make_room(ChannelId in, ChannelId out);

  const TurnIndex& turns_;
  std::vector<std::uint32_t> count_;
  TopologicalOrder order_;
};

}  // namespace weft
