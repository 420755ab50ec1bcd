// SPDX-License-Identifier: Apache-2.0
// Packets of plain networks, where every step counts: they have one flit, so that they are head and
// tail at once and in one line at a time; and a table leads each of them to its destination. When a
// packet leaves for a switch it is known when it comes there, and if it will be at the front, when
// it asks for a lane of which port.
#pragma once
#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline auto DenseOf<fixed_ports, fixed_lanes, wide>::at_hand(Cycle flight)
    -> Hand {
  return {.exits = exits_.data(),
          .knots = knots_.all.data(),
          .ways = ways_.data(),
          .arrives = static_cast<std::uint32_t>(state_.now + flight),
          .asks = wanted_.at(state_.now + flight + state_.head_delay)};
}

/// A packet is on its way to a lane of a switch. (Where conditions are often guessed wrong, there
/// are no branches.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::join_line(
    const Hand& hand, const Exit& exit, Index lane, Index knot) {
  const Index id = exit.line + lane * Knots::apart, home = exit.home,
              word = exit.word + lane * wide;
  Knot &own = hand[knot], &line = hand[id];
  const Index last = line.last;
  const bool first = line.next == nothing;
  const std::uint8_t port = hand.ways[own.row + home];
  own.next = nothing;
  own.arrives = hand.arrives;
  Knot& before = hand[last ^ ((id ^ last) & (0 - Index{first}))];  // first ? id : last
  before.next = knot;
  before.port = port;
  line.last = knot;
  ++line.sent;
  hand.asks[word + port * at_.slots() * wide] |= Word{first} << home % 64;
}

/// As begin_packets() does.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Word DenseOf<fixed_ports, fixed_lanes, wide>::begin_plain(Index first_host, Word hosts) {
  have_knots();
  const Hand hand = at_hand(nic_flight_);
  const Exit* const exits = &exits_[state_.switches.size() * ports() + first_host];
  const Entry* const entries = &entries_[first_host];
  Nic* const nics = &state_.nics[first_host];
  const auto switches = static_cast<Index>(state_.switches.size());
  Word begun = hosts, more = 0;
  for (Word left = hosts; left != 0; left &= left - 1) {
    const Index i = lowest(left);
    const Entry entry = entries[i];
    Nic& nic = nics[i];
    std::uint64_t open = 0;
    for (Index v = 0; v < lanes(); ++v)
      open |= (nic_open_[entry.word + v * wide] >> entry.bit & 1) << v;
    if (open == 0 || nic.first == nothing) {
      begun &= ~(left & (~left + 1));
      continue;
    }
    const Index v = first_from(open, nic.lane + 1), packet = nic.first;
    Slot& slot = state_.slots[packet];
    nic_[entry.word + v * wide] |= Word{1} << entry.bit;
    nic.lane = v;
    nic.first = slot.next;
    slot.packet.injected = state_.now;
    if (slot.next != nothing) more |= left & (~left + 1);
    Knot& knot = hand[knot_of(packet)];
    knot.row = static_cast<Index>(slot.packet.to.index()) * switches;
    slot.set_hops(to_go_[knot.row + exits[i].home]);
    join_line(hand, exits[i], v, knot_of(packet));
  }
  state_.totals.waiting -= count(begun);
  return more;
}

/// The front packet of a line leaves it.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline Index DenseOf<fixed_ports, fixed_lanes, wide>::leave_line(
    const Hand& hand, Knot& line, std::size_t place, Uncovered*& uncovered) {
  const Index knot = line.next, next = hand[knot].next;
  line.next = next;
  line.port = hand[knot].port;
  *uncovered = {&line, place};
  uncovered += next != nothing ? 1 : 0;
  return knot;
}

/// Packets leave an in-port for switches. (A function by itself, with copies of what it needs: they
/// stay in registers.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::noinline]] auto DenseOf<fixed_ports, fixed_lanes, wide>::move_on(const Hand& given,
                                                                        const Going& going,
                                                                        Uncovered* uncovered)
    -> Uncovered* {
  const Hand hand = given;
  const Going go = going;
  for (Word left = go.who; left != 0; left &= left - 1) {
    const Index bit = lowest(left), v = number_at(go.from, lane_bits(), bit);
    const Index lane = number_at(go.to, lane_bits(), bit);
    Knot& line = go.lines[bit * lanes() + v];
    const Exit& exit = go.exits[bit * ports() + line.port];
    const Index knot = leave_line(hand, line, go.place + v * wide * 64 + bit, uncovered);
    hand[exit.line + lane * Knots::apart].had = static_cast<std::uint16_t>(go.slot + v);
    join_line(hand, exit, lane, knot);
  }
  return uncovered;
}

