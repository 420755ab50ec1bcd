// SPDX-License-Identifier: Apache-2.0
// The wait-for graph of a network. A node is a lane whose front packet must move on, or one branch
// of a multicast packet. It waits for all of its needs; a need is met by any one of its givers
// (any idle lane will do). What is not reached from nodes that can move, can never move. An open
// circuit is a node of its own: it gives its lanes back when it has come to all of its ends.
#include "sim/engine/stall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace weft::sim {
namespace {

struct Need {
  Index node;      ///< who waits
  Index out_lane;  ///< what for: this lane, or (of several) the first
  std::vector<Index> givers;
  bool met = false;
};

class Graph {
 public:
  explicit Graph(const State& state) : state_(state), live_(state.in.size(), true) {}

  std::optional<std::string> stall() {
    collect();
    spread();
    for (Index node = 0; node < live_.size(); ++node)
      if (!live_[node]) return describe(circle_from(node));
    return std::nullopt;
  }

 private:
  void collect() {
    std::vector<bool> moving(state_.in.size(), false);
    state_.arrivals.for_each(
        [&](const Arrival& flit) { moving[flit.lane & Arrival::lane_mask] = true; });
    state_.wants.for_each([&](Index id) { moving[id] = true; });
    state_.credits.for_each([&](Index signal) { credited(signal & (Arrival::tail - 1), moving); });
    branch_node_.assign(state_.branches.empty() ? 0 : state_.in.size(), nothing);
    for (Index id = 0; id < state_.in.size(); ++id)
      if (has_branches(id)) add_branch_nodes(id);
    if (!state_.circuits.empty())
      for (Index id = 0; id < state_.in.size(); ++id) add_circuit_nodes(id);
    for (Index id = 0; id < state_.in.size(); ++id) {
      if (state_.in[id].stage == Stage::idle || moving[id] || scheduled(id)) continue;
      add_needs(id);
      if (!circuits_.empty()) add_needs_of_circuits(id);
    }
  }

  bool is_open_circuit(Index packet) const {
    return state_.slots[packet].packet.circuit && !state_.is_closed(packet);
  }
  template <class Action>
  void each_behind_front(Index id, Action&& action) const {
    if ((state_.in[id].flags & InLane::queue) == 0) return;
    for (Index s = state_.queues[id].first; s != nothing; s = state_.segments[s].next)
      action(state_.segments[s].packet);
  }
  void add_circuit_nodes(Index id) {
    const auto add = [&](Index packet) {
      if (is_open_circuit(packet) &&
          circuits_.try_emplace(packet, Circuit{static_cast<Index>(live_.size()), id}).second)
        live_.push_back(true);
    };
    if (state_.in[id].stage == Stage::idle) return;
    add(state_.in[id].packet);
    each_behind_front(id, add);
  }
  /// What keeps open circuits in this lane from coming to their ends.
  void add_needs_of_circuits(Index id) {
    const InLane& lane = state_.in[id];
    each_behind_front(id, [&](Index packet) { keep_back(packet, id, id); });
    if (has_branches(id)) {
      for (Index b = 0; b < state_.branches[id].size(); ++b) {
        const Branch& branch = state_.branches[id][b];
        if (branch.done) continue;
        if (branch.out == nothing)
          keep_back(lane.packet, id, branch_node_[id] + b);
        else
          keep_behind(lane.packet, id, branch.out);
      }
    } else if (lane.stage == Stage::waiting) {
      keep_back(lane.packet, id, id);
    } else if (lane.stage == Stage::sending) {
      keep_behind(lane.packet, id, lane.out);
    }
  }
  void keep_back(Index packet, Index id, Index giver) {
    const auto found = circuits_.find(packet);
    if (found == circuits_.end()) return;
    found->second.lane = id;
    need(found->second.node, nothing, {giver});
  }
  /// A lane without room, where another packet is at the front.
  void keep_behind(Index packet, Index id, Index out_lane) {
    const Index target = state_.out[out_lane].target;
    if (target >= state_.switch_lanes || state_.out[out_lane].credits > 0) return;
    if (state_.in[target].packet != packet && state_.in[target].stage != Stage::idle)
      keep_back(packet, id, target);
  }

