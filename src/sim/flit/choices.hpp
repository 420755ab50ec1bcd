// SPDX-License-Identifier: Apache-2.0
// Choices: packets whose tag names a group of links take any port of it. In every cycle such a
// packet requests a lane of the next port, round-robin, that has an idle one, so that all are used
// evenly. Where none is idle it waits for all of them, and looks again when one has become so.
#pragma once
#include <vector>

#include "sim/flit/routing.hpp"
#include "sim/flit/units.hpp"

namespace weft::sim {

class Choices {
 public:
  Choices(Units& units, const Routing& routing) : units_(units), routing_(routing) {}

  /// From now on packets may choose among ports.
  void allow();
  bool allowed() const { return !tags_.empty(); }
  /// The front packet of an in-lane takes any port of a group of links.
  WEFT_HOT void start(Index id, PortNumber tag) {
    if (tag - Index{first_link_group} >= groups_) add_groups(tag);
    InLane& lane = units_.in[id];
    tags_[id] = tag;
    lane.flags |= InLane::chooses;
    lane.stage = Stage::waiting;
    again(id);
  }
  /// Moves the in-lanes of a block that choose in this cycle to a list, in ascending order.
  WEFT_HOT void take(Index block, RequestList<Index>& out) {
    const Index begin = first_lane_[block];
    choosing_[block].filter_words([&](Index first, std::uint64_t lanes) {
      for (; lanes != 0; lanes &= lanes - 1) out.add(begin + first + lowest(lanes));
      return std::uint64_t{0};
    });
  }
  bool empty(Index block) const { return choosing_[block].empty(); }
  bool chooses(Index id) const {
    const Index block = block_of(id);
    return choosing_[block].contains(id - first_lane_[block]);
  }
  /// The next port that an in-lane's packet may take, which is noted there; nothing: none has an
  /// idle lane.
  template <bool plain = false>
  WEFT_HOT Index find_port(Index id);
  /// What a packet waits for that has found no port.
  struct AwaitedPorts {
    bool alive = false;         ///< one of the links works
    Index dead_port = nothing;  ///< one that does not
  };
  AwaitedPorts wait(Index id);
  /// It chooses again.
  void again(Index id) {
    const Index block = block_of(id);
    choosing_[block].insert(id - first_lane_[block]);
  }
  /// A lane of a port has become idle, or its link works again.
  WEFT_HOT void wake(Index o) {
    if ((units_.ports[o].awaited & SwitchPort::a_lane) != 0) wake_all(o);
  }
  /// Packets that wait for this port, or for another one.
  std::vector<Index> waiting_at(Index o) const;
  bool waits(Index id) const {
    const InLane& lane = units_.in[id];
    return lane.stage == Stage::waiting && lane.has(InLane::chooses);
  }
  /// Every port that the front packet of an in-lane may take now, with its lane class.
  template <class Visit>
  void each_port(Index id, Visit visit) const {
    const Index in = units_.layout.port_of(id);
    for (const PortNumber number : routing_.ports(tags_[id])) {
      const RouteStep hop = step(in, number - 1U, units_.in[id].head);
      if (hop.port != no_port) visit(in - units_.ports[in].number + number - 1U, hop);
    }
  }

 private:
  struct ChoosingSwitch {
    Index ports = 0;       ///< their number
    Index turn = 0;        ///< the port to try first
    Index mask_words = 0;  ///< of a set of its in-lanes
    Index masks = 0;       ///< where those of its out-ports begin
  };

  Index block_of(Index id) const { return units_.ports[units_.layout.port_of(id)].block; }
  /// The hop of a packet from an in-port by a port of its switch (from 0), if it may go there.
  WEFT_HOT RouteStep step(Index in, Index number, const Head& head) const {
    const SwitchPort& in_port = units_.ports[in];
    if (number >= switches_[in_port.home].ports) return {};
    const SwitchPort& port = units_.ports[in - in_port.number + number];
    if (port.peer == nothing || (port.to_host && port.peer != units_.layout.switch_ports + head.to))
      return {};
    const RouteStep hop = routing_.by(static_cast<PortNumber>(number + 1), in_port.home, in, head);
    return hop.lane_class < units_.layout.class_lanes.size() ? hop : RouteStep{};
  }
  void add_groups(PortNumber last);
  void wake_all(Index o);
  template <class Visit>
  void each_waiting(Index o, Visit visit) const;

  Units& units_;
  const Routing& routing_;
  std::vector<PortNumber> tags_;  ///< by in-lane
  /// By tag, as far as they are used: the ports of a group of links (from 0) in the order in which
  /// they are tried. Those of a row are by round-robin pointer, the first port from it on; then
  /// comes their number.
  std::vector<std::uint16_t> next_ports_;
  Index groups_ = 0, row_ = 0;
  std::vector<ChoosingSwitch> switches_;  ///< by switch
  std::vector<std::uint64_t> waiting_;    ///< by out-port: masks of in-lanes
  std::vector<WorkSet> choosing_;         ///< by block: in-lanes, from its first one on
  std::vector<Index> first_lane_;         ///< by block
};

template <bool plain>
Index Choices::find_port(Index id) {
  const Index in = units_.layout.port_of(id);
  InLane& lane = units_.in[id];
  const SwitchPort& in_port = units_.ports[in];
  const SwitchPort* const ports = &in_port - in_port.number;
  ChoosingSwitch& at = switches_[in_port.home];
  const std::uint16_t* const next = &next_ports_[(tags_[id] - Index{first_link_group}) * row_];
  Index number = next[at.turn];
  for (Index left = next[row_ - 1]; left != 0; --left, number = next[number + 1]) {
    const Index o = in - in_port.number + number;
    const RouteStep hop = step(in, number, lane.head);
    if (hop.port == no_port || (!plain && units_.is_dead(o))) continue;
    lane.lane_class = hop.lane_class;
    if (units_.template offer<plain>(lane, ports[number], o) == 0) continue;
    lane.out_port = static_cast<std::uint16_t>(number);
    at.turn = number + 1;
    return o;
  }
  return nothing;
}

}  // namespace weft::sim
