// SPDX-License-Identifier: Apache-2.0
// Limits of hosts, measured on their model as one would on the machine (Gulati 2001, section 5.3):
// how often a flow can send a packet, and how much can go out of a host while something comes in.
#pragma once
#include <optional>
#include <vector>

#include "comm/qos/limits.hpp"
#include "lab/cluster/machine.hpp"

namespace weft {

/// The peak of a flow with messages of 64 KiB, alone on its hosts.
struct Peak {
  Bandwidth bandwidth{};  ///< B_max: without a rate limit
  Duration per_packet{};  ///< T: the longest interval that does not slow it, in whole ticks
};
Peak measure_peak(const Machine& machine);

/// The most that a host can send while packets arrive at an interval (0: none) and are not slowed
/// by it.
comm::qos::CurvePoint measure_trade(const Machine& machine, Duration interval, const Peak& peak);

/// The bandwidth of three flows out of one host together: switching between flows costs time.
Bandwidth measure_shared(const Machine& machine);

/// Intervals at which the managers know the trade-off: from rare packets to nearly as many as one
/// flow sends alone.
std::vector<Duration> trade_intervals(const Machine& machine, const Peak& peak);

/// Limits from the trade-off at these intervals, scaled so that a host has `capacity` in all.
comm::qos::Limits limits_from(const Peak& peak, const std::vector<comm::qos::CurvePoint>& trade,
                              Bandwidth capacity);

/// All limits, for the managers. They grant `capacity` of a host in all; without one, what three
/// flows reach less a margin of 3 %, so that promises can be kept. The trade-off is scaled by the
/// same factor. Throws Error for a NIC without rate control.
comm::qos::Limits measure_limits(const Machine& machine, std::optional<Bandwidth> capacity = {});

}  // namespace weft
