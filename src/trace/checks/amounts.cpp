// SPDX-License-Identifier: Apache-2.0
// Adds up what a rank computes, and looks at the largest buffer of each of its calls.
#include "trace/checks/amounts.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::trace {
namespace {

constexpr std::uint64_t too_large = largest_buffer + 1;

/// Larger sums are too_large.
std::uint64_t sum(const std::vector<std::uint64_t>& sizes) {
  std::uint64_t out = 0;
  for (const std::uint64_t size : sizes) out = std::min(out + std::min(size, too_large), too_large);
  return out;
}

std::uint64_t largest_of(const Call& call, std::size_t members) {
  switch (call.kind) {
    case CallKind::gather:
    case CallKind::scatter:
    case CallKind::allgather:
    case CallKind::alltoall:
    case CallKind::reduce_scatter_block:
      return call.bytes > largest_buffer / members ? too_large : call.bytes * members;
    default:
      return std::max({call.bytes, call.capacity, sum(call.sizes), sum(call.receive_sizes)});
  }
}

}  // namespace

void RankAmounts::add(const Call& call, std::size_t members) {
  if (largest_of(call, members) > largest_buffer)
    throw Error("{}: it has a buffer of more than {} bytes, which is the most",
                trace_.place_of(rank_, call), largest_buffer);
  if (call.kind != CallKind::compute) return;
  if (call.time > Duration::max() - computed_)
    throw Error("{}: rank {} computes for more than 106 days, which is the most",
                trace_.place_of(rank_, call), rank_);
  computed_ += call.time;
}

}  // namespace weft::trace
