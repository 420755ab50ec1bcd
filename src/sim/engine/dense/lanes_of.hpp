// SPDX-License-Identifier: Apache-2.0
// Lane allocation in words: iSLIP with one iteration, as in lane_shares.hpp. A packet that is alone
// in asking for a lane of an out-port is granted all that are idle, and takes the first from its
// turn on: behind its in-lane's last one where that was of the same port, or else from lane 0.
// Where several ask for the same port, their switch is looked at by itself.
#pragma once
#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::allocate_lanes(Index block) {
  W some = zero;
  for (Index o = 0; o < ports(); ++o) {
    const Asking asking = who_asks(block, o);
    W offers[most_lanes], able = zero;
    for (Index v = 0; v < lanes(); ++v)
      offers[v] = load<W>(&idle_[first_word(block) + (o * lanes() + v) * wide]) & asking.one;
    if (!any_idle_) narrow({block, o}, asking.several, offers);
    for (Index v = 0; v < lanes(); ++v) able |= offers[v];
    some |= asking.one;
    take_lanes(block, o, offers, asking);
    if (const W contested = able & asking.several; any(contested))
      each(block, 0, contested, [this, o](Place at) { share_lanes(at, o); });
  }
  if (!any(some)) return;
  give_lanes(block);
  std::fill_n(wanted_.at(state_.now) + first_word(block) * ports(), ports() * at_.slots() * wide,
              0);
}

/// Leaves of the offers of out-port `o` what the packets may have: lanes of their class, and with
/// cut-through such that have room for all of the packet (if there is only one).
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::narrow(PortOf of, W several, W* offers) const {
  const Index block = of.block, o = of.port;
  const Word* const wants = &wanted_.words[(state_.now & wanted_.mask) * wanted_.each];
  const Index flit_bits = state_.cut_through ? left_bits_ : 0;
  W may[most_lanes] = {}, left[32] = {};
  for (Index slot = 0; slot < at_.slots(); ++slot) {
    const Place at{block, slot, 0};
    const W want = load<W>(wants + at_.pair(at, o));
    if (!any(want)) continue;
    for (Index v = 0; v < lanes(); ++v)
      may[v] |= want & load<W>(&may_[at_.digits(lanes(), at) + v * span]);
    for (Index b = 0; b < flit_bits; ++b)
      left[b] |= want & load<W>(&left_[at_.digits(left_bits_, at) + b * span]);
  }
  for (Index v = 0; v < lanes(); ++v) {
    offers[v] &= may[v];
    if (!state_.cut_through) continue;
    const Word* const credits = &credits_[at_.digits(count_bits_, {block, o * lanes() + v, 0})];
    W more = zero;  // credits than flits, less one
    for (Index b = 0; b < std::max(count_bits_, flit_bits); ++b) {
      const W credit = b < count_bits_ ? load<W>(credits + b * span) : zero;
      more = (credit & ~left[b]) | (~(credit ^ left[b]) & more);
    }
    offers[v] &= more | several | load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
  }
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
auto DenseOf<fixed_ports, fixed_lanes, wide>::who_asks(Index block, Index o) -> Asking {
  G one{}, several{}, again{}, lane[most_lane_bits] = {};
  const std::size_t row = at_.pair({block, 0, 0}, o);
  const Word* wants = wanted_.at(state_.now) + row;
  const Word* out_of = &out_of_[row];
  const Word* lane_of = lane_of_.data() + first_word(block) * lane_bits();
  for (Index i = 0; i < ports() * groups(); ++i, wants += span, out_of += span) {
    const G want = load<G>(wants), same = want & load<G>(out_of);
    several |= one & want;
    one |= want;
    again |= same;
    for (Index b = 0; b < lane_bits(); ++b, lane_of += span) lane[b] |= same & load<G>(lane_of);
  }
  Asking out{.one = gather<W>(one), .several = gather<W>(several), .again = gather<W>(again)};
  if constexpr (together == 2) out.several |= one[0] & one[1];
  for (Index b = 0; b < lane_bits(); ++b) out.lane[b] = gather<W>(lane[b]);
  return out;
}

/// Those who are alone take one of the lanes that out-port `o` offers.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::take_lanes(Index block, Index o, W* offers,
                                                         const Asking& asking) {
  W chosen[most_lanes], who = zero, open = zero, lane[most_lane_bits] = {};
  Word* const idle = &idle_[first_word(block) + o * lanes() * wide];
  const Word* const opened = &open_[first_word(block) + o * lanes() * wide];
  for (Index v = 0; v < lanes(); ++v) offers[v] &= ~asking.several;
  first_by(
      offers, [&](Index v) { return asking.again & below(asking.lane, lane_bits(), v); }, chosen,
      lanes());
  for (Index v = 0; v < lanes(); ++v) {
    store(idle + v * wide, load<W>(idle + v * wide) & ~chosen[v]);
    who |= chosen[v];
    open |= chosen[v] & load<W>(opened + v * wide);
    for (Index b = 0; b < lane_bits(); ++b)
      if ((v >> b & 1) != 0) lane[b] |= chosen[v];
  }
  taken_[o].who = spread<G>(who);
  taken_[o].open = spread<G>(open);
  for (Index b = 0; b < lane_bits(); ++b) taken_[o].lane[b] = spread<G>(lane[b]);
}