  /// A credit on the way may let its lane's holder, and those that wait for the port, go on.
  void credited(Index out_lane, std::vector<bool>& moving) {
    if (out_lane >= state_.switch_lanes) {  // a NIC may go on sending
      moving[state_.out[out_lane].target] = true;
      return;
    }
    if (state_.out[out_lane].holder != nothing) moving[state_.out[out_lane].holder] = true;
    const Index port = state_.port_of(out_lane);
    for (Index id = state_.ports[port].parked; id != nothing; id = state_.parked_next[id])
      moving[id] = true;
    if (!state_.parked_branches.empty())
      for (const Index id : state_.parked_branches[port]) moving[id] = true;
    if (!state_.choosers.empty())
      for (const Index id : choosers(port)) moving[id] = true;
  }

  /// The packets that wait for this port, or for another one.
  std::vector<Index> choosers(Index port) const {
    const SwitchState& at = state_.switches[state_.switch_at(port)];
    std::vector<Index> out;
    for (Index w = 0; w < at.words; ++w)
      for (std::uint64_t bits = state_.choosers[port][w]; bits != 0; bits &= bits - 1)
        if (const Index id = at.first_lane + w * 64 + lowest(bits); chooses(id)) out.push_back(id);
    return out;
  }
  bool chooses(Index id) const {
    const InLane& lane = state_.in[id];
    return lane.stage == Stage::waiting && (lane.flags & InLane::chooses) != 0;
  }

  bool scheduled(Index id) const {
    const SwitchState& at = state_.switches[state_.in[id].home];
    const Index bit = id - at.first_lane;
    return ((state_.ready[at.first_word + bit / 64] | state_.want[at.first_word + bit / 64]) >>
                (bit % 64) &
            1) != 0;
  }
  bool has_branches(Index id) const {
    return (state_.in[id].flags & InLane::replicate) != 0 && state_.in[id].stage != Stage::idle;
  }

  void add_branch_nodes(Index id) {
    branch_node_[id] = static_cast<Index>(live_.size());
    live_.resize(live_.size() + state_.branches[id].size(), true);
  }
  /// The node that must move for an out-lane to become free.
  Index holder_node(Index out_lane) const {
    const Index id = state_.out[out_lane].holder;
    const auto circuit = circuits_.find(state_.in[id].packet);
    return circuit != circuits_.end() ? circuit->second.node : sender_node(out_lane);
  }
  /// The node that sends over an out-lane.
  Index sender_node(Index out_lane) const {
    const Index id = state_.out[out_lane].holder;
    if (!has_branches(id)) return id;
    for (Index b = 0; b < state_.branches[id].size(); ++b)
      if (state_.branches[id][b].out == out_lane) return branch_node_[id] + b;
    return id;
  }

  void add_needs(Index id) {
    const InLane& lane = state_.in[id];
    if (has_branches(id)) {
      for (Index b = 0; b < state_.branches[id].size(); ++b) {
        const Branch& branch = state_.branches[id][b];
        if (branch.done) continue;
        const Index node = branch_node_[id] + b;
        // Flits leave the buffer when the slowest copies have sent them.
        if (branch.sent == state_.released[id]) need(id, nothing, {node});
        if (branch.out == nothing)
          wait_in_order(id, b);
        else if (lane.have > 0 && branch.sent == state_.released[id] + lane.have &&
                 state_.out[lane.upstream].credits <= 0)
          need(node, nothing, {id});  // its rest comes when slower copies have made room
        add_way_on(node, id, branch.out, state_.switches[lane.home].first_port + branch.port,
                   branch.sent < state_.released[id] + lane.have);
      }
    } else if (lane.stage == Stage::routing) {
      if (state_.store_and_forward) add_upstream(id, id);
    } else if (lane.stage == Stage::draining) {
      add_upstream(id, id);
    } else if (chooses(id)) {
      add_choice(id);
    } else {
      add_way_on(id, id, lane.out, state_.switches[lane.home].first_port + lane.port,
                 lane.have > 0);
    }
  }

