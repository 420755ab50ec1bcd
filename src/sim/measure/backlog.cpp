// SPDX-License-Identifier: Apache-2.0
// Growth of backlogs against chance, in whole numbers.
#include "sim/measure/backlog.hpp"

#include <bit>

#include "base/chance.hpp"

namespace weft::sim {

BacklogSnapshot::BacklogSnapshot(const Meter& meter)
    : flits(meter.flits_sent_of()), squares(meter.counts().squares) {
  for (const HostId host : flits.ids())
    flits[host] -= meter.flits_of()[host] + meter.flits_lost_of()[host];
}

BacklogGrowth::BacklogGrowth(const BacklogSnapshot& from, const BacklogSnapshot& to,
                             std::uint32_t longest)
    : worst_(0), hosts_(to.flits.size()), squares_(to.squares - from.squares), longest_(longest) {
  for (const HostId host : to.flits.ids()) {
    if (to.flits[host] <= from.flits[host] + most_) continue;
    worst_ = host;
    most_ = to.flits[host] - from.flits[host];
  }
}

bool BacklogGrowth::beyond_chance(unsigned times, unsigned look) const {
  // x^2 > 2 ln(hosts 2^(7 + look)) (V + x m / 3), where 2 ln 2 = 1.3863, and V of one host is a
  // share of all squares as all hosts send alike.
  constexpr unsigned false_alarm_bits = 7;
  const Wide x = Wide{most_} * times;
  const auto bits = static_cast<unsigned>(std::bit_width(hosts_ - 1)) + false_alarm_bits + look;
  return x * x * 30'000 * hosts_ >
         Wide{13'863 * bits} * (3 * Wide{squares_} + x * longest_ * hosts_);
}

}  // namespace weft::sim