/// In-lanes note the lanes that their packets have taken. Who got none asks again in the next
/// cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::give_lanes(Index block) {
  const std::size_t row = at_.slots() * wide;
  Word* wants = wanted_.at(state_.now) + first_word(block) * ports();
  Word* next = wanted_.at(state_.now + 1) + first_word(block) * ports();
  Word* out_of = &out_of_[first_word(block) * ports()];
  Word* bits = lane_of_.data() + first_word(block) * lane_bits();
  for (Index i = 0; i < row; i += span, wants += span, next += span, out_of += span) {
    G gets[most_ports], all{}, waiting{}, room{}, lane[most_lane_bits] = {};
    for (Index o = 0; o < ports(); ++o) {
      const G want = load<G>(wants + o * row);
      gets[o] = want & taken_[o].who;
      waiting |= want & ~taken_[o].who;
      all |= gets[o];
      room |= want & taken_[o].open;
      for (Index b = 0; b < lane_bits(); ++b) lane[b] |= want & taken_[o].lane[b];
    }
    for (Index o = 0; o < ports(); ++o)
      store(out_of + o * row, (load<G>(out_of + o * row) & ~all) | gets[o]);
    for (Index b = 0; b < lane_bits(); ++b, bits += span)
      store(bits, (load<G>(bits) & ~all) | lane[b]);
    Word* const sending = &sending_[first_word(block) + i];
    Word* const has_room = &room_[first_word(block) + i];
    store(sending, load<G>(sending) | all);
    store(has_room, load<G>(has_room) | room);
    if (!any(waiting)) continue;
    for (Index o = 0; o < ports(); ++o)
      store(next + o * row, load<G>(next + o * row) | (load<G>(wants + o * row) & ~gets[o]));
  }
}

/// The packets of one switch contend for lanes of out-port `o`.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::share_lanes(Place at, Index o) {
  const Index bit = at.bit % 64;
  const Word* const wants = wanted_.at(state_.now) + at_.pair({at.block, 0, at.bit}, o);
  const Word* const idle_of = &idle_[at_.word({at.block, o * lanes(), at.bit})];
  std::uint64_t asking = 0, idle = 0;
  for (Index slot = 0; slot < at_.slots(); ++slot)
    asking |= (wants[slot * wide] >> bit & 1) << slot;
  for (Index v = 0; v < lanes(); ++v) idle |= (idle_of[v * wide] >> bit & 1) << v;
  const Line* const beyond = &lines_[exits_[first_port_[at_.home(at)] + o].target];
  const auto turn = [beyond](Index v) -> Index { return beyond[v].turn; };
  if (any_idle_)
    shares_.share_all(asking, idle, turn);
  else
    shares_.share(offer_lanes(at, o, {asking, idle}), turn);
  for (; asking != 0; asking &= asking - 1) {
    at.slot = lowest(asking);
    if (const std::uint64_t granted = shares_.granted[at.slot]; granted != 0)
      give_lane(at, o, granted);
  }
}

