// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: crossbar allocation in words, iSLIP with one iteration (McKeown, 1999).
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

/// Which in-lanes have a flit to send to which out-port. (In plain networks who has room has
/// one.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <bool plain>
inline bool BitSlicedKernel<fixed_ports, fixed_lanes, wide>::request(Index block) {
  const std::size_t first = first_word(block);
  G ready[most_switch_lanes], some{};
  for (Index i = 0; i < ports() * groups(); ++i) {
    ready[i] = load<G>(&room_[first + i * span]);
    if (!plain) ready[i] &= load<G>(&filled_[first + i * span]);
    some |= ready[i];
  }
  if (!any(some)) return false;
  const Word* out_of = &out_of_[first * ports()];
  Word* requests = crossbar_requests_;
  for (Index o = 0; o < ports(); ++o)
    for (Index p = 0; p < ports(); ++p) {
      G all{};
      for (Index i = 0; i < groups(); ++i, out_of += span, requests += span) {
        const G requested = load<G>(out_of) & ready[p * groups() + i];
        store(requests, requested);
        all |= requested;
      }
      port_requests_[o * ports() + p] = gather<W>(all);
    }
  return true;
}

/// Every out-port grants one in-port, every in-port accepts one out-port and chooses the lane.
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <bool plain>
inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::allocate_crossbars(Index block) {
  const Index row = ports() * wide;
  Word* const grant_turn = &grant_turn_[std::size_t{block} * ports() * row];
  Word* const accept_turn = &accept_turn_[std::size_t{block} * ports() * row];
  Word* const lane_turn = &lane_turn_[first_word(block)];
  const Word* const lane_of = lane_of_.data() + first_word(block) * lane_bits();
  W granted[most_ports * most_ports];
  for (Index o = 0; o < ports(); ++o)
    first_of(&port_requests_[o * ports()], grant_turn + o * row, &granted[o * ports()], ports());
  for (Index i = 0; i < ports() * lane_bits(); ++i) lane_sent_[i] = zero;
  for (Index p = 0; p < ports(); ++p) {
    W column[most_ports], taken[most_ports], requests[most_lanes], leaving[most_lanes];
    G requested[most_lanes] = {};
    for (Index o = 0; o < ports(); ++o) column[o] = granted[o * ports() + p];
    first_of(column, accept_turn + p * row, taken, ports());
    move_turn(taken, accept_turn + p * row, ports());
    for (Index o = 0; o < ports(); ++o) {
      accepted_[o * ports() + p] = taken[o];
      for (Index i = 0; i < groups(); ++i)
        requested[i] |= load<G>(&crossbar_requests_[((o * ports() + p) * groups() + i) * span]) &
                        spread<G>(taken[o]);
    }
    std::memcpy(requests, requested, lanes() * sizeof(W));
    first_of(requests, lane_turn + p * lanes() * wide, leaving, lanes());
    move_turn(leaving, lane_turn + p * lanes() * wide, lanes());
    for (Index v = 0; v < lanes(); ++v) store(&leaving_[(p * lanes() + v) * wide], leaving[v]);
    find_ends<plain>(block, p);
    for (Index b = 0; b < lane_bits(); ++b) {
      G lane{};
      for (Index i = 0; i < groups(); ++i)
        lane |= load<G>(&leaving_[(p * groups() + i) * span]) &
                load<G>(lane_of + ((p * groups() + i) * lane_bits() + b) * span);
      const W bit = gather<W>(lane);
      lane_left_[p * lane_bits() + b] = bit;
      for (Index o = 0; o < ports(); ++o) lane_sent_[o * lane_bits() + b] |= bit & taken[o];
    }
  }
  for (Index o = 0; o < ports(); ++o)
    move_turn(&accepted_[o * ports()], grant_turn + o * row, ports());
}

/// Which of the flits that leave in-port `p` are tails. (In plain networks all of them are.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <bool plain>
inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::find_ends(Index block, Index p) {
  G ending{};
  for (Index i = p * groups(); i < (p + 1) * groups(); ++i) {
    G ends = load<G>(&leaving_[i * span]);
    if constexpr (!plain) {
      const Word* const left = left_.data() + (first_word(block) + i * span) * left_bits_;
      if (left_bits_ > 0) ends &= ~some_of<G>(left, left_bits_);
      store(&ends_[i * span], ends);
    }
    ending |= ends;
  }
  ending_[p] = gather<W>(ending);
}

}  // namespace weft::sim