  /// A copy of a group with a root asks for a lane when those before it have theirs.
  void wait_in_order(Index id, Index b) {
    if (!state_.steering.has_root(state_.slots[state_.in[id].packet].packet.group)) return;
    for (Index before = 0; before < b; ++before) {
      const Branch& branch = state_.branches[id][before];
      if (!branch.done && branch.out == nothing)
        need(branch_node_[id] + b, nothing, {branch_node_[id] + before});
    }
  }

  /// Who must move for the packet to get one of these lanes of a port; false: nobody, hosts take
  /// everything.
  bool add_givers(std::vector<Index>& givers, Index port, std::uint64_t lanes) const {
    for (Index v = 0; v < state_.lanes; ++v) {
      if ((lanes >> v & 1) == 0) continue;
      const Index other = port * state_.lanes + v;
      if (state_.out[other].holder != nothing)
        givers.push_back(holder_node(other));
      else if (state_.out[other].target < state_.switch_lanes)
        givers.push_back(state_.out[other].target);
      else
        return false;
    }
    return true;
  }

  /// A packet that waits for any one of several ports.
  void add_choice(Index id) {
    InLane lane = state_.in[id];
    const SwitchState& at = state_.switches[lane.home];
    Slot slot = state_.slots[lane.packet];
    slot.lane_class = state_.choices[id].lane_class;
    const auto in_port = static_cast<PortNumber>(state_.port_of(id) - at.first_port + 1);
    std::vector<Index> givers;
    Index first = nothing;
    for (const PortNumber number : state_.steering.ports(state_.choices[id].tag)) {
      const auto way = state_.steering.by(number, lane.home, in_port, slot);
      const Index port = at.first_port + number - 1U;
      if (!state_.leads_on(at, way, slot.packet.to) || state_.is_dead(port)) continue;
      lane.lane_class = way.lane_class;
      if (!add_givers(givers, port, state_.allowed(lane, port))) return;
      if (first == nothing) first = port;
    }
    if (first != nothing) need(id, first * state_.lanes, std::move(givers));
  }

  /// What `node`, the front packet of in-lane `id` or a branch of it, needs to go by `port`.
  void add_way_on(Index node, Index id, Index out_lane, Index port, bool has_flit) {
    if (out_lane == nothing) {
      std::vector<Index> givers;
      if (add_givers(givers, port, state_.allowed(state_.in[id], port)))
        need(node, port * state_.lanes, std::move(givers));
    } else if (!has_flit) {
      add_upstream(node, id);
    } else if (state_.out[out_lane].credits <= 0 &&
               state_.out[out_lane].target < state_.switch_lanes) {
      need(node, out_lane, {state_.out[out_lane].target});
    }
  }

  /// The rest of the packet must come; a NIC always sends it.
  void add_upstream(Index node, Index id) {
    const Index upstream = state_.in[id].upstream;
    if (upstream >= state_.switch_lanes || state_.out[upstream].holder == nothing) return;
    need(node, upstream, {sender_node(upstream)});
  }

  void need(Index node, Index out_lane, std::vector<Index> givers) {
    live_[node] = false;
    needs_.push_back({node, out_lane, std::move(givers)});
  }

