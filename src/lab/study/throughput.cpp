// SPDX-License-Identifier: Apache-2.0
// Simulations at full load.
#include "lab/study/throughput.hpp"

#include "lab/simulate/experiment.hpp"
#include "sim/timing.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft {
namespace {

/// Full load on these switches, of any pattern. `round_trip`: of the longest link, in cycles.
SimulationSpec full_load(const std::string& switches, std::uint64_t seed,
                         std::uint64_t round_trip) {
  SimulationSpec spec;
  spec.fabric = spec.tables = "studied";  // they are there already
  spec.switches = switches;
  spec.load = "1";
  spec.packet = "8";
  // Queues fill, and tell the switches before them, in some round trips.
  const std::uint64_t cycles = 2000 + 20 * round_trip;
  spec.warmup = spec.cycles = fmt::format("{}", cycles);
  spec.seed = fmt::format("{}", seed);
  return spec;
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

void require_throughput(const ThroughputPlan& plan, const std::string& switches) {
  SimulationSpec spec = full_load(switches, plan.seed, 0);
  for (const std::string& traffic : plan.traffic) {
    spec.traffic = traffic;
    const SimulationRequest request = request_of(spec);
    if (!request.uses_load() || request.has_matrix())
      throw Error(
          "{}: hosts do not offer a load; a traffic pattern is needed, see weft list traffic",
          traffic);
  }
}

std::vector<std::optional<Throughput>> throughputs(const SharedNetwork& network,
                                                   const ThroughputPlan& plan,
                                                   const std::string& switches) {
  std::vector<std::optional<Throughput>> out;
  const sim::SwitchModel model = sim::model_from(switches);
  if (network->tables().lane_count > model.lane_limit()) {
    out.resize(plan.traffic.size());
    return out;
  }
  const sim::Timing timing(network->fabric(), model);
  SimulationSpec spec = full_load(switches, plan.seed, timing.longest_loop());
  for (const std::string& traffic : plan.traffic) {
    spec.traffic = traffic;
    SimulationExperiment experiment;
    experiment.request = request_of(spec);
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
