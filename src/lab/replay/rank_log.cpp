// SPDX-License-Identifier: Apache-2.0
// Items of a rank's time.
#include "lab/replay/rank_log.hpp"

#include <algorithm>

namespace weft {

/// Work is booked when it is known and done later, so that a part of it may lie beyond the end: the
/// parts are cut to what the processor has done.
RankItems items_between(const RankCounts& begin, const RankCounts& end) {
  const auto share = [](Duration wanted, Duration& left) {
    constexpr Duration none{0};
    const Duration out = std::clamp(wanted, none, std::max(none, left));
    left -= out;
    return out;
  };
  RankItems out;
  out.total = end.at - begin.at;
  Duration busy = std::min(end.busy - begin.busy, out.total);
  Duration idle = out.total - busy;
  out.compute = share(end.compute - begin.compute, busy);
  out.library = share(end.library - begin.library, busy);
  out.lower = busy;
  out.compute += share(end.beside - begin.beside, idle);
  out.ack = share(end.ack - begin.ack, idle);
  out.nic_ready = share(end.nic - begin.nic, idle);
  out.send_ready = share(end.send_wait - begin.send_wait - out.ack - out.nic_ready, idle);
  out.packet = idle;
  return out;
}

Duration RankWaits::ends(comm::Rank rank, comm::Time at, Duration busy, bool by_send) {
  RankWait& waiting = of(rank);
  const Duration idle = std::max(Duration{0}, at - waiting.since - (busy - waiting.busy));
  if (by_send) waiting.sends += idle;
  return idle;
}

}  // namespace weft
