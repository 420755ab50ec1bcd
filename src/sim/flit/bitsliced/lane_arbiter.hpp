// SPDX-License-Identifier: Apache-2.0
// LaneArbiter: grants the lanes of one out-port, as iSLIP with one iteration does (McKeown, 1999).
// Every lane is granted to one of the packets that may have it, round-robin.
#pragma once
#include <array>
#include <cstdint>

#include "sim/flit/packets.hpp"
#include "sim/flit/round_robin.hpp"

namespace weft::sim {

struct LaneArbiter {
  std::array<std::uint64_t, 64> offered{};  ///< by in-lane of the switch: lanes it may have
  std::array<std::uint64_t, 64> granted{};

  /// Grants the lanes to the in-lanes of `requests`; `turn(v)` is the turn of lane v among them.
  template <class Turn>
  void share(std::uint64_t requests, Turn turn) {
    std::uint64_t lanes = 0;
    for (std::uint64_t bits = requests; bits != 0; bits &= bits - 1) {
      lanes |= offered[lowest(bits)];
      granted[lowest(bits)] = 0;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      const Index v = lowest(lanes);
      std::uint64_t able = requests;
      for (std::uint64_t bits = requests; bits != 0; bits &= bits - 1)
        if ((offered[lowest(bits)] >> v & 1) == 0) able &= ~(bits & (~bits + 1));
      granted[first_from(able, turn(v))] |= std::uint64_t{1} << v;
    }
  }
  /// The same where every one of them may have all of `lanes`.
  template <class Turn>
  void share_all(std::uint64_t requests, std::uint64_t lanes, Turn turn) {
    for (std::uint64_t bits = requests; bits != 0; bits &= bits - 1) granted[lowest(bits)] = 0;
    for (; lanes != 0; lanes &= lanes - 1)
      granted[first_from(requests, turn(lowest(lanes)))] |= lanes & (~lanes + 1);
  }
};

}  // namespace weft::sim
