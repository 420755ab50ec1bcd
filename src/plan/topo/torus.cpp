// SPDX-License-Identifier: Apache-2.0
// Torus (k-ary n-cube when all dimensions are equal): a grid with wraparound links.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric torus(const Params& params) { return from_grid(params, {params.dims("dims"), true}); }

}  // namespace weft::topo
