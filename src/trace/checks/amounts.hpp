// SPDX-License-Identifier: Apache-2.0
// Whether the bytes and times of a rank are such that they can be counted.
#pragma once
#include <cstdint>

#include "trace/trace.hpp"

namespace weft::trace {

/// The most bytes that a rank hands in or gets in one call.
inline constexpr std::uint64_t largest_buffer = std::uint64_t{1} << 40;

class RankAmounts {
 public:
  RankAmounts(const Trace& trace, Rank rank) : trace_(trace), rank_(rank) {}
  /// Throws Error for a call on so many members that has a larger buffer, and where the rank
  /// computes for longer than weft counts.
  void add(const Call& call, std::size_t members);
  /// How long the rank computes.
  Duration computed() const { return computed_; }

 private:
  const Trace& trace_;
  Rank rank_;
  Duration computed_{};
};

}  // namespace weft::trace
