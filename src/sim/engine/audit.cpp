// SPDX-License-Identifier: Apache-2.0
// The books of a network.
#include "sim/engine/audit.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {

void Auditor::came_to_front(Index lane, Index packet) {
  invariant(!shadow_[lane].empty() && shadow_[lane].front() == packet,
            "a packet has overtaken another one in a lane");
  shadow_[lane].pop_front();
}

void Auditor::lost_on_link(Index lane, Index packet) {
  if (shadow_.empty()) return;
  auto& order = shadow_[lane];
  const auto found = std::find(order.begin(), order.end(), packet);
  invariant(found != order.end(), "a packet is lost on a link it was never sent over");
  order.erase(found);
}

void Auditor::look(const State& state) const {
  if (!state.options.check) return;
  std::vector<std::int64_t> on_the_way(state.out.size(), 0);  // flits and credits, by out-lane
  std::uint64_t flying = 0, inside = 0;
  state.arrivals.for_each([&](const Arrival& flit) {
    ++flying;
    ++on_the_way[state.in[flit.lane & Arrival::lane_mask].upstream];
  });
  if (!state.stop_go) state.credits.for_each([&](Index out_lane) { ++on_the_way[out_lane]; });
  for (Index id = 0; id < state.in.size(); ++id) {
    const InLane& lane = state.in[id];
    const std::uint64_t fill = state.buffered(id);
    inside += fill;
    invariant((lane.stage == Stage::idle) == (lane.packet == nothing), "an idle lane has a packet");
    const Index port = state.port_of(id);
    if (state.ports[port].peer == nothing || state.is_dead(port)) continue;
    // Packets that a failure has cut have one flit more than came.
    const bool made_up = !state.mended.empty() && state.mended[port];
    invariant(fill <= state.model.buffer || made_up,
              "a buffer holds more flits than it has room for");
    if (state.stop_go)
      invariant(fill == state.fill[id], "the fill of a buffer is miscounted");
    else
      invariant(state.out[lane.upstream].credits + on_the_way[lane.upstream] +
                        static_cast<std::int64_t>(fill) ==
                    static_cast<std::int64_t>(state.model.buffer),
                "credits, flits on the way and flits in the buffer do not add up");
  }
  invariant(departed + made_up == arrived + ejected + vanished + flying,
            "flits have appeared or vanished on links");
  invariant(arrived == left + inside, "flits have appeared or vanished in buffers");
}

void Auditor::drained(const State& state) const {
  invariant(state.totals.sent == state.totals.delivered + state.totals.lost,
            "a packet is neither delivered nor lost");
  if (!state.options.check) return;
  look(state);
  for (const InLane& lane : state.in)
    invariant(lane.stage == Stage::idle, "a packet is left behind");
  for (Index l = 0; l < state.out.size(); ++l) {
    const Index port = state.port_of(l);
    if (state.ports[port].peer == nothing || state.is_dead(port)) continue;
    if (!state.is_host(port))
      invariant(state.out[l].holder == nothing, "a lane is held by nobody's packet");
    const bool unlimited =
        state.stop_go || (state.out[l].target >= state.switch_lanes && state.endless_hosts);
    invariant(unlimited || state.out[l].credits == static_cast<std::int32_t>(state.model.buffer),
              "a credit has not come home");
  }
}

}  // namespace weft::sim
