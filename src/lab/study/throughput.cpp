// SPDX-License-Identifier: Apache-2.0
// Simulations at full load.
#include "lab/study/throughput.hpp"

#include "lab/simulate/experiment.hpp"
#include "sim/timing.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft {
namespace {

/// `round_trip`: of the longest link, in cycles.
SimulationRequest request_for(const ThroughputPlan& plan, const std::string& traffic,
                              std::uint64_t round_trip) {
  SimulationSpec spec;
  spec.fabric = spec.tables = "studied";  // they are there already
  spec.traffic = traffic;
  spec.switches = plan.switches;
  spec.load = "1";
  spec.packet = "8";
  // Queues fill, and tell the switches before them, in some round trips.
  const std::uint64_t cycles = 2000 + 20 * round_trip;
  spec.warmup = spec.cycles = fmt::format("{}", cycles);
  spec.seed = fmt::format("{}", plan.seed);
  return request_of(spec);
}

/// Whether the hosts of a fabric can send in a pattern.
bool fits(const Fabric& fabric, const Spec& traffic) {
  try {
    sim::make_pattern(fabric, traffic);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void require_throughput(const ThroughputPlan& plan) {
  for (const std::string& traffic : plan.traffic) {
    const SimulationRequest request = request_for(plan, traffic, 0);
    if (!request.uses_load() || request.has_matrix())
      throw Error(
          "{}: hosts do not offer a load; a traffic pattern is needed, see weft list traffic",
          traffic);
  }
}

std::vector<std::optional<Throughput>> throughputs(const SharedNetwork& network,
                                                   const ThroughputPlan& plan) {
  std::vector<std::optional<Throughput>> out;
  const sim::SwitchModel switches = sim::model_from(plan.switches);
  const int lanes = switches.lanes == 0 ? switches.most_lanes : switches.lanes;
  if (network->tables().lane_count > lanes) {
    out.resize(plan.traffic.size());
    return out;
  }
  const sim::Timing timing(network->fabric(), switches);
  for (const std::string& traffic : plan.traffic) {
    SimulationExperiment experiment;
    experiment.request = request_for(plan, traffic, timing.longest_loop());
    experiment.kept = network;
    if (!fits(network->fabric(), experiment.request.traffic)) {
      out.emplace_back();
      continue;
    }
    const SimulationResult result = simulate(experiment);
    out.push_back(Throughput{result.accepted, result.outcome == SimulationOutcome::deadlocked});
  }
  return out;
}

}  // namespace weft
