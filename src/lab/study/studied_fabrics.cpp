// SPDX-License-Identifier: Apache-2.0
// Makes the fabrics of a study and tries its engines.
#include "lab/study/studied_fabrics.hpp"

#include "fabric/names.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/memory.hpp"
#include "plan/topo/topology.hpp"

namespace weft {

std::vector<Fabric> studied_fabrics(const Cluster& cluster) {
  std::vector<Fabric> out;
  for (const std::string& topology : cluster.topologies) {
    Fabric whole = find_fabric(topology, cluster.links);
    out.push_back(cluster.without.empty() ? std::move(whole)
                                          : without(whole, cluster.without).fabric);
    require_memory(out.back());
  }
  return out;
}

void try_engine(const std::string& engine, const std::vector<Fabric>& fabrics) {
  static const Fabric small = make_fabric("mesh:dims=2x2");
  try {
    route(small, engine);
  } catch (const Error&) {
    // The value may be the name of a switch that only some of the fabrics have.
    for (const auto& [key, value] : Spec::parse(engine).values)
      for (const Fabric& fabric : fabrics)
        if (find_switch_called(fabric, value)) return;
    throw;
  }
}

Routed route_or_refuse(const Fabric& fabric, const std::string& engine) {
  if (fabric.host_count() == 0)
    return Refused{"the fabric has no hosts; file:path=FILE,hosts=4 adds 4 to every switch"};
  try {
    return route(fabric, engine);
  } catch (const Error& error) {
    return Refused{error.what()};
  }
}

}  // namespace weft
