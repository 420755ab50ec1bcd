// SPDX-License-Identifier: Apache-2.0
// The wait-for graph of a network. A node is a lane whose front packet must move on, or one branch
// of a multicast packet. It waits for all of its needs; a need is met by any one of its givers
// (any idle lane will do). What is not reached from nodes that can move, can never move. An open
// circuit is a node of its own: it gives its lanes back when it has come to all of its ends.
#include "sim/flit/stall_detector.hpp"

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

class WaitForGraph {
 public:
  WaitForGraph(const Units& units, const Routing& routing, const Branches& branches,
               const Choices& choices)
      : u_(units),
        layout_(units.layout),
        routing_(routing),
        b_(branches),
        choices_(choices),
        live_(units.in.size(), true) {}

  std::optional<std::string> stall() {
    collect();
    spread();
    for (Index node = 0; node < live_.size(); ++node)
      if (!live_[node]) return describe(cycle_from(node));
    return std::nullopt;
  }

 private:
  void collect() {
    const std::vector<bool> moving = moving_lanes();
    branch_node_.assign(b_.any() ? u_.in.size() : 0, nothing);
    for (Index id = 0; id < u_.in.size(); ++id)
      if (has_branches(id)) add_branch_nodes(id);
    if (layout_.options.circuits)
      for (Index id = 0; id < u_.in.size(); ++id) add_circuit_nodes(id);
    for (Index id = 0; id < u_.in.size(); ++id) {
      if (u_.in[id].stage == Stage::idle || moving[id]) continue;
      add_needs(id);
      if (!circuits_.empty()) add_needs_of_circuits(id);
    }
  }

  /// Lanes that will do something, or be looked at, as things are.
  std::vector<bool> moving_lanes() const {
    std::vector<bool> moving(u_.in.size(), false);
    const auto waiting = [&](Index o) {
      for (Index who = u_.ports[o].waiting; who != nothing; who = u_.next_waiting[who])
        moving[b_.lane_of(who)] = true;
      if (choices_.allowed() && !layout_.is_host(o))
        for (const Index id : choices_.waiting_at(o)) moving[id] = true;
    };
    u_.heads.for_each(u_.now, [&](Cycle, const HeadArrival& flit) {
      moving[flit.lane & Arrival::lane_mask] = true;
    });
    u_.bodies.for_each(
        u_.now, [&](Cycle, const Arrival& flit) { moving[flit.lane & Arrival::lane_mask] = true; });
    u_.routed.for_each(u_.now, [&](Cycle, Index id) { moving[id] = true; });
    // A credit on the way may let its lane's holder, and those that wait for the port, go on.
    const auto credited = [&](Index out_lane) {
      const Index o = layout_.port_of(out_lane);
      if (layout_.is_host(o)) {  // a NIC may go on sending
        moving[u_.other_end(out_lane)] = true;
        return;
      }
      if (const Index holder = u_.holder(out_lane); holder != nothing) moving[holder] = true;
      waiting(o);
    };
    u_.credits.for_each(u_.now,
                        [&](Cycle, Index signal) { credited(signal & Units::signal_mask); });
    // Packets as a whole: room, links and inputs that are to become free.
    u_.packet_credits.for_each(u_.now,
                               [&](Cycle, const PacketCredits& come) { credited(come.out_lane); });
    u_.drained.for_each(u_.now, [&](Cycle, Index id) { moving[id] = true; });
    u_.releases.for_each(u_.now, [&](Cycle, Index port) { waiting(port); });
    u_.retries.for_each(u_.now, [&](Cycle, Index port) { waiting(port); });
    for (const SwitchPort& port : u_.ports)
      for (Index id = port.blocked; id != nothing; id = u_.next_waiting[id]) moving[id] = true;
    for (Index block = 0; block < layout_.blocks; ++block) {
      for (const SendRequest& sender : u_.senders[block]) moving[b_.lane_of(sender.from())] = true;
      for (const Index o : u_.requested[block]) waiting(o);
    }
    if (choices_.allowed())
      for (Index id = 0; id < layout_.switch_lanes(); ++id)
        if (choices_.chooses(id)) moving[id] = true;
    return moving;
  }

