// SPDX-License-Identifier: Apache-2.0
// Multicast for a team.
#include "comm/coll/patterns/hardware.hpp"

#include <limits>

#include "base/error.hpp"

namespace weft::comm {

TeamMulticast::TeamMulticast(const Team& team, int group)
    : team_(&team),
      endpoint_(&team.endpoint()),
      multicast_(endpoint_->capability<Multicast>()),
      group_(group) {
  if (multicast_ == nullptr) throw Error("hardware: the switches of this network copy nothing");
  if (group < 0 || group >= multicast_->groups())
    throw Error("hardware: there is no group {}; there are {}", group, multicast_->groups());
  if (team.context() >> 31U != 0) throw Error("hardware: the team is nested too deep");
  first_tag_ = std::numeric_limits<Tag>::min() + (static_cast<Tag>(team.context()) << 32U);
  const auto* shared = endpoint_->capability<SharedMemory>();
  for (Rank member = 0; member < team.size() && shared != nullptr; ++member)
    for (int i = 0; i < shared->ranks_here(); ++i)
      if (member != team.rank() && shared->rank_here(i) == team.in_world(member))
        here_.push_back(member);
}

}  // namespace weft::comm
