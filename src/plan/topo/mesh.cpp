// SPDX-License-Identifier: Apache-2.0
// Mesh: a grid of any number of dimensions, without wraparound links.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric mesh(const Params& params) { return from_grid(params, {params.dims("dims"), false}); }

}  // namespace weft::topo
