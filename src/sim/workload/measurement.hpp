// SPDX-License-Identifier: Apache-2.0
// A measurement: runs a workload until nothing drifts any more, samples the packets created in the
// measured time, and runs on until they have arrived (when the network is saturated before, it
// samples those delivered in the measured time). A run is steady when neither the network as a
// whole (mark.hpp) nor a single source (backlog.hpp) falls behind; while that is in doubt it runs
// on. It always ends, and decides in whole numbers, so that every machine decides alike.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/workload/workload.hpp"

namespace weft::sim {

enum class Conclusion {
  steady,
  saturated,   ///< the queue of a source grows without end
  complete,    ///< the workload has ended
  deadlocked,  ///< see Network::explanation
};

struct MeasurementPlan {
  std::optional<Cycle> warmup{};  ///< none: until latency and population no longer drift
  std::optional<Cycle> cycles{};  ///< none: until the mean latency is known to 1 %
  /// Called now and then with the share that is done (0 to 1, never less than before; none where
  /// packets under way or the workload decide when it ends) and the phase.
  std::function<void(std::optional<double>, std::string_view)> progress{};
};

/// The sample itself stays in the meter.
struct Measured {
  Conclusion conclusion = Conclusion::steady;
  Cycle warmup = 0;
  Cycle cycles = 0;  ///< measured
  /// Of each source, delivered in that time: whole packets, but no more than its link carried.
  IdVector<HostId, std::uint64_t> flits_of{};
  IdVector<HostId, std::uint64_t> flits_sent_of{};  ///< of each source, sent in that time
  /// The source whose backlog grew most; none where nothing was judged: finite workloads, and those
  /// that offer no load.
  HostId worst{};
  std::vector<LaneUse> use{};                         ///< in that time
  std::uint64_t flits_sent = 0, flits_delivered = 0;  ///< in that time
  std::uint64_t kept = 0;  ///< packets that were created, and not handed to a NIC when it ended
};

/// Measures a workload that is not started yet and keeps `meter`.
Measured measure(Network& network, Workload& workload, Meter& meter, const MeasurementPlan& plan);

}  // namespace weft::sim
