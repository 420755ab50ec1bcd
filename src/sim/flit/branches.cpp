// SPDX-License-Identifier: Apache-2.0
// What branches have sent leaves the buffer, and frees links; branches change hands.
#include "sim/flit/branches.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::sim {

Index Branches::add(const Branch& branch) {
  const Index who = first_ + all_.insert(Branch(branch));
  if (who >= units_.next_waiting.size()) units_.next_waiting.resize(who + 1, nothing);
  return who;
}

void Branches::release_links(Index id, Index o) {
  units_.held_out[o] = nothing;
  const auto& all = of_[id];
  if (std::none_of(all.begin(), all.end(),
                   [this](Index who) { return (*this)[who].sent > 0 && !(*this)[who].done; }))
    units_.held_in[units_.layout.port_of(id)] = nothing;
}

void Branches::move(Index block, Branches& to) {
  if (!any()) return;
  std::map<Index, Index> renamed;
  const auto new_name = [&](Index who) { return is_branch(who) ? renamed.at(who) : who; };
  const Layout& layout = units_.layout;
  const std::size_t first = std::size_t{block} << layout.block_bits;
  const std::size_t last =
      std::min(layout.switches.size(), first + (std::size_t{1} << layout.block_bits));
  for (std::size_t home = first; home < last; ++home) {
    const SwitchPorts& at = layout.switches[home];
    for (Index id = at.first << layout.lane_bits; id < (at.first + at.count) << layout.lane_bits;
         ++id)
      for (Index& who : of_[id]) {
        const Branch branch = all_.extract(who - first_);
        who = renamed[who] = to.add(branch);
      }
    for (Index o = at.first; o < at.first + at.count; ++o) {
      Index* link = &units_.ports[o].waiting;
      while (*link != nothing) {
        const Index who = *link, next = units_.next_waiting[who];
        *link = new_name(who);
        link = &to.units_.next_waiting[*link];
        *link = next;
      }
    }
  }
  for (SendRequest& sender : units_.senders[block])
    sender = SendRequest(new_name(sender.from()), sender.out_lane());
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
