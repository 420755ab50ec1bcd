// SPDX-License-Identifier: Apache-2.0
// A simulation that is ready to run: its request with the network that it shares with others.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/cluster/network.hpp"
#include "lab/simulate/result.hpp"
#include "sim/faults.hpp"
#include "sim/workload/packet_trace.hpp"
#include "sim/workload/trace.hpp"
#include "sim/workload/traffic_matrix.hpp"

namespace weft {

struct SimulationExperiment {
  SimulationRequest request{};
  std::shared_ptr<Networks> networks{};  ///< that hold its fabric and tables
  sim::Faults faults{};
  std::shared_ptr<const sim::Trace> trace{};  ///< where it replays one that was read already
  /// The same of a traffic matrix.
  std::shared_ptr<const sim::TrafficMatrix> matrix{};
  SharedNetwork kept{};  ///< where many simulations share it

  NetworkSpec network_spec() const {
    return {request.spec.fabric, request.spec.tables, {}, request.spec.without};
  }
  SharedNetwork network() const { return kept ? kept : (*networks)(network_spec()); }
};

/// Finds or makes fabric and tables, and the faults in them. Throws Error.
SimulationExperiment resolve(SimulationRequest request, std::shared_ptr<Networks> networks);

/// The same for many, each of which is ready to run: what they share is read, routed and checked
/// once. Throws Error when something in one of them is wrong. Nothing is simulated.
std::vector<SimulationExperiment> resolve_all(const std::vector<SimulationRequest>& requests,
                                              const SetUpProgress& progress = {});

/// What about the network no machine has, or would waste (lab/cluster/physics.hpp).
std::vector<std::string> warnings_about(const SimulationExperiment& experiment);

struct SimulationOptions {
  bool check = false;         ///< account for flits, credits and order
  bool links = false;         ///< fill SimulationResult::links
  bool profile = false;       ///< fill SimulationResult::profile
  bool latencies = false;     ///< fill SimulationResult::latencies
  std::uint64_t threads = 1;  ///< that move the network; 0: as many as gain
  sim::ThreadUse thread_use = sim::ThreadUse::where_faster;
  sim::PacketTrace trace{};  ///< what it calls learns of every measured packet
  /// Called now and then with the share that is done (0 to 1; none in the set-up, and where
  /// packets under way or the traffic decide when it ends) and the phase.
  std::function<void(std::optional<double>, const std::string&)> progress{};
};

/// Throws Error where network, switches and traffic do not fit together.
SimulationResult simulate(const SimulationExperiment& experiment,
                          const SimulationOptions& options = {});
/// The same for a spec as the user writes it.
SimulationResult simulate(const SimulationSpec& spec, const SimulationOptions& options = {});

}  // namespace weft
