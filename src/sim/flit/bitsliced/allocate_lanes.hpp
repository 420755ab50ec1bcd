// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: lane allocation in words, iSLIP with one iteration (McKeown, 1999). A packet
// that is alone in requesting a lane of an out-port is granted all that are idle, and takes the
// next, round-robin: behind its in-lane's last one where that was of the same port, or else from
// lane 0. Where several request lanes of the same port, their switch is looked at by itself.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::allocate_lanes(Index block) {
  W some = zero, in_contention = zero, contended[most_ports];
  for (Index o = 0; o < ports(); ++o) {
    const LaneRequests requests = lane_requests(block, o);
    W offers[most_lanes];
    for (Index v = 0; v < lanes(); ++v)
      offers[v] = load<W>(&idle_[first_word(block) + (o * lanes() + v) * wide]) & requests.one;
    if (!any_idle_lane_) keep_allowed({block, o}, requests.several, offers);
    contended[o] = zero;
    for (Index v = 0; v < lanes(); ++v) {
      store(&contended_[(o * lanes() + v) * wide], offers[v] & requests.several);
      contended[o] |= offers[v] & requests.several;
    }
    some |= requests.one;
    grant_lone_requests(block, o, offers, requests);
    in_contention |= contended[o];
  }
  if (!any(some)) return;
  if (any(in_contention)) share_lanes(block, contended);
  record_grants(block);
}

/// Requests for lanes of an out-port, by the lane sets of the packets; `fixed_bits` numbers those,
/// or 0: any bits do.
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <Index fixed_bits>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::requests_by_set(BlockPort of, W* out) {
  const Index bits = fixed_bits == 0 ? set_bits_ : fixed_bits;
  const Index sets =
      fixed_bits == 0 ? static_cast<Index>(layout_.lane_sets.size()) : 1U << fixed_bits;
  const Word* requested = lane_requested_.at(units_.now) + at_.pair({of.block, 0, 0}, of.port);
  const Word* lane_set = &lane_set_[first_word(of.block) * bits];
  G requests[fixed_bits == 0 ? most_lane_sets : 1U << fixed_bits] = {};
  for (Index i = 0; i < ports() * groups(); ++i, requested += span, lane_set += bits * span) {
    const G request = load<G>(requested);
    if (fixed_bits == 0 && !any(request)) continue;
    for (Index set = 0; set < sets; ++set) {
      G of_set = request;
      for (Index b = 0; b < bits; ++b) {
        const G digit = load<G>(lane_set + b * span);
        of_set &= (set >> b & 1) != 0 ? digit : ~digit;
      }
      requests[set] |= of_set;
    }
  }
  for (Index set = 0; set < sets; ++set) out[set] = gather<W>(requests[set]);
}

/// Keeps of the offers of out-port `o` what the packets may have: lanes of their sets, and with
/// cut-through such that have room for all of the packet (if there is only one).
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::keep_allowed(BlockPort of, const W& several,
                                                                   W* offers) {
  W requests[most_lane_sets], allowed[most_lanes] = {};
  if (set_bits_ == 2)
    requests_by_set<2>(of, requests);
  else
    requests_by_set<0>(of, requests);
  for (Index set = 0; set < layout_.lane_sets.size(); ++set)
    for (Index v = 0; v < lanes(); ++v)
      allowed[v] |= requests[set] & (0 - (layout_.lane_sets[set] >> v & 1));
  for (Index v = 0; v < lanes(); ++v) offers[v] &= allowed[v];
  if (layout_.cut_through) keep_roomy(of, several, offers);
}

