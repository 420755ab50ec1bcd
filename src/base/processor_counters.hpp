// SPDX-License-Identifier: Apache-2.0
// ProcessorCounters: what the processor counts while this thread works, where the system lets
// programs read it (Linux perf events).
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace weft {

struct ProcessorCounts {
  std::uint64_t instructions = 0, clocks = 0, cache_misses = 0, branch_misses = 0;
};

class ProcessorCounters {
 public:
  /// Begins to count.
  ProcessorCounters();
  ~ProcessorCounters();
  ProcessorCounters(const ProcessorCounters&) = delete;
  /// Counts so far; nullopt where there are no counters.
  std::optional<ProcessorCounts> read() const;

 private:
  std::array<int, 4> files_{-1, -1, -1, -1};
};

/// Processor time of this thread: what others do on the machine does not count.
double processor_seconds();

}  // namespace weft
