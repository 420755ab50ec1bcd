// SPDX-License-Identifier: Apache-2.0
// The counted turns as a graph of channels.
#include "plan/route/algorithms/acyclic_order.hpp"

namespace weft {
namespace {

struct CountedTurns {
  const TurnIndex& turns;
  const std::vector<std::uint32_t>& count;

  template <class Visit>
  void after(TopologicalOrder::Node node, Visit visit) const {
    const Fabric& fabric = turns.fabric();
    for (ChannelId next : fabric.out(fabric.to(ChannelId(node))))
      if (count[turns(ChannelId(node), next)] != 0 &&
          !visit(static_cast<TopologicalOrder::Node>(next.index())))
        return;
  }
  template <class Visit>
  void before(TopologicalOrder::Node node, Visit visit) const {
    const Fabric& fabric = turns.fabric();
    for (ChannelId leaving : fabric.out(fabric.from(ChannelId(node)))) {
      const ChannelId before = reverse(leaving);
      if (count[turns(before, ChannelId(node))] != 0 &&
          !visit(static_cast<TopologicalOrder::Node>(before.index())))
        return;
    }
  }
};

}  // namespace

AcyclicOrder::AcyclicOrder(const TurnIndex& turns)
    : turns_(turns), count_(turns.size(), 0), order_(turns.fabric().channel_count()) {}

bool AcyclicOrder::make_room(ChannelId in, ChannelId out) {
  return order_.make_room(CountedTurns{turns_, count_}, node(in), node(out));
}

}  // namespace weft
