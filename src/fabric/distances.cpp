// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches.
#include "fabric/distances.hpp"

#include <vector>

namespace weft {

IdVector<SwitchId, std::uint32_t> distances(const Fabric& fabric, SwitchId from) {
  IdVector<SwitchId, std::uint32_t> distance(fabric.switch_count(), unreachable);
  std::vector<SwitchId> queue{from};
  distance[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (ChannelId c : fabric.out(queue[i])) {
      const SwitchId next = fabric.to(c);
      if (distance[next] != unreachable) continue;
      distance[next] = distance[queue[i]] + 1;
      queue.push_back(next);
    }
  return distance;
}

IdVector<SwitchId, std::uint32_t> components(const Fabric& fabric) {
  IdVector<SwitchId, std::uint32_t> component(fabric.switch_count(), unreachable);
  std::uint32_t count = 0;
  std::vector<SwitchId> stack;
  for (SwitchId first : fabric.switches()) {
    if (component[first] != unreachable) continue;
    component[first] = count;
    stack.push_back(first);
    while (!stack.empty()) {
      const SwitchId at = stack.back();
      stack.pop_back();
      for (ChannelId c : fabric.out(at)) {
        if (component[fabric.to(c)] != unreachable) continue;
        component[fabric.to(c)] = count;
        stack.push_back(fabric.to(c));
      }
    }
    ++count;
  }
  return component;
}

}  // namespace weft
