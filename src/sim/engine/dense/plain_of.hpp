// SPDX-License-Identifier: Apache-2.0
// Packets of plain networks, where every step counts: they have one flit, so that they are head and
// tail at once and in one line at a time; and a table leads each of them to its destination. When a
// packet leaves for a switch it is known when it comes there, and if it will be at the front, when
// it asks for a lane of which port.
#pragma once
#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline auto DenseOf<fixed_ports, fixed_lanes, wide>::at_hand() -> Hand {
  return {.first_port = first_port_.data(),
          .exits = exits_.data(),
          .lines = lines_.data(),
          .trips = trips_.data(),
          .ways = ways_.data(),
          .switches = state_.switches.size(),
          .wanted = wanted_.words.data(),
          .wanted_each = wanted_.each,
          .wanted_mask = static_cast<std::uint32_t>(wanted_.mask),
          .now = static_cast<std::uint32_t>(state_.now),
          .head_delay = static_cast<std::uint32_t>(state_.head_delay),
          .switch_lanes = state_.switch_lanes};
}

/// A front packet comes at `when`, and asks for a lane after the usual delay.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::ask(const Hand& hand,
                                                                                std::uint32_t when,
                                                                                Index word,
                                                                                Word who) {
  hand.wanted[((when + hand.head_delay) & hand.wanted_mask) * hand.wanted_each + word] |= who;
}

/// A packet is on its way to a lane behind `exit`. (Where conditions are often guessed wrong, there
/// are no branches.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::join_line(
    const Hand& hand, Exit exit, Index lane, Index packet) {
  Trip& trip = hand.trips[packet];
  Line& line = hand.lines[exit.target + lane];
  const bool first = line.first == nothing;
  const bool asks = first && exit.target < hand.switch_lanes;
  const std::uint32_t arrives = hand.now + exit.flight;
  const std::uint8_t port = hand.ways[trip.to * hand.switches + exit.home];
  trip = {.next = nothing,
          .to = trip.to,
          .arrives = arrives,
          .port = port,
          .hops = static_cast<std::uint16_t>(trip.hops + 1)};
  Index* link = &hand.trips[line.last].next;
  if (first) link = &line.first;
  *link = packet;
  line.last = packet;
  ++line.sent;
  ask(hand, arrives, exit.word + lane * wide + port * at_.slots() * wide,
      Word{asks} << exit.home % 64);
}

/// As begin_packets() does.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Word DenseOf<fixed_ports, fixed_lanes, wide>::begin_plain(Index first_host, Word hosts) {
  if (trips_.size() < state_.slots.size()) trips_.resize(state_.slots.size());
  const Hand hand = at_hand();
  const Exit* const exits = &exits_[state_.switch_ports + first_host];
  const Entry* const entries = &entries_[first_host];
  Nic* const nics = &state_.nics[first_host];
  Word begun = 0, more = 0;
  for (Word left = hosts; left != 0; left &= left - 1) {
    const Index i = lowest(left);
    const Entry entry = entries[i];
    Nic& nic = nics[i];
    std::uint64_t open = 0;
    for (Index v = 0; v < lanes(); ++v)
      open |= (nic_open_[entry.word + v * wide] >> entry.bit & 1) << v;
    if (open == 0 || nic.first == nothing) continue;
    const Index v = first_from(open, after(nic.lane, lanes())), packet = nic.first;
    Slot& slot = state_.slots[packet];
    nic_[entry.word + v * wide] |= Word{1} << entry.bit;
    nic.lane = v;
    nic.first = slot.next;
    slot.packet.injected = state_.now;
    begun |= left & (~left + 1);
    if (slot.next != nothing) more |= left & (~left + 1);
    hand.trips[packet] = {.to = static_cast<Index>(slot.packet.to.index())};
    join_line(hand, exits[i], v, packet);
  }
  state_.totals.waiting -= count(begun);
  return more;
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::pass_on_plain(Index block) {
  const Hand hand = at_hand();
  Arrival* ejected = ejected_.data();
  for (Index i = 0; i < at_.slots() * wide; ++i) {
    const Place first{block, i / wide, i % wide * 64};
    const auto turn = static_cast<std::uint16_t>(after(first.slot, at_.slots()));
    const auto word = static_cast<Index>(at_.pair(first, 0));
    Word lane_of[most_lane_bits];
    for (Index b = 0; b < lane_bits(); ++b)
      lane_of[b] = lane_of_[at_.digits(lane_bits(), first) + b * span];
    for (Word left = ends_[i]; left != 0; left &= left - 1) {
      const Index bit = lowest(left), port = hand.first_port[at_.home(first) + bit];
      Line& line = hand.lines[port * lanes() + first.slot];
      const Index packet = line.first, next = hand.trips[packet].next;
      const Exit exit = hand.exits[port + hand.trips[packet].port];
      Index lane = 0;
      for (Index b = 0; b < lane_bits(); ++b)
        lane |= static_cast<Index>(lane_of[b] >> bit & 1) << b;
      line.first = next;
      hand.lines[exit.target + lane].turn = turn;
      join_line(hand, exit, lane, packet);
      *ejected = {exit.target + lane, packet};
      ejected += exit.target >= hand.switch_lanes ? 1 : 0;
      if (next == nothing) continue;
      const Trip& trip = hand.trips[next];
      const bool later = static_cast<std::int32_t>(trip.arrives - hand.now) > 1;
      ask(hand, later ? trip.arrives : hand.now + 1, word + trip.port * at_.slots() * wide,
          Word{1} << bit);
    }
  }
  for (const Arrival* tail = ejected_.data(); tail != ejected; ++tail) {
    lines_[tail->lane].first = nothing;  // hosts have no lines
    state_.slots[tail->packet].hops = trips_[tail->packet].hops - 1U;
    eject(*tail);
  }
}

}  // namespace weft::sim
