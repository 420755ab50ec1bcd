// SPDX-License-Identifier: Apache-2.0
// Counters of the processor by perf_event_open.
#include "base/processor_counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <ctime>

namespace weft {

ProcessorCounters::ProcessorCounters() {
  constexpr std::array<std::uint64_t, 4> events{
      PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_MISSES,
      PERF_COUNT_HW_BRANCH_MISSES};
  for (std::size_t i = 0; i < events.size(); ++i) {
    perf_event_attr what{};
    what.size = sizeof(what);
    what.type = PERF_TYPE_HARDWARE;
    what.config = events[i];
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    files_[i] = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0UL));
  }
}

ProcessorCounters::~ProcessorCounters() {
  for (const int file : files_)
    if (file >= 0) close(file);
}

std::optional<ProcessorCounts> ProcessorCounters::read() const {
  std::array<std::uint64_t, 4> counts{};
  for (std::size_t i = 0; i < files_.size(); ++i)
    if (files_[i] < 0 || ::read(files_[i], &counts[i], sizeof(counts[i])) != sizeof(counts[i]))
      return std::nullopt;
  return ProcessorCounts{counts[0], counts[1], counts[2], counts[3]};
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace weft
