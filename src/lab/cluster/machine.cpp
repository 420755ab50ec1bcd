// SPDX-License-Identifier: Apache-2.0
// Machines from specs and cluster files.
#include "lab/cluster/machine.hpp"

#include "base/error.hpp"
#include "lab/cluster/waiting.hpp"
#include "sim/nics/nic.hpp"

namespace weft {
namespace {

void fill_part(std::string& part, const std::string& cluster, const std::string& fallback) {
  if (part.empty()) part = cluster.empty() ? fallback : cluster;
}

/// Whether its switches and NICs are those of a paper, but for single parameters.
bool is_of_a_paper(const FilledMachine& machine) {
  const auto same_kind = [](const std::string& a, const std::string& b) {
    return a.substr(0, a.find(':')) == b.substr(0, b.find(':'));
  };
  return !machine.cluster.paper.empty() &&
         same_kind(machine.spec.switches, machine.cluster.model) &&
         same_kind(machine.spec.nic, machine.cluster.nic);
}

}  // namespace

FilledMachine fill(MachineSpec spec) {
  Cluster cluster;
  if (!spec.cluster.empty()) {
    cluster = find_cluster(spec.cluster);
  } else if (spec.topology.empty() || spec.engine.empty()) {
    throw Error(
        "a program runs on a cluster (--cluster), or on a topology (--topology) with an engine "
        "(--engine); give the one or the two");
  }
  if (spec.topology.empty()) spec.topology = cluster.topologies.front();
  if (spec.engine.empty()) spec.engine = cluster.engines.front();
  spec.engine = with_most_lanes(spec.engine, cluster.lanes);
  spec.switches =
      spec.switches.empty() ? cluster.model : with_lane_limit(spec.switches, cluster.lanes);
  fill_part(spec.nic, cluster.nic, "hca");
  fill_part(spec.library, cluster.library, "none");
  return {std::move(spec), std::move(cluster)};
}

MachineRequest request_of(const FilledMachine& filled) {
  const MachineSpec& spec = filled.spec;
  return {{spec.topology, spec.engine, filled.cluster.links},
          sim::model_from(spec.switches),
          sim::nic_from(spec.nic),
          comm::library_from(spec.library),
          is_of_a_paper(filled)};
}

Machine resolve(const MachineRequest& request, Networks& networks) {
  const SharedNetwork network = networks(request.network);
  return {network, settled(request.switches, *network), request.nic, request.library,
          request.of_a_paper};
}

Machine make_machine(const MachineSpec& spec) {
  Networks networks;
  return resolve(request_of(fill(spec)), networks);
}

}  // namespace weft
