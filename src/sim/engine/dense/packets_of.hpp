// SPDX-License-Identifier: Apache-2.0
// Packets of a dense network, one by one: to the front of a lane, and on to the next switch.
#pragma once
#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {

/// The head of the front packet is in the buffer: finds its out-port, of which it wants a lane.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::to_front(Place at, Cycle when) {
  Knot& line = knots_[line_at(at)];
  const Index packet = knots_[line.next].packet, out_port = way_on(at, packet, when);
  if (out_port == nowhere) return;
  ++state_.slots[packet].hops;
  line.port = static_cast<std::uint16_t>(out_port);
  wanted_.at(when)[at_.pair(at, out_port)] |= at.mask();
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::route(const Place& at, Cycle when) {
  if (plain_)
    wanted_.at(when)[at_.pair(at, knots_[line_at(at)].port)] |= at.mask();
  else
    to_front(at, when);
}

/// The out-port of a front packet, which is noted.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index DenseOf<fixed_ports, fixed_lanes, wide>::way_on(Place at, Index packet, Cycle when) {
  const Index home = at_.home(at), id = lane_at(at);
  Slot& slot = state_.slots[packet];
  InLane& lane = state_.in[id];
  lane.packet = packet;
  at_.set(left_, left_bits_, at, slot.packet.flits - 1);
  Index out_port = nowhere;
  if (!ways_.empty()) {
    out_port = ways_[slot.packet.to.index() * state_.switches.size() + home];
  } else {
    const auto in_port = static_cast<PortNumber>(at.slot / lanes() + 1);
    const Steering::Way way = state_.steering(home, in_port, slot);
    if (state_.leads_on(state_.switches[home], way, slot.packet.to)) {
      out_port = way.port - 1U;
      slot.lane_class = lane.lane_class = way.lane_class;
    }
  }
  if (out_port != nowhere && slot.hops < most_hops_) {
    if (!any_idle_) at_.set(may_, lanes(), at, state_.allowed(lane, first_port_[home] + out_port));
    return out_port;
  }
  lane.stage = Stage::routing;  // it cannot go on, which is not for this path
  state_.wants.push(when, id);
  return nowhere;
}

/// Heads have come to lanes that had no packet at the front.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::begin_fresh(Index block) {
  for (Index i = 0; i < at_.slots() * wide; ++i)
    for (Word left = fresh_[i]; left != 0; left &= left - 1) {
      const Place at{block, i / wide, i % wide * 64 + lowest(left)};
      to_front(at, state_.now + state_.head_delay);
    }
}

/// Heads go to the lines of their next lanes; tails uncover the packets behind them.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::pass_on(Index block) {
  for (Index i = 0; i < at_.slots() * wide; ++i) {
    const Index slot = i / wide;
    const Word heads = heads_[i], tails = ends_[i], filled = filled_[first_word(block) + i];
    for (Word ends = heads | tails; ends != 0; ends &= ends - 1) {
      const Place at{block, slot, i % wide * 64 + lowest(ends)};
      const Word mask = ends & (~ends + 1);
      const Index home = at_.home(at), line = line_at(at);
      const Index packet = front(line), port = knots_[line].port;
      const Index lane = at_.number(lane_of_, lane_bits(), at);
      const Exit& exit = exits_[home * ports() + port];
      const Index target = exit.line + lane * Knots::apart;
      if ((heads & mask) != 0 && target < host_lines_) queue(target, packet);
      if ((tails & mask) == 0) continue;
      knots_[target].had = static_cast<std::uint16_t>(slot);
      state_.out[(first_port_[home] + port) * lanes() + lane].sent +=
          state_.slots[packet].packet.flits;
      if (target >= host_lines_)
        state_.ejections.push(state_.now + exit.flight, {host_lane(target), packet});
      pop(line);
      if ((filled & mask) != 0) to_front(at, state_.now + 1 + state_.head_delay);
    }
  }
}

}  // namespace weft::sim
