// SPDX-License-Identifier: Apache-2.0
// Items of a rank's time.
#include "lab/replay/rank_log.hpp"

#include <algorithm>

namespace weft {

RankItems items_between(const RankCounts& begin, const RankCounts& end) {
  constexpr Duration none{0};
  RankItems out;
  out.total = end.at - begin.at;
  out.compute = end.compute - begin.compute;
  out.library = end.library - begin.library;
  const Duration busy = end.busy - begin.busy;
  out.lower = std::max(none, busy - out.compute - out.library);
  out.ack = end.ack - begin.ack;
  out.nic_ready = end.nic - begin.nic;
  out.send_ready = std::max(none, end.send_wait - begin.send_wait - out.ack - out.nic_ready);
  out.packet =
      out.total - out.compute - out.library - out.lower - out.ack - out.nic_ready - out.send_ready;
  return out;
}

Duration RankWaits::ends(comm::Rank rank, comm::Time at, Duration busy, bool by_send) {
  Waiting& waiting = of(rank);
  const Duration idle = std::max(Duration{0}, at - waiting.since - (busy - waiting.busy));
  if (by_send) waiting.sends += idle;
  return idle;
}

}  // namespace weft
