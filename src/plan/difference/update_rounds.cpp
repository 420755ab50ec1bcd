// SPDX-License-Identifier: Apache-2.0
// Rounds are counted along new routes, each up to where another has been.
#include "plan/difference/update_rounds.hpp"

namespace weft {

void UpdateRounds::load(std::vector<SwitchId> switches) {
  for (SwitchId s : switches_) is_set_[s] = 0;
  switches_ = std::move(switches);
  for (SwitchId s : switches_) is_set_[s] = 1;
  ++search_;
}

unsigned UpdateRounds::round(SwitchId s) {
  if (!mixed_.on_route(1, s)) return last;
  route_.clear();
  SwitchId at = s;
  while (at.valid() && !is_known(at)) {
    if (route_.size() == fabric_.switch_count()) return last;  // it goes round in a loop
    route_.push_back(at);
    const ChannelId out = mixed_.out_channel(1, at);
    at = out.valid() ? fabric_.to(out) : SwitchId::none();
  }
  unsigned count = at.valid() ? count_[at] : 0;
  for (std::size_t i = route_.size(); i-- > 0;) {
    count += is_set_[route_[i]];
    count_[route_[i]] = count;
    known_[route_[i]] = search_;
  }
  return count_[s];
}

}  // namespace weft
