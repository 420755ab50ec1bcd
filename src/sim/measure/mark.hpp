// SPDX-License-Identifier: Apache-2.0
// Marks: the state of a run at one time. Three of them show whether it drifts.
#pragma once
#include <cstdint>

#include "sim/measure/meter.hpp"

namespace weft::sim {

struct Mark {
  Cycle at = 0;
  Meter::PacketCounts counts{};
  std::uint64_t waiting = 0;  ///< packets that no NIC has begun to send
  /// The variance of what hosts send, as against a Bernoulli process.
  std::uint64_t dispersion = 1;
};

/// Neither the mean latency nor the number of packets inside differs by more than 2 % between the
/// intervals a to b and b to c, enough packets were seen, and c is many latencies from the
/// beginning.
bool settled(const Mark& a, const Mark& b, const Mark& c);

/// The queues of the NICs absorb 5 % or more of what is sent in both intervals (from 4096 cycles
/// on; from 16384 on, 2 %), in the second no less than in the first: a transient would slow down.
bool clearly_growing(const Mark& a, const Mark& b, const Mark& c);

/// The same from 1 % on, or with a latency that rises by a fifth, when it is not by chance.
bool growing(const Mark& a, const Mark& b, const Mark& c);

/// So much or more of what is sent stays inside in both intervals, and not by chance: large buffers
/// fill before the queues of the NICs grow.
bool filling(const Mark& a, const Mark& b, const Mark& c, unsigned per_cent);

}  // namespace weft::sim