/// Keeps of the offers those that have room for all of the packet, where there is only one.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::keep_roomy(BlockPort of, const W& several,
                                                                 W* offers) {
  const Index block = of.block, o = of.port;
  const Word* const requested = lane_requested_.at(units_.now);
  W left[32] = {};
  for (Index lane = 0; lane < at_.switch_lanes(); ++lane) {
    const LanePlace at{block, lane, 0};
    const W request = load<W>(requested + at_.pair(at, o));
    if (!any(request)) continue;
    for (Index b = 0; b < left_bits_; ++b)
      left[b] |= request & load<W>(&left_[at_.digits(left_bits_, at) + b * span]);
  }
  for (Index v = 0; v < lanes(); ++v) {
    const Word* const credits = &credits_[at_.digits(count_bits_, {block, o * lanes() + v, 0})];
    W more = zero;  // credits than flits, less one
    for (Index b = 0; b < std::max(count_bits_, left_bits_); ++b) {
      const W credit = b < count_bits_ ? load<W>(credits + b * span) : zero;
      more = (credit & ~left[b]) | (~(credit ^ left[b]) & more);
    }
    offers[v] &= more | several | load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
  }
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline auto BitSlicedKernel<fixed_ports, fixed_lanes, wide>::lane_requests(
    Index block, Index o) -> LaneRequests {
  G one{}, several{}, again{}, lane[most_lane_bits] = {};
  const std::size_t row = at_.pair({block, 0, 0}, o);
  const Word* requested = lane_requested_.at(units_.now) + row;
  const Word* out_of = &out_of_[row];
  const Word* lane_of = lane_of_.data() + first_word(block) * lane_bits();
  for (Index i = 0; i < ports() * groups(); ++i, requested += span, out_of += span) {
    const G request = load<G>(requested), same = request & load<G>(out_of);
    several |= one & request;
    one |= request;
    again |= same;
    for (Index b = 0; b < lane_bits(); ++b, lane_of += span) lane[b] |= same & load<G>(lane_of);
  }
  LaneRequests out{.one = gather<W>(one), .several = gather<W>(several), .again = gather<W>(again)};
  if constexpr (together == 2) out.several |= one[0] & one[1];
  for (Index b = 0; b < lane_bits(); ++b) out.lane[b] = gather<W>(lane[b]);
  return out;
}

/// Those who are alone take one of the lanes that out-port `o` offers.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void
BitSlicedKernel<fixed_ports, fixed_lanes, wide>::grant_lone_requests(Index block, Index o,
                                                                     W* offers,
                                                                     const LaneRequests& requests) {
  W chosen[most_lanes], who = zero, open = zero, lane[most_lane_bits] = {};
  Word* const idle = &idle_[first_word(block) + o * lanes() * wide];
  const Word* const opened = &open_[first_word(block) + o * lanes() * wide];
  for (Index v = 0; v < lanes(); ++v) offers[v] &= ~requests.several;
  first_by(
      offers,
      [&](Index v) __attribute__((always_inline)) {
        return requests.again & below(requests.lane, lane_bits(), v);
      },
      chosen, lanes());
  for (Index v = 0; v < lanes(); ++v) {
    store(idle + v * wide, load<W>(idle + v * wide) & ~chosen[v]);
    who |= chosen[v];
    open |= chosen[v] & load<W>(opened + v * wide);
    for (Index b = 0; b < lane_bits(); ++b)
      if ((v >> b & 1) != 0) lane[b] |= chosen[v];
  }
  store(grants_[o].who, who);
  store(grants_[o].open, open);
  for (Index b = 0; b < lane_bits(); ++b) store(grants_[o].lane + b * wide, lane[b]);
}

/// In-lanes note the lanes that were granted to their packets. Those without a grant request one
/// again in the next cycle; nobody does in this one any more.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::record_grants(Index block) {
  const std::size_t row = at_.switch_lanes() * wide;
  Word* requested = lane_requested_.at(units_.now) + first_word(block) * ports();
  Word* next = lane_requested_.at(units_.now + 1) + first_word(block) * ports();
  Word* out_of = &out_of_[first_word(block) * ports()];
  Word* bits = lane_of_.data() + first_word(block) * lane_bits();
  G who[most_ports], open[most_ports], lane_granted[most_ports * most_lane_bits];
  for (Index o = 0; o < ports(); ++o) {
    who[o] = spread<G>(load<W>(grants_[o].who));
    open[o] = spread<G>(load<W>(grants_[o].open));
    for (Index b = 0; b < lane_bits(); ++b)
      lane_granted[o * lane_bits() + b] = spread<G>(load<W>(grants_[o].lane + b * wide));
  }
  for (Index i = 0; i < row; i += span, requested += span, next += span, out_of += span) {
    G gets[most_ports], all{}, waiting{}, room{}, lane[most_lane_bits] = {};
    for (Index o = 0; o < ports(); ++o) {
      const G request = load<G>(requested + o * row);
      gets[o] = request & who[o];
      waiting |= request & ~who[o];
      all |= gets[o];
      room |= request & open[o];
      for (Index b = 0; b < lane_bits(); ++b)
        lane[b] |= request & lane_granted[o * lane_bits() + b];
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
        store(next + o * row, load<G>(next + o * row) | (load<G>(requested + o * row) & ~gets[o]));
    for (Index o = 0; o < ports(); ++o) store(requested + o * row, G{});
  }
}

/// Packets contend for lanes of out-ports: by out-port, in which switches.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::share_lanes(Index block, const W* contended) {
  const GrantView view = grant_view(block);
  W in_contention = zero;
  for (Index o = 0; o < ports(); ++o) in_contention |= contended[o];
  each(
      block, 0, in_contention, [&](const LanePlace& at) __attribute__((always_inline)) {
        std::uint64_t ports_of = 0;
        for (Index o = 0; o < ports(); ++o)
          ports_of |= (part(contended[o], at.bit / 64) >> at.bit % 64 & 1) << o;
        for (; ports_of != 0; ports_of &= ports_of - 1) share_port(view, at, lowest(ports_of));
      });
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::share_port(
    const GrantView& view, const LanePlace& at, Index o) {
  const Index word = at.bit / 64, bit = at.bit % 64;
  const std::uint64_t requests =
      column<wide>(view.requested + o * at_.switch_lanes() * wide + word, at_.switch_lanes(), bit);
  const std::uint64_t idle = column<wide>(contended_ + o * lanes() * wide + word, lanes(), bit);
  if (!layout_.cut_through && (idle & (idle - 1)) == 0) {
    share_one_lane(view, at, o, {requests, idle});
    return;
  }
  const std::uint64_t others = requests & (requests - 1);
  if (!layout_.cut_through && (others & (others - 1)) == 0) {
    share_among_two(view, at, o, {requests, idle});
    return;
  }
  const PacketNode* const beyond = &queues_[link_targets_[at_.home(at) * ports() + o].queue];
  const auto turn = [beyond](Index v) -> Index { return beyond[v].last_holder + 1U; };
  if (any_idle_lane_)
    arbiter_.share_all(requests, idle, turn);
  else
    arbiter_.share(offer_lanes(at, o, {requests, idle}), turn);
  for (std::uint64_t left = requests; left != 0; left &= left - 1)
    if (const std::uint64_t granted = arbiter_.granted[lowest(left)]; granted != 0)
      grant_lane(view, {at.block, lowest(left), at.bit}, o, granted);
}

/// Only one lane is idle: the next in-lane that may have it takes it as if it were alone.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::share_one_lane(
    const GrantView& view, const LanePlace& at, Index o, Contention contention) {
  const Index v = lowest(contention.idle), word = at.bit / 64;
  std::uint64_t able = contention.requests;
  if (!any_idle_lane_)
    for (std::uint64_t left = contention.requests; left != 0; left &= left - 1) {
      const std::uint64_t allowed = allowed_lanes({at.block, lowest(left), at.bit});
      able ^= (left & (~left + 1)) & ((allowed >> v & 1) - 1);
    }
  const PacketNode& beyond =
      queues_[link_targets_[at_.home(at) * ports() + o].queue + v * LaneQueues::apart];
  const Index winner = first_from(able, beyond.last_holder + 1U);
  view.idle[(o * lanes() + v) * wide + word] &= ~at.mask();
  grant_alone(view, at, o, v);
  for (std::uint64_t left = contention.requests & ~bit_at(winner); left != 0; left &= left - 1)
    ask_later(view, at, o, lowest(left));
}

