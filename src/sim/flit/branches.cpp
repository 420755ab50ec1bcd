// SPDX-License-Identifier: Apache-2.0
// What branches have sent leaves the buffer, and frees links.
#include "sim/flit/branches.hpp"

#include <algorithm>

namespace weft::sim {

void Branches::release_links(Index id, Index o) {
  units_.held_out[o] = nothing;
  const auto& all = of_[id];
  if (std::none_of(all.begin(), all.end(),
                   [this](Index who) { return (*this)[who].sent > 0 && !(*this)[who].done; }))
    units_.held_in[units_.layout.port_of(id)] = nothing;
}

void Branches::release_copies(Index id) {
  InLane& lane = units_.in[id];
  std::uint32_t& released = released_[id];
  std::uint32_t least = released + lane.have;
  bool all_done = true;
  for (const Index who : of_[id]) {
    const Branch& branch = (*this)[who];
    if (!branch.done) least = std::min(least, branch.sent);
    all_done &= branch.done;
  }
  const std::uint32_t leaving = least - released;
  released = least;
  lane.have = static_cast<std::uint16_t>(lane.have - leaving);
  units_.leave_buffer(id, leaving);
  if (!all_done) return;
  if (!units_.held_in.empty() && units_.held_in[units_.layout.port_of(id)] == id)
    units_.held_in[units_.layout.port_of(id)] = nothing;
  clear(id);
  units_.next_front(lane, id, units_.ports[units_.layout.port_of(id)]);
}

}  // namespace weft::sim
