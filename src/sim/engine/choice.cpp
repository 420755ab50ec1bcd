// SPDX-License-Identifier: Apache-2.0
// Packets whose tag names a group of links: any port of it will do. A packet asks for one with an
// idle lane, which is the next such port in turn, so that all of them are used evenly. Where none
// is idle it waits for all of them, and looks again when one has become so.
#include "sim/engine/engine.hpp"

namespace weft::sim {

void Engine::start_choice(InLane& lane, Index id, PortNumber tag) {
  Slot& slot = state.slots[lane.packet];
  ++slot.hops;  // there are fewer tags than would make a loop
  state.choices[id] = {tag, slot.lane_class};
  lane.flags |= InLane::chooses;
  lane.stage = Stage::waiting;
  state.set_bit(state.want, lane);
}

/// The port that an in-lane's packet asks for in this cycle is noted in the lane; returns the lanes
/// it may have there. None: it waits, or is lost as all of its links are down.
std::uint64_t Engine::choose_port(const SwitchState& at, Index bit) {
  const Index id = at.first_lane + bit;
  InLane& lane = state.in[id];
  Slot& slot = state.slots[lane.packet];
  slot.lane_class = state.choices[id].lane_class;
  Index& turn = state.choice_turn[lane.home];
  const auto in_port = static_cast<PortNumber>(state.port_of_bit[bit] + 1);
  Steering::Way chosen;
  std::uint64_t lanes = 0;
  bool alive = false;
  Index dead_port = nothing;
  for (const PortNumber number : state.steering.ports(state.choices[id].tag)) {
    const Steering::Way way = state.steering.by(number, lane.home, in_port, slot);
    if (!state.leads_on(at, way, slot.packet.to)) continue;
    const Index port = at.first_port + number - 1U;
    if (state.is_dead(port)) {
      dead_port = port;
      continue;
    }
    alive = true;
    state.choosers[port][bit / 64] |= std::uint64_t{1} << (bit % 64);
    lane.lane_class = way.lane_class;
    const std::uint64_t offered = state.offer(lane, port);
    if (offered == 0) continue;
    const bool nearer = lanes == 0 || distance(number - 1U, turn, at.ports) <
                                          distance(chosen.port - 1U, turn, at.ports);
    if (!nearer) continue;
    chosen = way;
    lanes = offered;
  }
  if (!alive) {
    drain(lane, id, dead_port != nothing ? Loss::link_down : Loss::no_route, dead_port);
    return 0;
  }
  if (lanes == 0) return 0;
  slot.lane_class = lane.lane_class = chosen.lane_class;
  lane.port = static_cast<std::uint16_t>(chosen.port - 1);
  turn = after(lane.port, at.ports);
  return lanes;
}

}  // namespace weft::sim