  void spread() {
    std::vector<std::vector<Index>> given(live_.size());
    std::vector<Index> unmet(live_.size(), 0);
    for (Index n = 0; n < needs_.size(); ++n) {
      ++unmet[needs_[n].node];
      for (const Index giver : needs_[n].givers) given[giver].push_back(n);
    }
    std::vector<Index> todo;
    for (Index node = 0; node < live_.size(); ++node)
      if (live_[node]) todo.push_back(node);
    while (!todo.empty()) {
      const Index node = todo.back();
      todo.pop_back();
      for (const Index n : given[node]) {
        if (needs_[n].met) continue;
        needs_[n].met = true;
        if (--unmet[needs_[n].node] > 0) continue;
        live_[needs_[n].node] = true;
        todo.push_back(needs_[n].node);
      }
    }
  }

  /// Follows the first unmet need from node to node until one comes again.
  std::vector<Need> circle_from(Index node) const {
    std::vector<Need> path;
    std::vector<Index> place(live_.size(), nothing);
    while (place[node] == nothing) {
      place[node] = static_cast<Index>(path.size());
      const auto unmet = std::find_if(needs_.begin(), needs_.end(), [&](const Need& need) {
        return need.node == node && !need.met;
      });
      path.push_back(*unmet);
      node = unmet->givers.front();
    }
    path.erase(path.begin(), path.begin() + place[node]);
    return path;
  }

  /// The in-lane of a node.
  Index lane_of(Index node) const {
    if (node < state_.in.size()) return node;
    for (Index id = 0; id < branch_node_.size(); ++id)
      if (branch_node_[id] != nothing && node >= branch_node_[id] &&
          node < branch_node_[id] + state_.branches[id].size())
        return id;
    for (const auto& [packet, circuit] : circuits_)
      if (circuit.node == node) return circuit.lane;
    return nothing;
  }
  std::string port_text(Index port) const {
    if (state_.is_host(port)) return state_.fabric[HostId(port - state_.switch_ports)].name;
    const Index s = state_.switch_at(port);
    return fmt::format("{}:{}", state_.fabric[SwitchId(s)].name,
                       port - state_.switches[s].first_port + 1);
  }
  std::string packet_text(Index id) const {
    const Packet& packet = state_.slots[state_.in[id].packet].packet;
    return fmt::format("{} > {}", state_.fabric[packet.from].name,
                       packet.group == no_group ? state_.fabric[packet.to].name
                                                : state_.tables.groups[packet.group].name);
  }
  std::string describe(const std::vector<Need>& circle) const {
    std::string out;
    std::set<Index> packets;
    for (const Need& need : circle) {
      if (need.out_lane == nothing) continue;
      const Index id = lane_of(need.node);
      const InLane& lane = state_.in[id];
      packets.insert(lane.packet);
      out += fmt::format("  packet {} in {} (in-port {}, lane {}) waits for {}\n", packet_text(id),
                         state_.fabric[SwitchId(lane.home)].name,
                         state_.port_of(id) - state_.switches[lane.home].first_port + 1,
                         state_.lane_in_port(id), wait_text(need, id));
    }
    return fmt::format("deadlock at cycle {}: {} packets wait for each other in a circle\n{}",
                       state_.now, packets.size(), out);
  }
  std::string wait_text(const Need& need, Index id) const {
    const std::string port = port_text(state_.port_of(need.out_lane));
    const std::string other = packet_text(lane_of(need.givers.front()));
    if (need.out_lane == state_.in[id].upstream)
      return fmt::format("the rest of it from {}, behind packet {}", port, other);
    if (need.out_lane == state_.in[id].out)
      return fmt::format("room behind {}, where packet {} stands", port, other);
    const bool any = chooses(id) && need.givers.size() > 1;
    return fmt::format("a lane of {}{}, which packet {} has", port,
                       any ? " or of another port" : "", other);
  }

  const State& state_;
  struct Circuit {
    Index node;
    Index lane;  ///< where it is kept back, if it is
  };

  std::vector<bool> live_;  ///< by node: lanes, then branches, then open circuits
  std::map<Index, Circuit> circuits_;
  std::vector<Index> branch_node_;
  std::vector<Need> needs_;
};

}  // namespace

std::optional<std::string> find_stall(const State& state) { return Graph(state).stall(); }

}  // namespace weft::sim
