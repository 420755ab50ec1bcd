// SPDX-License-Identifier: Apache-2.0
// A certificate of deadlock freedom: a number for every (channel, lane) in use such that each
// dependency leads to a larger one. Small, storable, and checked without any search.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

struct Certificate {
  static constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  int lanes = 1;
  /// By channel * lanes + lane; the links to hosts follow where circuits take them (rooted.hpp).
  std::vector<std::uint32_t> number;

  std::uint32_t at(ChannelId c, Lane lane) const {
    const std::size_t place = c.index() * static_cast<std::size_t>(lanes) + lane;
    return place < number.size() ? number[place] : unused;
  }
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

void write_certificate(std::ostream& out, const Fabric& fabric, const Certificate& certificate);

}  // namespace weft
