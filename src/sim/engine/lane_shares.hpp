// SPDX-License-Identifier: Apache-2.0
// Lane allocation at one out-port: iSLIP with one iteration (McKeown, 1999). Every lane is granted
// to one of the packets that may have it, every packet accepts one of its lanes, both by round
// robin.
#pragma once
#include <array>
#include <cstdint>

#include "sim/engine/lanes.hpp"
#include "sim/engine/round_robin.hpp"

namespace weft::sim {

struct LaneShares {
  std::array<std::uint64_t, 64> offered{};  ///< by in-lane of the switch: lanes it may have
  std::array<std::uint64_t, 64> granted{};

  /// Grants the lanes to the in-lanes of `asking`; `turn(v)` is the turn of lane v among them.
  template <class Turn>
  void share(std::uint64_t asking, Turn turn) {
    std::uint64_t lanes = 0;
    for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1) {
      lanes |= offered[lowest(bits)];
      granted[lowest(bits)] = 0;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      const Index v = lowest(lanes);
      std::uint64_t able = asking;
      for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1)
        if ((offered[lowest(bits)] >> v & 1) == 0) able &= ~(bits & (~bits + 1));
      granted[first_from(able, turn(v))] |= std::uint64_t{1} << v;
    }
  }
  /// The same where every one of them may have all of `lanes`.
  template <class Turn>
  void share_all(std::uint64_t asking, std::uint64_t lanes, Turn turn) {
    for (std::uint64_t bits = asking; bits != 0; bits &= bits - 1) granted[lowest(bits)] = 0;
    for (; lanes != 0; lanes &= lanes - 1)
      granted[first_from(asking, turn(lowest(lanes)))] |= lanes & (~lanes + 1);
  }
};

/// The first of the lanes of an out-port, whose first one is `base`, from the packet's turn on.
/// The turn moves behind it.
inline Index accept_lane(std::uint64_t lanes, Index base, Index count, Index& turn) {
  const bool within = turn >= base && turn < base + count;
  const Index v = first_from(lanes, within ? turn - base : 0);
  turn = base + v + 1;
  return v;
}

}  // namespace weft::sim
