// SPDX-License-Identifier: Apache-2.0
// Complete graph: every two switches are joined. It is the HyperX of one dimension.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric complete(const Params& params) {
  const auto switches = params.whole<int>("switches");
  return from_hyperx(params, {{switches}, {1}});
}

}  // namespace weft::topo
