// SPDX-License-Identifier: Apache-2.0
// Limits: what a host and its NIC can carry, as measured once, and how a bandwidth becomes the
// interval between packets (Gulati 2001, sections 3.3.1 and 5.3). Whole numbers only, so that every
// compiler comes to the same decisions.
#pragma once
#include <string>
#include <vector>

#include "base/units.hpp"
#include "comm/capabilities.hpp"

namespace weft::comm::qos {

inline constexpr Duration stopped = RateControl::stopped;

/// A point of the curve: the most that may go out of a host while `incoming` comes in (figure 5.4).
struct CurvePoint {
  Bandwidth incoming, outgoing;
};

/// The same for all hosts.
struct Limits {
  Duration per_packet{};  ///< T: of a flow that is not held back
  Bandwidth peak{};       ///< B_max: what such a flow achieves
  /// Falling, from (0, the host's capacity) to (the most it receives, 0), straight lines between.
  std::vector<CurvePoint> curve{};
};

/// Throws Error for limits that no host has.
void check(const Limits& limits);

/// What comes into a host and goes out of it.
struct HostLoad {
  Bandwidth incoming{}, outgoing{};
};
/// Whether a host can carry a load: it is on the curve or below. Then it can carry any smaller
/// load, too.
bool admits(const Limits& limits, const HostLoad& load);
/// The most that may go out while `incoming` comes in, and vice versa; rounded down.
Bandwidth most_outgoing(const Limits& limits, Bandwidth incoming);
Bandwidth most_incoming(const Limits& limits, Bandwidth outgoing);

/// T * B_max / rate, rounded up to a picosecond: a flow never takes what belongs to others, and
/// lacks less than one part in a million of what it was promised where T is a microsecond or more.
/// T from B_max on; `stopped` for rates under a packet a second.
Duration interval_of(const Limits& limits, Bandwidth rate);
/// The least bandwidth that is more than stopped.
Bandwidth least(const Limits& limits);

/// "85.33MB/s": human-readable, in bytes; three decimals at most.
std::string in_bytes(Bandwidth rate);

}  // namespace weft::comm::qos
