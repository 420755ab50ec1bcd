// SPDX-License-Identifier: Apache-2.0
// Ring: a torus of one dimension. Port 1 leads to the next switch, port 2 to the one before.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric ring(const Params& params) {
  return from_grid(params, {{params.whole<int>("switches")}, true});
}

}  // namespace weft::topo
