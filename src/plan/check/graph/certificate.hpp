// SPDX-License-Identifier: Apache-2.0
// A certificate of deadlock freedom: a number for every (channel, lane) in use such that each
// dependency leads to a larger one, or where packets wait for any of several, some does. Small,
// storable, and checked without any search.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// Which switches a certificate holds for: what a waiting packet waits for, and holds.
enum class Proof {
  every_choice,       ///< all: numbers increase by whatever is chosen
  some_choice,        ///< those where packets take any choice that is free, and hold one buffer
  some_choice_worms,  ///< the same, and packets hold all lanes that their flits are in
};

struct Certificate {
  static constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  int lanes = 1;
  /// By channel * lanes + lane; the links to hosts follow where circuits take them (rooted.hpp).
  std::vector<std::uint32_t> number;
  Proof proof = Proof::every_choice;

  std::uint32_t at(ChannelId c, Lane lane) const {
    const std::size_t place = c.index() * static_cast<std::size_t>(lanes) + lane;
    return place < number.size() ? number[place] : unused;
  }
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

void write_certificate(std::ostream& out, const Fabric& fabric, const Certificate& certificate);

}  // namespace weft
