// SPDX-License-Identifier: Apache-2.0
// routes_end: whether a table of next ports, with lanes that all switches have, leads every packet
// to its host, so that nothing is lost unless something fails. False, too, where that is not known:
// of other tables, and of those that would take longer to look through than it is worth.
#pragma once
#include "sim/flit/routing.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

bool routes_end(const Units& units, const Routing& routing);

}  // namespace weft::sim
