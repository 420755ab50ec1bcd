// SPDX-License-Identifier: Apache-2.0
// Bisection width: the fewest links whose removal separates the hosts into two equal halves.
#pragma once
#include <cstdint>

#include "fabric/fabric.hpp"

namespace weft {

struct Bisection {
  std::uint64_t links = 0;
  bool exact = false;  ///< otherwise an upper bound
};

/// Exact for fabrics of up to 26 switches or so; for larger ones the best of some local searches.
/// Hosts of one switch stay together; the halves are as equal as that allows.
Bisection bisection_width(const Fabric& fabric);

}  // namespace weft