/// An in-port sends one flit at most, so the packets of all its lanes are handled together; those
/// that go to hosts come last, by out-port. (Loops are long, and conditions become lists: both are
/// guessed wrong less often.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::pass_on_plain(Index block) {
  const Hand hand = at_hand(flight_);
  Uncovered* uncovered = uncovered_.data();
  W from[most_ports * most_lane_bits] = {};  // by in-port: the lane of the packet that leaves
  for (Index p = 0; p < ports(); ++p) {
    for (Index v = 1; v < lanes(); ++v)
      for (Index b = 0; b < lane_bits(); ++b)
        if ((v >> b & 1) != 0)
          from[p * lane_bits() + b] |= load<W>(&leaving_[(p * lanes() + v) * wide]);
    W to_host = zero;
    for (Index o = 0; o < ports(); ++o)
      to_host |= accepted_[o * ports() + p] & load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
    for (Index i = 0; i < wide; ++i) {
      const Place first{block, p * lanes(), i * 64};
      Going going;
      going.who = part(ending_[p] & ~to_host, i);
      going.slot = first.slot;
      going.place = (first.slot * wide + i) * 64;
      going.lines = hand.knots + at_.line(first);
      going.exits = hand.exits + std::size_t{at_.home(first)} * ports();
      for (Index b = 0; b < lane_bits(); ++b) {
        going.from[b] = part(from[p * lane_bits() + b], i);
        going.to[b] = part(lane_left_[p * lane_bits() + b], i);
      }
      uncovered = move_on(hand, going, uncovered);
    }
  }
  for (Index o = 0; o < ports(); ++o)
    if (any(load<W>(&to_host_[at_.port({block, 0, 0}, o)])))
      uncovered = eject_plain({block, o}, hand, from, uncovered);
  const auto next_cycle = static_cast<std::uint32_t>(state_.now + 1);
  const std::size_t first = at_.pair({block, 0, 0}, 0);
  for (const Uncovered* each = uncovered_.data(); each != uncovered; ++each) {
    const Knot& line = *each->line;
    const std::uint32_t arrives = hand[line.next].arrives;
    const bool later = static_cast<std::int32_t>(arrives - next_cycle) > 0;
    Word* const asks = wanted_.at((later ? arrives : next_cycle) + state_.head_delay);
    asks[first + each->place / 64 + line.port * at_.slots() * wide] |= Word{1} << each->place % 64;
  }
}

/// Packets leave for the hosts at an out-port. Returns the end of what is uncovered then. (Members
/// that the loop needs are copied, as it would read them anew for every packet.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
auto DenseOf<fixed_ports, fixed_lanes, wide>::eject_plain(PortOf of, const Hand& hand,
                                                          const W* from, Uncovered* uncovered)
    -> Uncovered* {
  constexpr Index port_bits = std::bit_width(most_ports - 1U);
  const Index o = of.port, packets = packets_, host_lines = host_lines_;
  const Index host_lanes = state_.switch_lanes;
  W all = zero, in_port[port_bits] = {}, own[most_lane_bits] = {}, next[most_lane_bits] = {};
  for (Index p = 0; p < ports(); ++p) {
    const W go = accepted_[o * ports() + p] & load<W>(&to_host_[at_.port({of.block, 0, 0}, o)]);
    all |= go;
    for (Index b = 0; b < port_bits; ++b)
      if ((p >> b & 1) != 0) in_port[b] |= go;
    for (Index b = 0; b < lane_bits(); ++b) {
      own[b] |= go & from[p * lane_bits() + b];
      next[b] |= go & lane_left_[p * lane_bits() + b];
    }
  }
  state_.ejections.push_all(state_.now + host_flight_, count(all), [&](Arrival* end) {
    Uncovered* fresh = uncovered;
    for (Index i = 0; i < wide; ++i) {
      Word ports_in[port_bits], lanes_in[most_lane_bits], lanes_out[most_lane_bits];
      for (Index b = 0; b < port_bits; ++b) ports_in[b] = part(in_port[b], i);
      for (Index b = 0; b < lane_bits(); ++b) {
        lanes_in[b] = part(own[b], i);
        lanes_out[b] = part(next[b], i);
      }
      for (Word left = part(all, i); left != 0; left &= left - 1) {
        const Index bit = lowest(left), p = number_at(ports_in, port_bits, bit);
        const Index slot = p * lanes() + number_at(lanes_in, lane_bits(), bit);
        const Place at{of.block, slot, i * 64 + bit};
        const Index line = hand.exits[at_.home(at) * ports() + o].line +
                           number_at(lanes_out, lane_bits(), bit) * Knots::apart;
        const Index knot = leave_line(hand, hand[line_at(at)], (slot * wide + i) * 64 + bit, fresh);
        hand[line].had = static_cast<std::uint16_t>(slot);
        ++hand[line].sent;
        *end++ = {host_lanes + (line - host_lines) / Knots::apart, (knot - packets) / Knots::apart};
      }
    }
    uncovered = fresh;
    return end;
  });
  return uncovered;
}

}  // namespace weft::sim