/// Notes what each may have. Returns who may have something.
template <Index fixed_ports, Index fixed_lanes, Index wide>
std::uint64_t DenseOf<fixed_ports, fixed_lanes, wide>::offer_lanes(Place at, Index o,
                                                                   Contest contest) {
  std::uint64_t able = 0;
  for (std::uint64_t left = contest.asking; left != 0; left &= left - 1) {
    at.slot = lowest(left);
    shares_.granted[at.slot] = 0;
    shares_.offered[at.slot] = offer(at, o, contest.idle);
    if (shares_.offered[at.slot] != 0) able |= left & (~left + 1);
  }
  return able;
}

/// The idle lanes of an out-port that a packet may have now.
template <Index fixed_ports, Index fixed_lanes, Index wide>
std::uint64_t DenseOf<fixed_ports, fixed_lanes, wide>::offer(const Place& at, Index o,
                                                             std::uint64_t idle) const {
  const InLane& lane = state_.in[lane_at(at)];
  std::uint64_t out = idle & state_.allowed(lane, first_port_[lane.home] + o);
  if (!state_.cut_through || (to_host_[at_.port(at, o)] & at.mask()) != 0) return out;
  const std::uint32_t flits = state_.slots[lane.packet].packet.flits;
  for (std::uint64_t left = out; left != 0; left &= left - 1)
    if (at_.number(credits_, count_bits_, {at.block, o * lanes() + lowest(left), at.bit}) < flits)
      out &= ~(left & (~left + 1));
  return out;
}

/// The packet accepts one of the lanes.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::give_lane(Place at, Index o, std::uint64_t granted) {
  const Word mask = at.mask();
  const std::size_t i = at_.word(at), row = at_.slots() * wide;
  Word* const out_of = &out_of_[at_.pair(at, 0)];
  Word* const lane_of = lane_of_.data() + at_.digits(lane_bits(), at);
  Index turn = 0;
  for (Index b = 0; b < lane_bits(); ++b)
    turn |= static_cast<Index>(lane_of[b * span] >> (at.bit % 64) & 1) << b;
  turn = (out_of[o * row] & mask) == 0 || turn + 1 == lanes() ? 0 : turn + 1;
  const Index v = first_from(granted, turn);
  const std::size_t out = at_.word({at.block, o * lanes() + v, at.bit});
  idle_[out] &= ~mask;
  wanted_.at(state_.now)[at_.pair(at, o)] &= ~mask;
  for (Index other = 0; other < ports(); ++other) out_of[other * row] &= ~mask;
  out_of[o * row] |= mask;
  for (Index b = 0; b < lane_bits(); ++b)
    lane_of[b * span] = (lane_of[b * span] & ~mask) | ((v >> b & 1) != 0 ? mask : 0);
  sending_[i] |= mask;
  room_[i] |= mask & open_[out];
}

/// Credits have come to out-lanes that had none: whoever has one may send.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::make_room(Index block) {
  const std::size_t first = first_word(block), row = at_.slots() * wide;
  for (Index i = 0; i < ports() * groups(); ++i) {
    Word* const room = &room_[first + i * span];
    const G stopped = load<G>(&sending_[first + i * span]) & ~load<G>(room);
    if (!any(stopped)) continue;
    G open{};
    for (Index v = 0; v < lanes(); ++v) {
      G who = stopped;
      for (Index b = 0; b < lane_bits(); ++b) {
        const G bit = load<G>(lane_of_.data() + (first + i * span) * lane_bits() + b * span);
        who &= (v >> b & 1) != 0 ? bit : ~bit;
      }
      for (Index o = 0; o < ports(); ++o)
        open |= who & load<G>(&out_of_[first * ports() + o * row + i * span]) &
                spread<G>(load<W>(&open_[first + (o * lanes() + v) * wide]));
    }
    store(room, load<G>(room) | open);
  }
}

}  // namespace weft::sim
