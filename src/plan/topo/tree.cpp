// SPDX-License-Identifier: Apache-2.0
// k-ary n-tree (Petrini, Vanneschi, 1997): n levels of k^(n-1) switches, k^n hosts. It is the XGFT
// with k children and k parents everywhere; ports and coordinates as there.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric tree(const Params& params) {
  const auto k = params.whole<int>("k");
  const std::size_t n = params.whole<std::size_t>("n");
  XgftShape shape{std::vector<int>(n, k), std::vector<int>(n, k), std::vector<int>(n, 1)};
  shape.parents.front() = 1;
  return from_xgft(params, shape);
}

}  // namespace weft::topo
