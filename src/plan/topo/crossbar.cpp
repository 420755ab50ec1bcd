// SPDX-License-Identifier: Apache-2.0
// Crossbar: one switch with all the hosts.
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {

Fabric crossbar(const Params& params) { return from_graph(params, {{}, {hosts_each(params)}}); }

}  // namespace weft::topo
