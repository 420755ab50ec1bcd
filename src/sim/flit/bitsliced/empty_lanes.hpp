// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: lanes that hold one packet at a time (Layout::empty_lanes). What a tail has left
// is closed until the buffer behind it is empty.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

/// Lanes that no packet has, and whose buffers have become empty, are idle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::open_empty_lanes(Index block) {
  W opened = zero;
  for (Index i = 0; i < ports() * groups(); ++i) {
    const std::size_t word = first_word(block) + i * span;
    const G closed = load<G>(&closed_[word]);
    G empty = closed;
    for (Index b = 0; b < count_bits_; ++b) {
      const G credits = load<G>(&credits_[word * count_bits_ + b * span]);
      empty &= (layout_.buffer >> b & 1) != 0 ? credits : ~credits;
    }
    store(&closed_[word], closed & ~empty);
    store(&idle_[word], load<G>(&idle_[word]) | empty);
    opened |= gather<W>(empty);
  }
  if (!phases_.any()) return;
  Word* const released = &released_[std::size_t{block} * wide];
  store(released, load<W>(released) | opened);
}

/// Of lanes that tails have left: those that are idle at once. Those to switches (`limited`) may
/// have to be empty first.
template <Index fixed_ports, Index fixed_lanes, Index wide>
auto BitSlicedKernel<fixed_ports, fixed_lanes, wide>::idle_at_once(std::size_t word, G left,
                                                                   G limited) -> G {
  if (closed_.empty()) return left;
  store(&closed_[word], load<G>(&closed_[word]) | (left & limited));
  return left & ~limited;
}

}  // namespace weft::sim
