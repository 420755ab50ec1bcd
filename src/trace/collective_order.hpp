// SPDX-License-Identifier: Apache-2.0
// The order in which the collectives of a graph match those of other ranks: that of their lines (in
// Chakra, the ids of nodes), except that those that a collective depends on come before it.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace weft::trace {

/// The numbers, from 0, of the collectives of a rank on their communicators: for each collective
/// call of the rank, in the order of its calls.
std::vector<std::uint64_t> collective_numbers(const Trace& graph, Rank rank);

}  // namespace weft::trace
