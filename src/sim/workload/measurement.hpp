// SPDX-License-Identifier: Apache-2.0
// A measurement: a workload is run until nothing drifts any more, then the packets created in the
// measured time are the sample, and the run goes on until they have come through (when the network
// is saturated before: those delivered in the measured time). It ends in any case, and decides in
// whole numbers, so that every machine decides alike.
#pragma once
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/workload/workload.hpp"

namespace weft::sim {

enum class Conclusion {
  steady,
  saturated,   ///< queues at the NICs grow without end
  complete,    ///< the workload has come to its end
  deadlocked,  ///< see Network::explanation
};

struct MeasurementPlan {
  std::optional<Cycle> warmup{};  ///< none: until latency and population no longer drift
  std::optional<Cycle> cycles{};  ///< none: until the mean latency is known to 1 %
  /// Called now and then: how far of what is planned so far (0 to 1), and in what.
  std::function<void(double, std::string_view)> progress{};
};

/// The sample itself stays in the meter.
struct Measured {
  Conclusion conclusion = Conclusion::steady;
  Cycle warmup = 0;
  Cycle cycles = 0;  ///< measured
  /// Of each source, delivered in that time: whole packets, but no more than its link carried.
  IdVector<HostId, std::uint64_t> flits_of{};
  std::vector<LaneUse> use{};                         ///< in that time
  std::uint64_t flits_sent = 0, flits_delivered = 0;  ///< in that time
};

/// The workload is not started yet, and keeps `meter`.
Measured measure(Network& network, Workload& workload, Meter& meter, const MeasurementPlan& plan);

}  // namespace weft::sim