  bool is_open_circuit(const Head& head) const {
    return head.has(Head::circuit) && !u_.packets.is_closed(head.packet);
  }
  void add_circuit_nodes(Index id) {
    const auto add = [&](const Head& head) {
      if (is_open_circuit(head) &&
          circuits_.try_emplace(head.packet, Circuit{static_cast<Index>(live_.size()), id}).second)
        live_.push_back(true);
    };
    if (u_.in[id].stage == Stage::idle) return;
    add(u_.in[id].head);
    u_.each_segment(u_.in[id], [&](const QueuedPacket& segment) { add(segment.head); });
  }
  /// What keeps open circuits in this lane from coming to their ends.
  void add_needs_of_circuits(Index id) {
    const InLane& lane = u_.in[id];
    const Index packet = lane.head.packet;
    u_.each_segment(lane,
                    [&](const QueuedPacket& segment) { keep_back(segment.head.packet, id, id); });
    if (has_branches(id)) {
      const auto& all = b_.of(id);
      for (Index i = 0; i < all.size(); ++i) {
        const Branch& branch = b_[all[i]];
        if (branch.done) continue;
        if (branch.out_lane == nothing)
          keep_back(packet, id, branch_node_[id] + i);
        else
          keep_behind(packet, id, branch.out_lane);
      }
    } else if (lane.stage == Stage::waiting) {
      keep_back(packet, id, id);
    } else if (lane.stage == Stage::sending) {
      keep_behind(packet, id, u_.out_lane_of(id));
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
    if (leads_to_host(out_lane) || u_.out[out_lane].credits > 0) return;
    const Index target = u_.other_end(out_lane);
    const InLane& beyond = u_.in[target];
    if (beyond.stage != Stage::idle && beyond.head.packet != packet) keep_back(packet, id, target);
  }

  bool leads_to_host(Index out_lane) const { return u_.ports[layout_.port_of(out_lane)].to_host; }
  bool has_branches(Index id) const {
    return u_.in[id].has(InLane::replicate) && u_.in[id].stage != Stage::idle;
  }
  void add_branch_nodes(Index id) {
    branch_node_[id] = static_cast<Index>(live_.size());
    live_.resize(live_.size() + b_.of(id).size(), true);
  }
  /// The node that must move for an out-lane to become free.
  Index holder_node(Index out_lane) const {
    const Index id = u_.holder(out_lane);
    const auto circuit = circuits_.find(u_.in[id].head.packet);
    return circuit != circuits_.end() ? circuit->second.node : sender_node(out_lane);
  }
  /// The node that sends over an out-lane.
  Index sender_node(Index out_lane) const {
    const Index id = u_.holder(out_lane);
    if (!has_branches(id)) return id;
    const auto& all = b_.of(id);
    for (Index i = 0; i < all.size(); ++i)
      if (b_[all[i]].out_lane == out_lane) return branch_node_[id] + i;
    return id;
  }

  void add_needs(Index id) {
    const InLane& lane = u_.in[id];
    if (has_branches(id)) {
      add_needs_of_branches(id);
    } else if (lane.stage == Stage::routing) {
      if (layout_.store_and_forward) add_upstream(id, id);
    } else if (lane.stage == Stage::draining) {
      add_upstream(id, id);
    } else if (choices_.waits(id)) {
      add_choice(id);
    } else {
      const bool sends = lane.stage == Stage::sending;
      add_next_hop(id, id, sends ? u_.out_lane_of(id) : nothing, u_.out_port_of(id), lane.have > 0,
                   lane.lane_class);
    }
  }
  void add_needs_of_branches(Index id) {
    const InLane& lane = u_.in[id];
    const auto& all = b_.of(id);
    const std::uint32_t released = b_.released(id);
    for (Index i = 0; i < all.size(); ++i) {
      const Branch& branch = b_[all[i]];
      if (branch.done) continue;
      const Index node = branch_node_[id] + i;
      // Flits leave the buffer when the slowest copies have sent them.
      if (branch.sent == released) need(id, nothing, {node});
      if (branch.out_lane == nothing)
        wait_in_order(id, i);
      else if (lane.have > 0 && branch.sent == released + lane.have &&
               u_.out[u_.other_end(id)].credits <= 0)
        need(node, nothing, {id});  // its rest comes when slower copies have made room
      add_next_hop(node, id, branch.out_lane, branch.out_port, branch.sent < released + lane.have,
                   branch.lane_class);
    }
  }
  /// A copy of a group with a root requests a lane when those before it have theirs.
  void wait_in_order(Index id, Index i) {
    if (!routing_.has_root(u_.in[id].head.to)) return;
    for (Index before = 0; before < i; ++before) {
      const Branch& branch = b_[b_.of(id)[before]];
      if (!branch.done && branch.out_lane == nothing)
        need(branch_node_[id] + i, nothing, {branch_node_[id] + before});
    }
  }

  /// Who must move for the packet to get one of these lanes of a port; false: nobody, hosts take
  /// everything.
  bool add_givers(std::vector<Index>& givers, Index port, std::uint64_t lanes) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      const Index other = (port << layout_.lane_bits) + lowest(lanes);
      if (u_.holder(other) != nothing)
        givers.push_back(holder_node(other));
      else if (!leads_to_host(other))
        givers.push_back(u_.other_end(other));
      else
        return false;
    }
    return true;
  }

  /// A packet that waits for any one of several ports.
  void add_choice(Index id) {
    std::vector<Index> givers;
    Index first = nothing;
    bool open = false;
    choices_.each_port(id, [&](Index o, const RouteStep& hop) {
      if (open || u_.is_dead(o)) return;
      open = !add_givers(givers, o, u_.allowed(u_.in[id].head, hop.lane_class, u_.ports[o]));
      if (first == nothing) first = o;
    });
    if (!open && first != nothing) need(id, first << layout_.lane_bits, std::move(givers));
  }

  /// What `node`, the front packet of in-lane `id` or a branch of it, needs to go by `port`.
  void add_next_hop(Index node, Index id, Index out_lane, Index port, bool has_flit,
                    Lane lane_class) {
    if (out_lane == nothing) {
      std::vector<Index> givers;
      if (add_givers(givers, port, u_.allowed(u_.in[id].head, lane_class, u_.ports[port])))
        need(node, port << layout_.lane_bits, std::move(givers));
    } else if (!has_flit) {
      add_upstream(node, id);
    } else if (u_.out[out_lane].credits <= 0 && !leads_to_host(out_lane)) {
      need(node, out_lane, {u_.other_end(out_lane)});
    }
  }

  /// The rest of the packet must come; a NIC always sends it.
  void add_upstream(Index node, Index id) {
    const Index upstream = u_.other_end(id);
    if (layout_.is_host(layout_.port_of(upstream)) || u_.holder(upstream) == nothing) return;
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
  std::vector<Need> cycle_from(Index node) const {
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
    if (node < u_.in.size()) return node;
    for (Index id = 0; id < branch_node_.size(); ++id)
      if (branch_node_[id] != nothing && node >= branch_node_[id] &&
          node < branch_node_[id] + b_.of(id).size())
        return id;
    for (const auto& [packet, circuit] : circuits_)
      if (circuit.node == node) return circuit.lane;
    return nothing;
  }
  std::string port_text(Index port) const {
    const SwitchPort& at = u_.ports[port];
    if (layout_.is_host(port)) return layout_.fabric[HostId(at.home)].name;
    return fmt::format("{}:{}", layout_.fabric[SwitchId(at.home)].name, at.number + 1);
  }
  std::string packet_text(Index id) const {
    const Packet& packet = u_.packets[u_.in[id].head.packet].packet;
    return fmt::format("{} > {}", layout_.fabric[packet.from].name,
                       packet.group == no_group ? layout_.fabric[packet.to].name
                                                : layout_.tables.groups[packet.group].name);
  }
  std::string describe(const std::vector<Need>& cycle) const {
    std::string out;
    std::set<Index> packets;
    for (const Need& need : cycle) {
      if (need.out_lane == nothing) continue;
      const Index id = lane_of(need.node);
      const SwitchPort& in_port = u_.ports[layout_.port_of(id)];
      packets.insert(u_.in[id].head.packet);
      out += fmt::format("  packet {} in {} (in-port {}, lane {}) waits for {}\n", packet_text(id),
                         layout_.fabric[SwitchId(in_port.home)].name, in_port.number + 1,
                         layout_.lane_in_port(id), wait_text(need, id));
    }
    return fmt::format("deadlock at cycle {}: {} packets wait for each other in a circle\n{}",
                       u_.now, packets.size(), out);
  }
  std::string wait_text(const Need& need, Index id) const {
    const std::string port = port_text(layout_.port_of(need.out_lane));
    const std::string other = packet_text(lane_of(need.givers.front()));
    if (need.out_lane == u_.other_end(id))
      return fmt::format("the rest of it from {}, behind packet {}", port, other);
    if (!has_branches(id) && u_.in[id].stage == Stage::sending &&
        need.out_lane == u_.out_lane_of(id))
      return fmt::format("room behind {}, where packet {} stands", port, other);
    const bool any = choices_.waits(id) && need.givers.size() > 1;
    return fmt::format("a lane of {}{}, which packet {} has", port,
                       any ? " or of another port" : "", other);
  }

  struct Circuit {
    Index node;
    Index lane;  ///< where it is kept back, if it is
  };
  const Units& u_;
  const Layout& layout_;
  const Routing& routing_;
  const Branches& b_;
  const Choices& choices_;
  std::vector<bool> live_;  ///< by node: lanes, then branches, then open circuits
  std::map<Index, Circuit> circuits_;
  std::vector<Index> branch_node_;
  std::vector<Need> needs_;
};

}  // namespace

std::optional<std::string> find_stall(const Units& units, const Routing& routing,
                                      const Branches& branches, const Choices& choices) {
  return WaitForGraph(units, routing, branches, choices).stall();
}

}  // namespace weft::sim
