// SPDX-License-Identifier: Apache-2.0
// What a trace amounts to: calls, messages, collectives and computing.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "trace/trace.hpp"

namespace weft::trace {

/// Collective calls of one kind and size.
struct CollectiveUse {
  CallKind kind{};
  std::uint64_t bytes = 0;    ///< of a call; 0 where each member has its own
  std::uint64_t count = 0;    ///< a call of all members counts once
  std::uint64_t payload = 0;  ///< bytes that all members hand in or get, in all calls
};

struct TraceSummary {
  int ranks = 0;
  bool is_graph = false;
  std::uint64_t calls = 0;                                ///< of all ranks
  std::array<std::uint64_t, call_kinds> calls_by_kind{};  ///< the same, by CallKind
  std::uint64_t messages = 0, bytes = 0;                  ///< point to point
  std::uint64_t self_messages = 0;                        ///< of a rank to itself
  std::uint64_t channels = 0;  ///< different source, destination, tag and communicator
  std::uint64_t pairs = 0;     ///< different source and destination
  /// Messages by size: up to and including these bytes, a power of two or 0, from the one before.
  std::map<std::uint64_t, std::uint64_t> sizes{};
  std::vector<CollectiveUse> collectives{};  ///< in order of kinds and sizes
  std::uint64_t collective_calls = 0, collective_payload = 0;
  Duration least_compute{}, mean_compute{}, most_compute{};  ///< of a rank
  std::uint64_t communicators = 0;                           ///< besides the world
};

/// Throws Error where a call has more bytes, or a rank computes for longer, than weft counts.
TraceSummary summary_of(const Trace& trace);

/// Whether the program times a section of its own.
bool times_a_section(const Trace& trace);
/// Seconds that a rank computes on average, in the section that it times where there is one.
double timed_compute(const Trace& trace);

}  // namespace weft::trace
