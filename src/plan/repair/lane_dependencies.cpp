// SPDX-License-Identifier: Apache-2.0
// Counts turns; the first order is Kahn's (1962), later turns are inserted into it.
#include "plan/repair/lane_dependencies.hpp"

namespace weft {

LaneDependencies::LaneDependencies(const TurnIndex& turns, const PacketStates& states)
    : turns_(turns),
      states_(states),
      lanes_(states.lane_count()),
      count_(turns.size() * states.count(), 0),
      used_(turns.size(), 0),
      order_(turns.fabric().channel_count() * lanes_) {}

bool LaneDependencies::add(ChannelId in, ChannelId out, StateSet states) {
  const std::size_t turn = turns_(in, out);
  bool have_lanes = true;
  for_each_state(states, [&](unsigned state) {
    if (count_[turn * states_.count() + state]++ != 0) return;
    used_[turn] |= StateSet{1} << state;
    have_lanes = have_lanes && states_.after(in, out, state) != PacketStates::no_state;
  });
  return have_lanes;
}

void LaneDependencies::add_edge(Node from, Node to) {
  if (edges_after_.empty()) {
    edges_after_.resize(turns_.fabric().channel_count() * lanes_);
    edges_before_.resize(edges_after_.size());
  }
  edges_after_[from].push_back(to);
  edges_before_[to].push_back(from);
}

bool LaneDependencies::order() {
  const auto nodes = static_cast<Node>(turns_.fabric().channel_count() * lanes_);
  std::vector<std::uint32_t> waiting(nodes, 0);
  for (Node n = 0; n < nodes; ++n) after(n, [&](Node next) { return ++waiting[next] > 0; });
  std::vector<Node> ready;
  for (Node n = 0; n < nodes; ++n)
    if (waiting[n] == 0) ready.push_back(n);
  for (std::size_t i = 0; i < ready.size(); ++i)
    after(ready[i], [&](Node next) {
      if (--waiting[next] == 0) ready.push_back(next);
      return true;
    });
  if (ready.size() != nodes) return false;
  order_.assign(ready);
  return true;
}

bool LaneDependencies::insert_one(ChannelId in, ChannelId out, unsigned state) {
  const std::size_t turn = turns_(in, out);
  std::uint32_t& count = count_[turn * states_.count() + state];
  if (count == 0) {
    const unsigned then = states_.after(in, out, state);
    if (then == PacketStates::no_state) return false;
    const Node from = node(in, state), to = node(out, then);
    if (!order_.precedes(from, to) && !order_.make_room(*this, from, to)) return false;
    used_[turn] |= StateSet{1} << state;
  }
  ++count;
  return true;
}

void LaneDependencies::erase_one(ChannelId in, ChannelId out, unsigned state) {
  const std::size_t turn = turns_(in, out);
  if (--count_[turn * states_.count() + state] == 0) used_[turn] &= ~(StateSet{1} << state);
}

bool LaneDependencies::insert(ChannelId in, ChannelId out, StateSet states) {
  for (StateSet left = states; left != 0; left &= left - 1) {
    if (insert_one(in, out, static_cast<unsigned>(std::countr_zero(left)))) continue;
    erase(in, out, states ^ left);
    return false;
  }
  return true;
}

void LaneDependencies::erase(ChannelId in, ChannelId out, StateSet states) {
  for_each_state(states, [&](unsigned state) { erase_one(in, out, state); });
}

}  // namespace weft
