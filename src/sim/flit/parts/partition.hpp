// SPDX-License-Identifier: Apache-2.0
// Partition: which blocks of switches a thread moves.
#pragma once
#include <vector>

#include "sim/flit/units.hpp"

namespace weft::sim {

/// The part of every block: parts have about the same number of ports, and few links between them;
/// so many blocks stay together.
std::vector<Index> partition(const Units& units, Index parts, Index together);

}  // namespace weft::sim
