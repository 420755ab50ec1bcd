// SPDX-License-Identifier: Apache-2.0
// WordLayout: where the bits of a switch are in the words of the bit-sliced path (bitsliced.hpp).
// Switches come in blocks of one, two or four words. The lanes of a switch are numbered without
// gaps, port * lanes + lane, in as well as out; those of the units (layout.hpp) have gaps.
#pragma once
#include <cstdint>

#include "sim/flit/packets.hpp"
#include "sim/flit/shared_array.hpp"

namespace weft::sim {

using Word = std::uint64_t;
using Words = SharedArray<Word>;
inline constexpr std::size_t words_of_line = 64 / sizeof(Word);  ///< of the cache

/// An in-lane or out-lane of a switch, which is bit `bit` of the block.
struct LanePlace {
  Index block, lane, bit;
  Word mask() const { return Word{1} << (bit % 64); }
};

struct SliceSizes {
  Index ports = 0, lanes = 0;  ///< of a switch, of a port
  Index wide = 1;              ///< words of a block
  Index together = 1;          ///< lanes of a port that are handled at once
};

/// Code is faster when the numbers are known at compile time; 0: as they are in `any`.
template <Index fixed_ports = 0, Index fixed_lanes = 0, Index fixed_wide = 0>
struct WordLayout {
  SliceSizes any;

  Index ports() const { return fixed_ports == 0 ? any.ports : fixed_ports; }
  Index lanes() const { return fixed_lanes == 0 ? any.lanes : fixed_lanes; }
  Index wide() const { return fixed_wide == 0 ? any.wide : fixed_wide; }
  /// Two where blocks have one word: vectors have two or more.
  static constexpr Index fixed_together =
      fixed_wide == 1 && fixed_lanes > 0 && fixed_lanes % 2 == 0 ? 2 : 1;
  Index together() const { return fixed_wide == 0 ? any.together : fixed_together; }
  Index switch_lanes() const { return ports() * lanes(); }

  LanePlace place(Index home, Index lane) const {
    return {home / (64 * wide()), lane, home % (64 * wide())};
  }
  /// The switch.
  Index home(const LanePlace& at) const { return at.block * 64 * wide() + at.bit; }

  // Words by lane; by port; by out-port and in-lane.
  std::size_t word(const LanePlace& at) const {
    return (std::size_t{at.block} * switch_lanes() + at.lane) * wide() + at.bit / 64;
  }
  std::size_t port(const LanePlace& at, Index port) const {
    return (std::size_t{at.block} * ports() + port) * wide() + at.bit / 64;
  }
  std::size_t pair(const LanePlace& at, Index out_port) const {
    return ((std::size_t{at.block} * ports() + out_port) * switch_lanes() + at.lane) * wide() +
           at.bit / 64;
  }

  /// The number of a lane's queue; those of a port's lanes are side by side.
  std::size_t queue(const LanePlace& at) const {
    return (port({at.block, 0, 0}, at.lane / lanes()) * 64 + at.bit) * lanes() + at.lane % lanes();
  }
  LanePlace place_of_queue(Index queue) const {
    const Index lane = queue % lanes(), bit = queue / lanes(), port = bit / (64 * wide());
    return {port / ports(), port % ports() * lanes() + lane, bit % (64 * wide())};
  }

  // Numbers by lane, a word for each of their bits; lanes that are handled at once have theirs side
  // by side.
  std::size_t digits(Index width, const LanePlace& at) const {
    const Index beside = at.lane % together();
    const std::size_t first = std::size_t{at.block} * switch_lanes() + at.lane - beside;
    return (first * width + beside) * wide() + at.bit / 64;
  }
  std::uint64_t number(const Words& bits, Index width, const LanePlace& at) const {
    if (width == 0) return 0;
    const Word* word = bits.data() + digits(width, at);
    std::uint64_t out = 0;
    for (Index b = 0; b < width; ++b, word += together() * wide())
      out |= (*word >> (at.bit % 64) & 1) << b;
    return out;
  }
  void set(Words& bits, Index width, const LanePlace& at, std::uint64_t value) const {
    if (width == 0) return;
    Word* word = bits.data() + digits(width, at);
    const Word mask = at.mask();
    for (Index b = 0; b < width; ++b, word += together() * wide())
      *word = (value >> b & 1) != 0 ? *word | mask : *word & ~mask;
  }
};

}  // namespace weft::sim