/// An in-lane that is the only one left to request lanes of an out-port gets one of them.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::grant_alone(
    const GrantView& view, const LanePlace& at, Index o, Index lane) {
  const Index word = at.bit / 64;
  const Word mask = at.mask();
  LaneGrants& grants = grants_[o];
  grants.who[word] |= mask;
  grants.open[word] |= mask & view.open[(o * lanes() + lane) * wide + word];
  for (Index b = 0; b < lane_bits(); ++b)
    grants.lane[b * wide + word] |= mask & (0 - Word{lane >> b & 1});
}

/// The request of an in-lane is put off to the next cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::ask_later(
    const GrantView& view, const LanePlace& at, Index o, Index lane) {
  const Index request = (o * at_.switch_lanes() + lane) * wide + at.bit / 64;
  view.requested[request] &= ~at.mask();
  view.later[request] |= at.mask();
}

/// Of two requests, the later one gets the lanes whose last holder was the earlier one, or one
/// between them, and those that only it may have. One of the two takes a lane as if it were alone.
/// (Without branches: they would be guessed wrong.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::share_among_two(
    const GrantView& view, const LanePlace& at, Index o, Contention contention) {
  const Index early = lowest(contention.requests),
              late = lowest(contention.requests & (contention.requests - 1));
  const PacketNode* const beyond = &queues_[link_targets_[at_.home(at) * ports() + o].queue];
  std::uint64_t lates = 0;
  for (Index v = 0; v < lanes(); ++v)
    lates |= std::uint64_t{beyond[v].last_holder - early < late - early} << v;
  const auto offered = [&](Index lane) {
    if (any_idle_lane_) return contention.idle;
    return contention.idle & allowed_lanes({at.block, lane, at.bit});
  };
  const std::uint64_t to_early = offered(early), to_late = offered(late);
  lates = to_late & (lates | ~to_early);
  const std::uint64_t earlies = to_early & ~lates;
  const bool both = earlies != 0 && lates != 0;
  const LanePlace one{at.block, earlies != 0 ? early : late, at.bit};
  const LanePlace other{at.block, early + late - one.lane, at.bit};
  grant_alone(view, at, o, accept_lane(view, one, o, earlies != 0 ? earlies : lates));
  if (both)
    grant_lane(view, other, o, lates);
  else
    ask_later(view, at, o, other.lane);
}

