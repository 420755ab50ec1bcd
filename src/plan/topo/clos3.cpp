// SPDX-License-Identifier: Apache-2.0
// Three-level folded Clos network of switches with r ports each, the fat tree of data centres
// (Al-Fares, Loukissas, Vahdat, 2008): r^3/4 hosts, r pods of r/2 leaves and r/2 switches above
// them, r^2/4 switches at the top. It is an XGFT of height 3; ports and coordinates as there.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric clos3(const Params& params) {
  const auto radix = params.whole<int>("radix");
  if (radix % 2 != 0) params.reject("radix", "an even number is needed: half of the ports go up");
  const int half = radix / 2;
  return from_xgft(params, {{half, half, radix}, {1, half, half}, {1, 1, 1}});
}

}  // namespace weft::topo
