// SPDX-License-Identifier: Apache-2.0
// The time that a thread processor works on an envelope.
#include "sim/elan/units/thread_processors.hpp"

#include <algorithm>

namespace weft::sim::elan {

/// A microcode thread schedules it. It reads an envelope out of its queue, and the record of a
/// receive, through the cache and the bus that the other units use.
Duration ThreadProcessors::work(HostId host, Duration time) {
  ThreadProcessor& processor = processors_[host.index()];
  Board& board = shared_.boards[host];
  const std::uint64_t line = board.memory().cache().line_bytes();
  const std::uint64_t queue = shared_.model.sdram_bytes() - 2 * system_ring_bytes;
  const std::uint64_t slot = processor.envelopes++ % (system_ring_bytes / (2 * line));
  Duration memory = board.touch(queue + 2 * slot * line, true);
  memory = std::max(memory, board.touch(queue + (2 * slot + 1) * line, true));
  return processor.thread.enter(board.run_microcode(), time + memory);
}

}  // namespace weft::sim::elan
