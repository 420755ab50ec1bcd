// SPDX-License-Identifier: Apache-2.0
// The dependency graph of (channel, lane), kept free of cycles while routes come and go: turns are
// counted by the states of the packets that make them, and a turn that would close a cycle is
// refused.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/topological_order.hpp"
#include "fabric/turn_index.hpp"
#include "plan/repair/packet_states.hpp"

namespace weft {

class LaneDependencies {
 public:
  using Node = TopologicalOrder::Node;  ///< channel * lanes + lane

  /// Both must outlive it.
  LaneDependencies(const TurnIndex& turns, const PacketStates& states);

  /// Counts turns of packets, cycles or not, until order() is called; false when there is no lane
  /// for some.
  bool add(ChannelId in, ChannelId out, StateSet states);
  /// An edge that stays, such as one of a multicast group.
  void add_edge(Node from, Node to);
  /// Orders what was added; false when it has a cycle.
  bool order();

  /// Counts turns of packets once more; false, and nothing has changed, if they would close a cycle
  /// or there is no lane for them.
  bool insert(ChannelId in, ChannelId out, StateSet states);
  void erase(ChannelId in, ChannelId out, StateSet states);
  /// Whether none of these turns would close a cycle by itself. Those that would are remembered, as
  /// turns are mostly added, until some turn is made by nobody any more.
  bool possible(ChannelId in, ChannelId out, StateSet states);
  /// What is done from now on is a trial: it may be undone.
  void begin_trial() { removals_ = 0; }
  /// The trial is not undone.
  void end_trial() {
    if (removals_ > 0) forget_cycles();
  }
  /// How many of these turns nobody makes so far.
  unsigned unused(ChannelId in, ChannelId out, StateSet states) const {
    return static_cast<unsigned>(std::popcount(states & ~used_[turns_(in, out)]));
  }

  /// The graph, as TopologicalOrder asks for it.
  template <class Visit>
  void after(Node node, Visit visit) const;
  template <class Visit>
  void before(Node node, Visit visit) const;

 private:
  Node node(ChannelId channel, unsigned state) const {
    return static_cast<Node>(channel.index() * lanes_ + states_.lane(state));
  }
  bool insert_one(ChannelId in, ChannelId out, unsigned state);
  bool make_room(ChannelId in, ChannelId out, unsigned state);
  void forget_cycles();
  void erase_one(ChannelId in, ChannelId out, unsigned state);

  const TurnIndex& turns_;
  const PacketStates& states_;
  std::size_t lanes_;
  std::vector<std::uint32_t> count_;  ///< by turn and state
  std::vector<StateSet> used_;        ///< by turn: states whose count is not 0
  TopologicalOrder order_;
  std::vector<StateSet> closes_cycle_;  ///< by turn: states known to close a cycle
  std::vector<std::size_t> known_;      ///< turns with such states
  std::size_t removals_ = 0;            ///< turns that nobody makes any more, since the trial began
  std::vector<std::vector<Node>> edges_after_, edges_before_;  ///< those that stay
};

template <class Visit>
void LaneDependencies::after(Node from, Visit visit) const {
  const Fabric& fabric = turns_.fabric();
  const ChannelId in(from / lanes_);
  const StateSet on_lane = states_.of_lane(from % lanes_);
  for (ChannelId out : fabric.out(fabric.to(in)))
    for (StateSet left = used_[turns_(in, out)] & on_lane; left != 0; left &= left - 1) {
      const auto state = static_cast<unsigned>(std::countr_zero(left));
      if (!visit(node(out, states_.after(in, out, state)))) return;
    }
  if (edges_after_.empty()) return;
  for (Node to : edges_after_[from])
    if (!visit(to)) return;
}

template <class Visit>
void LaneDependencies::before(Node to, Visit visit) const {
  const Fabric& fabric = turns_.fabric();
  const ChannelId out(to / lanes_);
  for (ChannelId leaving : fabric.out(fabric.from(out))) {
    const ChannelId in = reverse(leaving);
    for (StateSet left = used_[turns_(in, out)]; left != 0; left &= left - 1) {
      const auto state = static_cast<unsigned>(std::countr_zero(left));
      if (node(out, states_.after(in, out, state)) == to && !visit(node(in, state))) return;
    }
  }
  if (edges_before_.empty()) return;
  for (Node from : edges_before_[to])
    if (!visit(from)) return;
}

}  // namespace weft
