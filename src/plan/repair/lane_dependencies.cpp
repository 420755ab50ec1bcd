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
      order_(turns.fabric().channel_count() * lanes_),
      closes_cycle_(turns.size(), 0) {}

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

/// Orders the channels for a turn that nobody makes so far.
bool LaneDependencies::make_room(ChannelId in, ChannelId out, unsigned state) {
  const unsigned then = states_.after(in, out, state);
  if (then == PacketStates::no_state) return false;
  const Node from = node(in, state), to = node(out, then);
  return order_.precedes(from, to) || order_.make_room(*this, from, to);
}

bool LaneDependencies::insert_one(ChannelId in, ChannelId out, unsigned state) {
  const std::size_t turn = turns_(in, out);
  std::uint32_t& count = count_[turn * states_.count() + state];
  if (count == 0) {
    const StateSet only = StateSet{1} << state;
    if (removals_ == 0 && (closes_cycle_[turn] & only) != 0) return false;
    if (!make_room(in, out, state)) return false;
    used_[turn] |= only;
  }
  ++count;
  return true;
}

void LaneDependencies::erase_one(ChannelId in, ChannelId out, unsigned state) {
  const std::size_t turn = turns_(in, out);
  if (--count_[turn * states_.count() + state] != 0) return;
  used_[turn] &= ~(StateSet{1} << state);
  ++removals_;
}

bool LaneDependencies::possible(ChannelId in, ChannelId out, StateSet states) {
  const std::size_t turn = turns_(in, out);
  states &= ~used_[turn];
  if ((states & closes_cycle_[turn]) != 0) return false;
  for (; states != 0; states &= states - 1) {
    const auto state = static_cast<unsigned>(std::countr_zero(states));
    if (make_room(in, out, state)) continue;
    if (closes_cycle_[turn] == 0) known_.push_back(turn);
    closes_cycle_[turn] |= StateSet{1} << state;
    return false;
  }
  return true;
}

void LaneDependencies::forget_cycles() {
  for (const std::size_t turn : known_) closes_cycle_[turn] = 0;
  known_.clear();
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
