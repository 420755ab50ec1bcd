// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: packets that choose among ports, one by one; see Choices, which holds their
// sets and the switches' turns. Who finds no port with an idle lane looks again when the switch has
// released a lane.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

/// The out-port of a front packet by choice tables, `one_of_several`, or nowhere.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::port_by_choices(const LanePlace& at,
                                                                       PacketNode& node,
                                                                       Cycle when) {
  const Index home = at_.home(at), id = lane_at(at);
  Head head = head_of(node);
  if (head.hops >= layout_.most_hops) return nowhere;
  const Phases::Step step = phases_(id, home, head, when);
  head.set_phase(step.phase);
  if (step.to.is_one()) {
    const LaneChoice only = step.to.only();
    head.set_phase(only.phase);
    return note_route(at, node, head, {static_cast<PortNumber>(only.port + 1U), only.lane});
  }
  if (step.to.leads_on()) {
    const auto candidates = choices_.sets().all(step.to.set());
    if (candidates.size() > 1) {
      choices_.note_set(id, step.to.set());
      ++head.hops;
      node.set_progress(progress_of(head));
      return one_of_several;
    }
    return port_by_step(at, node, head, candidates.front());
  }
  const PortNumber last = step.to.is_end() ? routing_.last_port(home, head.to) : no_port;
  if (last == no_port) return nowhere;
  return port_by_step(at, node, head,
                      {.port = static_cast<std::uint16_t>(last - 1), .phase = step.phase});
}

/// The same by a candidate that is to be checked.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::port_by_step(const LanePlace& at,
                                                                    PacketNode& node, Head head,
                                                                    const LaneChoice& only) {
  const RouteStep hop = choices_.step(first_port_[at_.home(at)] + at.lane / lanes(), only, head);
  if (hop.port == no_port) return nowhere;
  head.set_phase(only.phase);
  return note_route(at, node, head, hop);
}

/// Packets that choose request a lane of one port. Returns whether some do.
template <Index fixed_ports, Index fixed_lanes, Index wide>
bool BitSlicedKernel<fixed_ports, fixed_lanes, wide>::choose_ports(Index block) {
  Word* const due = choosing_.at(units_.now) + first_word(block);
  Word* const waiting = &waiting_[first_word(block)];
  Word* const released = &released_[std::size_t{block} * wide];
  Word some = 0;
  for (Index i = 0; i < at_.switch_lanes() * wide; ++i) {
    // With cut-through they wait for credits, too.
    const Word woken = waiting[i] & (layout_.cut_through ? ~Word{0} : released[i % wide]);
    Word took = 0;
    for (Word left = std::exchange(due[i], 0) | woken; left != 0; left &= left - 1)
      if (take_port({block, i / wide, i % wide * 64 + lowest(left)}))
        took |= left & (~left + 1);
      else
        waiting[i] |= left & (~left + 1);
    waiting[i] &= ~took;
    took_[i] = took;
    some |= took;
  }
  std::fill_n(released, wide, 0);
  return some != 0;
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
bool BitSlicedKernel<fixed_ports, fixed_lanes, wide>::take_port(const LanePlace& at) {
  const Index home = at_.home(at), word = at.bit / 64;
  const Word* const idle = &idle_[first_word(at.block) + word];
  const auto fits = [&](const LaneChoice& choice) {
    const std::uint64_t lanes_there =
        column<wide>(idle + choice.port * lanes() * wide, lanes(), at.bit % 64);
    if (!layout_.cut_through) return (lanes_there & layout_.lane_sets[choice.lane]) != 0;
    at_.set(lane_set_, set_bits_, at, choice.lane);
    return offer(at, choice.port, lanes_there) != 0;
  };
  const LaneChoice* const found = choices_.first_that(choices_.set_at(lane_at(at)), home, fits);
  if (found == nullptr) return false;
  PacketNode& queue = queues_[queue_at(at)];
  PacketNode& node = queues_[queue.next];
  queue.port = static_cast<std::uint8_t>(found->port);
  at_.set(lane_set_, set_bits_, at, found->lane);
  node.set_progress({node.progress().hops, found->lane, found->phase});
  lane_requested_.at(units_.now)[at_.pair(at, found->port)] |= at.mask();
  return true;
}

/// Those whose port gave its lanes to others choose again in the next cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::choose_again(Index block) {
  const std::size_t row = at_.switch_lanes() * wide;
  Word* const requested = lane_requested_.at(units_.now + 1) + first_word(block) * ports();
  Word* const choosing = choosing_.at(units_.now + 1) + first_word(block);
  for (Index i = 0; i < row; ++i) {
    if (took_[i] == 0) continue;
    for (Index o = 0; o < ports(); ++o) {
      Word& request = requested[o * row + i];
      choosing[i] |= request & took_[i];
      request &= ~took_[i];
    }
  }
}

}  // namespace weft::sim
