// SPDX-License-Identifier: Apache-2.0
// A certificate of deadlock freedom: a number for every (channel, lane) in use such that each
// dependency leads to a larger one. Small, storable, and checked without any search.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fabric/format/format.hpp"
#include "fabric/tables.hpp"

namespace weft {

struct Certificate {
  static constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  int lanes = 1;
  std::vector<std::uint32_t> number;  ///< by channel * lanes + lane

  std::uint32_t at(ChannelId c, Lane lane) const {
    return number[c.index() * static_cast<std::size_t>(lanes) + lane];
  }
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

void write_certificate(std::ostream& out, const Fabric& fabric, const Certificate& certificate);
/// Throws Error with file and line.
Certificate read_certificate(const Source& source, const Fabric& fabric);

/// Walks every route and every group, and compares the numbers of consecutive channels. Returns
/// what contradicts the certificate, or nothing. It knows no dependency graph and never searches.
std::optional<std::string> verify(const Fabric& fabric, const Tables& tables,
                                  const Certificate& certificate);

}  // namespace weft
