// SPDX-License-Identifier: Apache-2.0
// Limits of hosts, measured on their model as one would on the machine (Gulati 2001, section 5.3):
// how often a flow can send a packet, and how much can go out of a host while something comes in.
#pragma once
#include <optional>
#include <vector>

#include "comm/qos/limits.hpp"
#include "lab/cluster/machine.hpp"

namespace weft {

/// Of a flow with messages of 64 KiB, alone on its hosts.
struct Peak {
  Bandwidth bandwidth{};  ///< B_max: not held back
  Duration per_packet{};  ///< T: the longest interval that does not hold it back, in whole ticks
};
Peak measure_peak(const Machine& machine);

/// The most that goes out of a host while packets come in at an interval (0: none) and lose nothing
/// by it.
comm::qos::CurvePoint measure_trade(const Machine& machine, Duration interval, const Peak& peak);

/// How much of their bandwidth three flows out of one host keep: turning from one to another costs.
Bandwidth measure_shared(const Machine& machine);

/// All of it, for the managers. What they hand out of a host in all is `capacity`; without one it
/// is what three flows reach, less a margin of three in a hundred, so that promises can be kept.
/// The trade-off is scaled down alike. Throws Error for a NIC without rate control.
comm::qos::Limits measure_limits(const Machine& machine, std::optional<Bandwidth> capacity = {});

}  // namespace weft
