// SPDX-License-Identifier: Apache-2.0
// Source routes: for every pair of switches one of its shortest allowed routes, chosen by the
// lowest ports or by the static traffic balancing of Sancho and Robles (2000).
#pragma once
#include "fabric/tables.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/route/route.hpp"

namespace weft {

/// Routes may make lanes-1 forbidden turns of the orientation; without one all turns are allowed.
/// Refused when balancing so many pairs would take too long.
Routed pair_tables(const Fabric& fabric, const Orientation* orientation, int lanes, bool balanced);

/// Tables in the form and with the choice of ports that the parameters `form`, `select` and
/// `columns` ask for.
Routed chosen_tables(const Fabric& fabric, const Orientation* orientation, int lanes,
                     const Params& params);
std::vector<Param> form_params();

}  // namespace weft
