// SPDX-License-Identifier: Apache-2.0
// Growth of backlogs against chance, in whole numbers.
#include "sim/measure/backlog.hpp"

#include <algorithm>
#include <bit>

namespace weft::sim {

BacklogSnapshot::BacklogSnapshot(const Meter& meter)
    : flits(meter.flits_sent_of()), squares(meter.counts().squares) {
  for (const HostId host : flits.ids())
    flits[host] -= meter.flits_of()[host] + meter.flits_lost_of()[host];
}

BacklogGrowth::BacklogGrowth(const BacklogSnapshot& from, const BacklogSnapshot& to,
                             const SourceVariation& sources)
    : worst_(0),
      hosts_(to.flits.size()),
      squares_((to.squares - from.squares) * sources.dispersion),
      all_shares_(hosts_),
      longest_(sources.longest) {
  if (sources.shares != nullptr && !sources.shares->empty()) {
    find_worst(from, to, *sources.shares);
    return;
  }
  for (const HostId host : to.flits.ids()) {
    if (to.flits[host] <= from.flits[host] + most_) continue;
    worst_ = host;
    most_ = to.flits[host] - from.flits[host];
  }
}

void BacklogGrowth::find_worst(const BacklogSnapshot& from, const BacklogSnapshot& to,
                               const IdVector<HostId, std::uint64_t>& shares) {
  all_shares_ = 0;
  for (const std::uint64_t share : shares) all_shares_ += share;
  Wide least_likely = 0;
  for (const HostId host : to.flits.ids()) {
    if (to.flits[host] <= from.flits[host]) continue;
    const std::uint64_t growth = to.flits[host] - from.flits[host];
    const Wide unlikely = (Wide{growth} * growth * all_shares_ << 10) /
                          std::max<Wide>(variation(growth, shares[host]), 1);
    if (most_ > 0 && unlikely <= least_likely) continue;
    least_likely = unlikely;
    worst_ = host;
    most_ = growth;
    share_ = shares[host];
  }
}

/// 3 V + x m, in the unit of `all_shares_`.
Wide BacklogGrowth::variation(std::uint64_t growth, std::uint64_t share) const {
  return 3 * Wide{squares_} * share + Wide{growth} * longest_ * all_shares_;
}

bool BacklogGrowth::beyond_chance(unsigned times, unsigned look) const {
  // x^2 > 2 ln(hosts 2^(7 + look)) (V + x m / 3), where 2 ln 2 = 1.3863, and V of one host is its
  // share of all squares.
  constexpr unsigned false_alarm_bits = 7;
  const std::uint64_t x = most_ * times;
  const auto bits = static_cast<unsigned>(std::bit_width(hosts_ - 1)) + false_alarm_bits + look;
  return Wide{x} * x * 30'000 * all_shares_ > Wide{13'863 * bits} * variation(x, share_);
}

}  // namespace weft::sim
