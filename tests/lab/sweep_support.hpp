// SPDX-License-Identifier: Apache-2.0
// A pretended simulation for tests of sweeps: quick, repeatable, with awkward values.
#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "base/params.hpp"
#include "lab/simulate/sweep.hpp"

namespace weft::testing {

inline std::string value_of(const std::string& spec, const std::string& key) {
  const Spec parsed = Spec::parse(spec);
  const auto found = parsed.values.find(key);
  return found == parsed.values.end() ? "1" : found->second;
}

/// It carries a load of 0.2 per lane; the engine "minhop" deadlocks from 0.3 on.
inline SimulationResult pretend(const SimulationExperiment& experiment) {
  const SimulationSpec& simulation = experiment.request.spec;
  const double load = std::stod(simulation.load);
  const double lanes = std::stod(value_of(simulation.switches, "lanes"));
  SimulationResult out;
  out.spec = simulation;
  out.offered = load;
  out.accepted = std::min(load, 0.2 * lanes);
  if (load > 0.2 * lanes + 1e-9) out.outcome = SimulationOutcome::saturated;
  if (simulation.traffic == "file:path=trace") out.outcome = SimulationOutcome::complete;
  out.mean = 1 / (3 * load) + std::stod(simulation.seed) * 1e-9;
  out.half_width = simulation.seed == "1" ? std::numeric_limits<double>::quiet_NaN() : 0.1;
  out.p50 = -0.0, out.p99 = 1e300, out.most = 5e-324;
  out.busiest = "s0:1 > \"s\n1\":2, h,\\é";
  out.packets = ~std::uint64_t{0};
  if (simulation.faults == "some") {
    out.lost = 3;
    out.lost_why = {{"link_down", 2}, {"no_route", 1}};
  }
  if (simulation.tables == "minhop" && load >= 0.3) {
    out.outcome = SimulationOutcome::deadlocked;
    out.explanation = "packet 1 waits for packet 2\npacket 2 waits for packet 1";
  }
  return out;
}

inline SweepSpec sweep_of(std::string load, std::string switches = "iq") {
  SweepSpec out;
  out.simulation.fabric = "ring";
  out.simulation.tables = "dor";
  out.simulation.load = std::move(load);
  out.simulation.switches = std::move(switches);
  return out;
}

/// The points of a sweep as requests without a network: none of them is simulated.
inline SweepExperiment unresolved(const SweepSpec& spec) {
  const SweepRequest request = request_of(spec);
  SweepExperiment out{spec, {}};
  for (const SimulationRequest& point : request.points) out.points.push_back({.request = point});
  return out;
}

inline SweepIdentity identity(const SweepSpec& spec) { return identity_of(request_of(spec)); }

/// Runs a sweep of pretended simulations.
inline std::vector<SweepRow> run_pretended(const SweepSpec& spec,
                                           const Simulate& simulate = pretend,
                                           const SweepOptions& options = {}) {
  return run_sweep(unresolved(spec), simulate, options);
}

inline SweepSpec saturation_of(std::string switches, std::string resolution) {
  SweepSpec out = sweep_of(SimulationSpec{}.load, std::move(switches));
  out.saturation = true;
  out.resolution = std::move(resolution);
  return out;
}

}  // namespace weft::testing
