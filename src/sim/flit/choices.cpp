// SPDX-License-Identifier: Apache-2.0
// Choosing among ports.
#include "sim/flit/choices.hpp"

#include <algorithm>
#include <utility>

namespace weft::sim {

void Choices::allow() {
  if (allowed()) return;
  tags_.assign(units_.in.size(), no_port);
  turn_.assign(units_.layout.switches.size(), 0);
  for (const SwitchPorts& at : units_.layout.switches)
    waiting_.resize(waiting_.size() + at.count,
                    std::vector<std::uint64_t>(((at.count << units_.layout.lane_bits) + 63) / 64));
  waited_for_.assign(waiting_.size(), 0);
  units_.choices = this;
  choosing_.resize(units_.layout.blocks);
}

void Choices::start(Index id, PortNumber tag) {
  InLane& lane = units_.in[id];
  tags_[id] = tag;
  lane.flags |= InLane::chooses;
  lane.stage = Stage::waiting;
  again(id);
}

const std::vector<Index>& Choices::take(Index block) {
  taken_.swap(choosing_[block]);
  choosing_[block].clear();
  std::sort(taken_.begin(), taken_.end());
  taken_.erase(std::unique(taken_.begin(), taken_.end()), taken_.end());
  return taken_;
}

Choices::PortChoice Choices::choose(Index id) {
  InLane& lane = units_.in[id];
  const SwitchPort& in_port = units_.ports[units_.layout.port_of(id)];
  Index& turn = turn_[in_port.home];
  PortChoice out;
  Index chosen = nothing, nearest = nothing;
  Lane chosen_class = 0;
  each_port(id, [&](Index o, const RouteStep& hop) {
    if (units_.is_dead(o)) {
      out.dead_port = o;
      return;
    }
    out.alive = true;
    SwitchPort& port = units_.ports[o];
    lane.lane_class = hop.lane_class;
    if (units_.offer(lane, port, o) == 0) return;
    const Index away = distance(port.number, turn);
    if (away >= nearest) return;
    nearest = away;
    chosen = o;
    chosen_class = hop.lane_class;
  });
  out.found = chosen != nothing;
  if (out.found) {
    const Index number = units_.ports[chosen].number;
    lane.lane_class = chosen_class;
    lane.out_port = static_cast<std::uint16_t>(number);
    turn = number + 1;
  } else if (out.alive) {
    const Index own =
        id - ((units_.layout.port_of(id) - in_port.number) << units_.layout.lane_bits);
    each_port(id, [&](Index o, const RouteStep&) {
      if (units_.is_dead(o)) return;
      waiting_[o][own / 64] |= bit_at(own);
      waited_for_[o] = 1;
    });
  }
  return out;
}

void Choices::wake_all(Index o) {
  for (const Index id : waiting_at(o)) again(id);
  waited_for_[o] = 0;
  std::fill(waiting_[o].begin(), waiting_[o].end(), 0);
}

std::vector<Index> Choices::waiting_at(Index o) const {
  const Index first = (o - units_.ports[o].number) << units_.layout.lane_bits;
  std::vector<Index> out;
  for (Index w = 0; w < waiting_[o].size(); ++w)
    for (std::uint64_t bits = waiting_[o][w]; bits != 0; bits &= bits - 1)
      if (const Index id = first + w * 64 + lowest(bits); waits(id))  // it may have found another
        out.push_back(id);
  return out;
}

void Units::wake_choosers(Index o) { choices->wake(o); }

}  // namespace weft::sim
