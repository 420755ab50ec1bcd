// SPDX-License-Identifier: Apache-2.0
// Recounting a network.
#include "sim/flit/audit.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

void Auditor::came_to_front(Index lane, Index packet) {
  if (order_.empty()) return;
  invariant(!order_[lane].empty() && order_[lane].front() == packet,
            "a packet has overtaken another one in a lane");
  order_[lane].pop_front();
}

void Auditor::lost_on_link(Index lane, Index packet) {
  if (order_.empty()) return;
  auto& order = order_[lane];
  // Of several copies, in groups that are no trees, the last: those before it may have arrived.
  const auto found = std::find(order.rbegin(), order.rend(), packet);
  invariant(found != order.rend(), "a packet is lost on a link it was never sent over");
  order.erase(std::next(found).base());
}

void Auditor::look(const Units& units) const {
  const Layout& layout = units.layout;
  if (!layout.options.check) return;
  std::vector<std::int64_t> on_the_way(units.out.size(), 0);  // flits and credits, by out-lane
  std::uint64_t flying = 0, inside = 0;
  const auto flit = [&](Index lane) {
    ++flying;
    ++on_the_way[units.other_end(lane & Arrival::lane_mask)];
  };
  units.heads.for_each(units.now, [&](Cycle, const HeadArrival& head) { flit(head.lane); });
  units.bodies.for_each(units.now, [&](Cycle, const Arrival& body) { flit(body.lane); });
  if (!layout.stop_go)
    units.credits.for_each(units.now, [&](Cycle, Index out_lane) { ++on_the_way[out_lane]; });
  for (Index port = 0; port < layout.switch_ports; ++port) {
    if (units.ports[port].peer == nothing) continue;
    for (Index v = 0; v < layout.lanes; ++v) {
      const Index id = (port << layout.lane_bits) + v;
      const std::uint64_t fill = units.buffered(id);
      inside += fill;
      invariant(!layout.empty_lanes || units.in[id].first == nothing,
                "a lane holds several packets, though it must be empty first");
      if (units.is_dead(port)) continue;
      // Packets that a failure has cut have one flit more than came.
      const bool made_up_one = !units.mended.empty() && units.mended[port];
      invariant(fill <= layout.buffer || made_up_one,
                "a buffer holds more flits than it has room for");
      if (layout.stop_go)
        invariant(fill == units.fill[id], "the fill of a buffer is miscounted");
      else
        invariant(units.out[units.other_end(id)].credits + on_the_way[units.other_end(id)] +
                          static_cast<std::int64_t>(fill) ==
                      static_cast<std::int64_t>(layout.buffer),
                  "credits, flits on the way and flits in the buffer do not add up");
    }
  }
  invariant(departed + made_up == arrived + ejected + vanished + flying,
            "flits have appeared or vanished on links");
  invariant(arrived == left + inside, "flits have appeared or vanished in buffers");
}

void Auditor::drained(const Units& units) const {
  const Layout& layout = units.layout;
  invariant(units.totals.sent == units.totals.delivered + units.totals.lost,
            "a packet is neither delivered nor lost");
  if (!layout.options.check) return;
  look(units);
  for (const InLane& lane : units.in)
    invariant(lane.stage == Stage::idle, "a packet is left behind");
  for (Index port = 0; port < units.ports.size(); ++port) {
    const SwitchPort& from = units.ports[port];
    if (from.peer == nothing || units.is_dead(port)) continue;
    for (Index v = 0; v < layout.lanes; ++v) {
      const Index lane = (port << layout.lane_bits) + v;
      if (!layout.is_host(port))
        invariant(units.holder(lane) == nothing, "a lane is held by nobody's packet");
      const bool unlimited = layout.stop_go || (from.to_host && units.endless_hosts);
      invariant(unlimited || units.out[lane].credits == static_cast<std::int32_t>(layout.buffer),
                "a credit has not come home");
    }
  }
}

}  // namespace weft::sim
