// SPDX-License-Identifier: Apache-2.0
// Two-level folded Clos network (Clos, 1953), or leaf and spine: every leaf is joined to every
// spine by `links` links. It is an XGFT of height 2; ports and coordinates as there.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric clos2(const Params& params) {
  const auto number = [&](std::string_view name) { return params.whole<int>(name); };
  return from_xgft(
      params, {{number("hosts"), number("leaves")}, {1, number("spines")}, {1, number("links")}});
}

}  // namespace weft::topo
