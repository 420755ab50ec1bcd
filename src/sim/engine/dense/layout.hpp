// SPDX-License-Identifier: Apache-2.0
// Layout: where the bits of a switch are in the words of a dense network (see dense.hpp).
#pragma once
#include <cstdint>
#include <vector>

#include "sim/engine/lanes.hpp"

namespace weft::sim {

using Word = std::uint64_t;
using Words = std::vector<Word>;

/// An in-lane or out-lane: its switch is bit `bit` of the block.
struct Place {
  Index block, slot, bit;
  Word mask() const { return Word{1} << (bit % 64); }
};

struct Sizes {
  Index ports = 0, lanes = 0;  ///< of a switch
  Index wide = 1;              ///< words of a block
  Index together = 1;          ///< lanes of a port that are handled at once
};
/// Code is faster when the numbers are known beforehand; 0: as they are in `any`.
template <Index fixed_ports = 0, Index fixed_lanes = 0, Index fixed_wide = 0>
struct Layout {
  Sizes any;

  Index ports() const { return fixed_ports == 0 ? any.ports : fixed_ports; }
  Index lanes() const { return fixed_lanes == 0 ? any.lanes : fixed_lanes; }
  Index wide() const { return fixed_wide == 0 ? any.wide : fixed_wide; }
  /// Two where blocks have one word: vectors have two or more.
  static constexpr Index fixed_together =
      fixed_wide == 1 && fixed_lanes > 0 && fixed_lanes % 2 == 0 ? 2 : 1;
  Index together() const { return fixed_wide == 0 ? any.together : fixed_together; }
  Index slots() const { return ports() * lanes(); }

  Place place(Index s, Index slot) const { return {s / (64 * wide()), slot, s % (64 * wide())}; }
  Place place(const InLane& lane) const { return place(lane.home, lane.bit); }
  Index home(const Place& at) const { return at.block * 64 * wide() + at.bit; }

  // Words by slot; by port; by out-port and in-lane.
  std::size_t word(const Place& at) const {
    return (std::size_t{at.block} * slots() + at.slot) * wide() + at.bit / 64;
  }
  std::size_t port(const Place& at, Index port) const {
    return (std::size_t{at.block} * ports() + port) * wide() + at.bit / 64;
  }
  std::size_t pair(const Place& at, Index out_port) const {
    return ((std::size_t{at.block} * ports() + out_port) * slots() + at.slot) * wide() +
           at.bit / 64;
  }

  /// Lines, of which those of a port's lanes are side by side.
  std::size_t line(const Place& at) const {
    return (port({at.block, 0, 0}, at.slot / lanes()) * 64 + at.bit) * lanes() + at.slot % lanes();
  }

  Place place_of(Index line) const {
    const Index lane = line % lanes(), bit = line / lanes(), port = bit / (64 * wide());
    return {port / ports(), port % ports() * lanes() + lane, bit % (64 * wide())};
  }

  // Numbers by slot, a word for each of their bits; lanes that are handled at once have theirs side
  // by side.
  std::size_t digits(Index width, const Place& at) const {
    const Index beside = at.slot % together();
    const std::size_t first = std::size_t{at.block} * slots() + at.slot - beside;
    return (first * width + beside) * wide() + at.bit / 64;
  }
  std::uint32_t number(const Words& bits, Index width, const Place& at) const {
    if (width == 0) return 0;
    const Word* word = bits.data() + digits(width, at);
    std::uint32_t out = 0;
    for (Index b = 0; b < width; ++b, word += together() * wide())
      out |= static_cast<std::uint32_t>(*word >> (at.bit % 64) & 1) << b;
    return out;
  }
  void set(Words& bits, Index width, const Place& at, std::uint64_t value) const {
    if (width == 0) return;
    Word* word = bits.data() + digits(width, at);
    const Word mask = at.mask();
    for (Index b = 0; b < width; ++b, word += together() * wide())
      *word = (value >> b & 1) != 0 ? *word | mask : *word & ~mask;
  }
};

}  // namespace weft::sim
