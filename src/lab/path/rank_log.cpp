// SPDX-License-Identifier: Apache-2.0
// Items of a rank's time.
#include "lab/path/rank_log.hpp"

#include <algorithm>

namespace weft {

/// Shares of idle time are cut to what there is: the NIC's is known before it has passed, and work
/// beside the processor may go on while that is busy.
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

Duration RankWaits::idle(comm::Rank rank, comm::Time now, Duration busy) const {
  return std::max(Duration{0}, now - of(rank).since - (busy - of(rank).busy));
}

void RankWaits::ends(comm::Rank rank, comm::Time now, Duration busy, bool by_send) {
  RankWait& wait = of(rank);
  wait.open += idle(rank, now, busy);
  wait.by_send = by_send;
  wait.since = now;
  wait.busy = busy;
}

void RankWaits::goes_on(comm::Rank rank) {
  of(rank).sends = sends(rank);
  of(rank).open = Duration{0};
}

Duration RankWaits::sends(comm::Rank rank) const {
  const RankWait& wait = of(rank);
  return wait.by_send ? wait.sends + wait.open : wait.sends;
}

}  // namespace weft