/// Notes what lanes are offered to each in-lane. Returns those that are offered some.
template <Index fixed_ports, Index fixed_lanes, Index wide>
std::uint64_t BitSlicedKernel<fixed_ports, fixed_lanes, wide>::offer_lanes(LanePlace at, Index o,
                                                                           Contention contention) {
  std::uint64_t able = 0;
  for (std::uint64_t left = contention.requests; left != 0; left &= left - 1) {
    at.lane = lowest(left);
    arbiter_.granted[at.lane] = 0;
    arbiter_.offered[at.lane] = offer(at, o, contention.idle);
    if (arbiter_.offered[at.lane] != 0) able |= left & (~left + 1);
  }
  return able;
}

/// The idle lanes of an out-port that a packet may have now.
template <Index fixed_ports, Index fixed_lanes, Index wide>
std::uint64_t BitSlicedKernel<fixed_ports, fixed_lanes, wide>::offer(const LanePlace& at, Index o,
                                                                     std::uint64_t idle) const {
  std::uint64_t out = idle & allowed_lanes(at);
  if (!layout_.cut_through || (to_host_[at_.port(at, o)] & at.mask()) != 0) return out;
  const std::uint64_t flits = at_.number(left_, left_bits_, at) + 1;
  for (std::uint64_t left = out; left != 0; left &= left - 1)
    if (at_.number(credits_, count_bits_, {at.block, o * lanes() + lowest(left), at.bit}) < flits)
      out &= ~(left & (~left + 1));
  return out;
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
auto BitSlicedKernel<fixed_ports, fixed_lanes, wide>::grant_view(Index block) -> GrantView {
  const std::size_t first = first_word(block);
  return {.requested = lane_requested_.at(units_.now) + first * ports(),
          .later = lane_requested_.at(units_.now + 1) + first * ports(),
          .out_of = &out_of_[first * ports()],
          .lane_of = lane_of_.data() + first * lane_bits(),
          .idle = &idle_[first],
          .open = &open_[first],
          .sending = &sending_[first],
          .room = &room_[first]};
}

/// The packet accepts the next, round-robin, of the lanes that were granted to it.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::accept_lane(
    const GrantView& view, const LanePlace& at, Index o, std::uint64_t granted) {
  const Index bit = at.bit % 64, word = at.bit / 64;
  const Word* const lane_of = view.lane_of + at_.digits(lane_bits(), {0, at.lane, at.bit});
  Index last = 0;
  for (Index b = 0; b < lane_bits(); ++b)
    last |= static_cast<Index>(lane_of[b * span] >> bit & 1) << b;
  const Word same = view.out_of[(o * at_.switch_lanes() + at.lane) * wide + word] >> bit & 1;
  const Index v = first_from(granted, (last + 1) & (0 - static_cast<Index>(same)));
  view.idle[(o * lanes() + v) * wide + word] &= ~at.mask();
  return v;
}

/// The packet accepts one of the lanes, and this is noted.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::grant_lane(
    const GrantView& view, const LanePlace& at, Index o, std::uint64_t granted) {
  const Index v = accept_lane(view, at, o, granted), word = at.bit / 64;
  const Index row = at_.switch_lanes() * wide, own = at.lane * wide + word;
  const Word mask = at.mask();
  view.requested[o * row + own] &= ~mask;
  for (Index other = 0; other < ports(); ++other) view.out_of[other * row + own] &= ~mask;
  view.out_of[o * row + own] |= mask;
  Word* const lane_of = view.lane_of + at_.digits(lane_bits(), {0, at.lane, at.bit});
  for (Index b = 0; b < lane_bits(); ++b)
    lane_of[b * span] = (lane_of[b * span] & ~mask) | (mask & (0 - Word{v >> b & 1}));
  view.sending[own] |= mask;
  view.room[own] |= mask & view.open[(o * lanes() + v) * wide + word];
}

/// Credits have come to out-lanes without any: their holders may send.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::make_room(Index block) {
  const std::size_t first = first_word(block), row = at_.switch_lanes() * wide;
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
