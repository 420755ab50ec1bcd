// SPDX-License-Identifier: Apache-2.0
// Makes the fabrics of a study and tries its engines.
#include "lab/study/studied_fabrics.hpp"

#include "fabric/names.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/memory.hpp"
#include "plan/repair/repair.hpp"
#include "plan/topo/topology.hpp"

namespace weft {
namespace {

/// Throws Error for an engine that does not exist or does not take these parameters.
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

/// The tables of a file on a fabric of the cluster; where it is to do without something, they are
/// of its whole topology.
Tables tables_on(const std::string& path, const Fabric& fabric, const std::string& topology,
                 const Cluster& cluster, BrokenRoutes broken) {
  if (cluster.without.empty()) return tables_in(path, fabric);
  const Fabric whole = find_fabric(topology, cluster.links);
  const Removal removal = removal_from(whole, cluster.without);
  Tables tables = tables_in(path, whole);
  if (broken == BrokenRoutes::move) tables = repaired(whole, std::move(tables), removal);
  return tables_without(tables, whole, without(whole, removal));
}

/// Throws Error when the tables fit none of the fabrics.
std::vector<Routed> tables_of_file(const std::string& path, const Cluster& cluster,
                                   const std::vector<Fabric>& fabrics, BrokenRoutes broken) {
  std::vector<Routed> out;
  std::optional<Error> first;
  bool fits = false;
  for (std::size_t i = 0; i < fabrics.size(); ++i) try {
      out.emplace_back(tables_on(path, fabrics[i], cluster.topologies[i], cluster, broken));
      fits = true;
    } catch (const Error& error) {
      out.emplace_back(Refused{error.what()});
      if (!first) first = error;
    }
  if (!fits && first) throw Error(*first);
  return out;
}

}  // namespace

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

std::vector<Contender> contenders(const Cluster& cluster, const std::vector<Fabric>& fabrics,
                                  BrokenRoutes broken) {
  std::vector<Contender> out;
  for (const std::string& engine : cluster.engines) {
    require_engine(engine);
    out.push_back({engine});
    if (holds_tables(engine))
      out.back().from_file = tables_of_file(engine, cluster, fabrics, broken);
    else
      try_engine(engine, fabrics);
  }
  return out;
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
