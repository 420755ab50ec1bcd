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
  void start(Index id, PortNumber tag);
  /// In-lanes of a block that choose in this cycle, in ascending order; they are removed.
  const std::vector<Index>& take(Index block);
  bool empty(Index block) const { return choosing_[block].empty(); }
  const std::vector<Index>& choosing(Index block) const { return choosing_[block]; }
  /// What a packet finds that looks for a port.
  struct PortChoice {
    bool found = false;         ///< a port with an idle lane
    bool alive = false;         ///< one of its links works
    Index dead_port = nothing;  ///< one that does not
  };
  /// Notes the port that an in-lane's packet requests in this cycle in the lane; where it finds
  /// none, the packet waits.
  PortChoice choose(Index id);
  /// It chooses again.
  void again(Index id) { choosing_[units_.ports[units_.layout.port_of(id)].block].push_back(id); }
  /// A lane of a port has become idle, or its link works again.
  void wake(Index o) {
    if (waited_for_[o]) wake_all(o);
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
    const InLane& lane = units_.in[id];
    const Index in = units_.layout.port_of(id);
    const SwitchPort& in_port = units_.ports[in];
    const Index first = in - in_port.number;
    const Index ports = units_.layout.switches[in_port.home].count;
    for (const PortNumber number : routing_.ports(tags_[id])) {
      const Index o = first + number - 1U;
      if (number == 0 || number > ports || !leads_on(units_.ports[o], lane.head.to)) continue;
      const RouteStep hop = routing_.by(number, in_port.home, in, lane.head);
      if (hop.lane_class < units_.layout.class_lanes.size()) visit(o, hop);
    }
  }

 private:
  void wake_all(Index o);
  /// Whether a port leads to a switch, or to the host that is meant.
  bool leads_on(const SwitchPort& port, Index to) const {
    return port.peer != nothing && (!port.to_host || units_.ports[port.peer].home == to);
  }

  Units& units_;
  const Routing& routing_;
  std::vector<PortNumber> tags_;                     ///< by in-lane
  std::vector<Index> turn_;                          ///< by switch: the port to try first
  std::vector<std::uint8_t> waited_for_;             ///< by out-port: some in-lane waits, or did
  std::vector<std::vector<std::uint64_t>> waiting_;  ///< by out-port: masks of in-lanes
  std::vector<std::vector<Index>> choosing_;         ///< by block: in-lanes
  std::vector<Index> taken_;
};

}  // namespace weft::sim
