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
  W some = zero, contested = zero, contests[most_ports];
  for (Index o = 0; o < ports(); ++o) {
    const Asking asking = who_asks(block, o);
    W offers[most_lanes], able = zero;
    for (Index v = 0; v < lanes(); ++v)
      offers[v] = load<W>(&idle_[first_word(block) + (o * lanes() + v) * wide]) & asking.one;
    if (!any_idle_) narrow({block, o}, asking.several, offers);
    for (Index v = 0; v < lanes(); ++v) able |= offers[v];
    some |= asking.one;
    take_lanes(block, o, offers, asking);
    contests[o] = able & asking.several;
    contested |= contests[o];
  }
  if (!any(some)) return;
  if (any(contested)) share_lanes(block, contests);
  give_lanes(block);
}

/// Leaves of the offers of out-port `o` what the packets may have: lanes of their class, and with
/// cut-through such that have room for all of the packet (if there is only one).
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::narrow(PortOf of, const W& several, W* offers) const {
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
[[gnu::always_inline]] inline auto DenseOf<fixed_ports, fixed_lanes, wide>::who_asks(Index block,
                                                                                     Index o)
    -> Asking {
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
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::take_lanes(
    Index block, Index o, W* offers, const Asking& asking) {
  W chosen[most_lanes], who = zero, open = zero, lane[most_lane_bits] = {};
  Word* const idle = &idle_[first_word(block) + o * lanes() * wide];
  const Word* const opened = &open_[first_word(block) + o * lanes() * wide];
  for (Index v = 0; v < lanes(); ++v) offers[v] &= ~asking.several;
  first_by(
      offers,
      [&](Index v) __attribute__((always_inline)) {
        return asking.again & below(asking.lane, lane_bits(), v);
      },
      chosen, lanes());
  for (Index v = 0; v < lanes(); ++v) {
    store(idle + v * wide, load<W>(idle + v * wide) & ~chosen[v]);
    who |= chosen[v];
    open |= chosen[v] & load<W>(opened + v * wide);
    for (Index b = 0; b < lane_bits(); ++b)
      if ((v >> b & 1) != 0) lane[b] |= chosen[v];
  }
  store(taken_[o].who, who);
  store(taken_[o].open, open);
  for (Index b = 0; b < lane_bits(); ++b) store(taken_[o].lane + b * wide, lane[b]);
}

/// In-lanes note the lanes that their packets have taken. Who got none asks again in the next
/// cycle; nobody asks in this one any more.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::give_lanes(Index block) {
  const std::size_t row = at_.slots() * wide;
  Word* wants = wanted_.at(state_.now) + first_word(block) * ports();
  Word* next = wanted_.at(state_.now + 1) + first_word(block) * ports();
  Word* out_of = &out_of_[first_word(block) * ports()];
  Word* bits = lane_of_.data() + first_word(block) * lane_bits();
  G who[most_ports], open[most_ports], lane_taken[most_ports * most_lane_bits];
  for (Index o = 0; o < ports(); ++o) {
    who[o] = spread<G>(load<W>(taken_[o].who));
    open[o] = spread<G>(load<W>(taken_[o].open));
    for (Index b = 0; b < lane_bits(); ++b)
      lane_taken[o * lane_bits() + b] = spread<G>(load<W>(taken_[o].lane + b * wide));
  }
  for (Index i = 0; i < row; i += span, wants += span, next += span, out_of += span) {
    G gets[most_ports], all{}, waiting{}, room{}, lane[most_lane_bits] = {};
    for (Index o = 0; o < ports(); ++o) {
      const G want = load<G>(wants + o * row);
      gets[o] = want & who[o];
      waiting |= want & ~who[o];
      all |= gets[o];
      room |= want & open[o];
      for (Index b = 0; b < lane_bits(); ++b) lane[b] |= want & lane_taken[o * lane_bits() + b];
    }
    for (Index o = 0; o < ports(); ++o)
      store(out_of + o * row, (load<G>(out_of + o * row) & ~all) | gets[o]);
    for (Index b = 0; b < lane_bits(); ++b, bits += span)
      store(bits, (load<G>(bits) & ~all) | lane[b]);
    Word* const sending = &sending_[first_word(block) + i];
    Word* const has_room = &room_[first_word(block) + i];
    store(sending, load<G>(sending) | all);
    store(has_room, load<G>(has_room) | room);
    if (any(waiting))
      for (Index o = 0; o < ports(); ++o)
        store(next + o * row, load<G>(next + o * row) | (load<G>(wants + o * row) & ~gets[o]));
    for (Index o = 0; o < ports(); ++o) store(wants + o * row, G{});
  }
}

/// Packets contend for lanes of out-ports, which have contests in these switches.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::share_lanes(Index block, const W* contests) {
  const Giving giving = giving_in(block);
  W contested = zero;
  for (Index o = 0; o < ports(); ++o) contested |= contests[o];
  each(
      block, 0, contested, [&](const Place& at) __attribute__((always_inline)) {
        std::uint64_t ports_of = 0;
        for (Index o = 0; o < ports(); ++o)
          ports_of |= (part(contests[o], at.bit / 64) >> at.bit % 64 & 1) << o;
        for (; ports_of != 0; ports_of &= ports_of - 1) share_port(giving, at, lowest(ports_of));
      });
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::share_port(
    const Giving& giving, const Place& at, Index o) {
  const Index word = at.bit / 64, bit = at.bit % 64;
  const std::uint64_t asking =
      column<wide>(giving.wanted + o * at_.slots() * wide + word, at_.slots(), bit);
  const std::uint64_t idle = column<wide>(giving.idle + o * lanes() * wide + word, lanes(), bit);
  const std::uint64_t others = asking & (asking - 1);
  if (any_idle_ && (others & (others - 1)) == 0) {
    share_among_two(giving, at, o, {asking, idle});
    return;
  }
  const Knot* const beyond = &knots_[exits_[at_.home(at) * ports() + o].line];
  const auto turn = [beyond](Index v) -> Index { return beyond[v].had + 1U; };
  if (any_idle_)
    shares_.share_all(asking, idle, turn);
  else
    shares_.share(offer_lanes(at, o, {asking, idle}), turn);
  for (std::uint64_t left = asking; left != 0; left &= left - 1)
    if (const std::uint64_t granted = shares_.granted[lowest(left)]; granted != 0)
      give_lane(giving, {at.block, lowest(left), at.bit}, o, granted);
}

/// Of two, the later one gets the lanes that the earlier one had, or one between them. One of them
/// takes a lane as if it had been alone. (Without branches: they would be guessed wrong.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::share_among_two(
    const Giving& giving, const Place& at, Index o, Contest contest) {
  const Index early = lowest(contest.asking), late = lowest(contest.asking & (contest.asking - 1));
  const Knot* const beyond = &knots_[exits_[at_.home(at) * ports() + o].line];
  std::uint64_t lates = 0;
  for (Index v = 0; v < lanes(); ++v)
    lates |= std::uint64_t{beyond[v].had - early < late - early} << v;
  lates &= contest.idle;
  const std::uint64_t earlies = contest.idle & ~lates;
  const bool both = earlies != 0 && lates != 0;
  const Place one{at.block, earlies != 0 ? early : late, at.bit};
  const Place other{at.block, early + late - one.slot, at.bit};
  const Index word = at.bit / 64;
  const Word mask = at.mask();
  const Index lane = accept_lane(giving, one, o, earlies != 0 ? earlies : lates);
  Taken& taken = taken_[o];
  taken.who[word] |= mask;
  taken.open[word] |= mask & giving.open[(o * lanes() + lane) * wide + word];
  for (Index b = 0; b < lane_bits(); ++b)
    taken.lane[b * wide + word] |= mask & (0 - Word{lane >> b & 1});
  const Index asked = (o * at_.slots() + other.slot) * wide + word;
  giving.wanted[asked] &= ~mask;
  if (both)
    give_lane(giving, other, o, lates);
  else
    giving.later[asked] |= mask;
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

template <Index fixed_ports, Index fixed_lanes, Index wide>
auto DenseOf<fixed_ports, fixed_lanes, wide>::giving_in(Index block) -> Giving {
  const std::size_t first = first_word(block);
  return {.wanted = wanted_.at(state_.now) + first * ports(),
          .later = wanted_.at(state_.now + 1) + first * ports(),
          .out_of = &out_of_[first * ports()],
          .lane_of = lane_of_.data() + first * lane_bits(),
          .idle = &idle_[first],
          .open = &open_[first],
          .sending = &sending_[first],
          .room = &room_[first]};
}

/// The packet accepts the first of the lanes that it was granted, from its turn on.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline Index DenseOf<fixed_ports, fixed_lanes, wide>::accept_lane(
    const Giving& giving, const Place& at, Index o, std::uint64_t granted) {
  const Index bit = at.bit % 64, word = at.bit / 64;
  const Word* const lane_of = giving.lane_of + at_.digits(lane_bits(), {0, at.slot, at.bit});
  Index last = 0;
  for (Index b = 0; b < lane_bits(); ++b)
    last |= static_cast<Index>(lane_of[b * span] >> bit & 1) << b;
  const Word same = giving.out_of[(o * at_.slots() + at.slot) * wide + word] >> bit & 1;
  const Index v = first_from(granted, (last + 1) & (0 - static_cast<Index>(same)));
  giving.idle[(o * lanes() + v) * wide + word] &= ~at.mask();
  return v;
}

/// The packet accepts one of the lanes, and this is noted.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void DenseOf<fixed_ports, fixed_lanes, wide>::give_lane(
    const Giving& giving, const Place& at, Index o, std::uint64_t granted) {
  const Index v = accept_lane(giving, at, o, granted), word = at.bit / 64;
  const Index row = at_.slots() * wide, own = at.slot * wide + word;
  const Word mask = at.mask();
  giving.wanted[o * row + own] &= ~mask;
  for (Index other = 0; other < ports(); ++other) giving.out_of[other * row + own] &= ~mask;
  giving.out_of[o * row + own] |= mask;
  Word* const lane_of = giving.lane_of + at_.digits(lane_bits(), {0, at.slot, at.bit});
  for (Index b = 0; b < lane_bits(); ++b)
    lane_of[b * span] = (lane_of[b * span] & ~mask) | (mask & (0 - Word{v >> b & 1}));
  giving.sending[own] |= mask;
  giving.room[own] |= mask & giving.open[(o * lanes() + v) * wide + word];
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
