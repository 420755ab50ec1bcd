// SPDX-License-Identifier: Apache-2.0
// State: a network at one moment, in flat arrays, and the small steps that all of the engine's
// parts share.
//
// Ports are numbered switch by switch (port p of a switch is first_port + p - 1); the links of the
// hosts follow, one port each. Lane v of port p is p * lanes + v, on the receiving side (in) as on
// the sending side (out). Within a switch, bit p * lanes + v of a mask stands for an in-lane.
#pragma once
#include <vector>

#include "sim/engine/lanes.hpp"
#include "sim/engine/ring.hpp"
#include "sim/engine/round_robin.hpp"
#include "sim/engine/steering.hpp"

namespace weft::sim {

class State {
 public:
  State(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
        const NetworkOptions& options);

  const Fabric& fabric;
  const Tables& tables;
  SwitchModel model;
  NetworkOptions options;
  Duration cycle{};  ///< one flit on the fastest link
  Index lanes;       ///< of every link
  Steering steering;

  Index switch_ports = 0, switch_lanes = 0;
  std::vector<SwitchState> switches;
  std::vector<Port> ports;
  std::vector<std::uint16_t> port_of_bit, lane_of_bit;
  std::vector<std::uint64_t> class_lanes;  ///< the lanes of every lane class of the tables
  std::uint64_t all_lanes = 0;
  std::uint64_t data_lanes = 0;  ///< those that are not for control packets
  Index control_shift = 0;       ///< from a data lane to its control lane; 0: there are none
  Cycle head_delay = 0;          ///< from a head's arrival to lane allocation

  std::vector<InLane> in;
  std::vector<OutLane> out;
  std::vector<Queue> queues;               ///< by in-lane
  std::vector<Index> lane_turn;            ///< by in-lane: round robin of lane allocation
  std::vector<Index> parked_next;          ///< by in-lane: see Port::parked
  std::vector<std::uint64_t> ready, want;  ///< masks: may send a flit; may be given a lane
  WorkSet busy;                            ///< switches with one of these
  WorkSet active;                          ///< hosts that inject

  Ring<Arrival> arrivals;
  Ring<Arrival> ejections;
  Ring<Index> credits;  ///< out-lanes, or signals
  Ring<Index> wants;    ///< in-lanes
  Timers timers;
  std::vector<Nic> nics;
  std::vector<Slot> slots;
  std::vector<Fate> fates;  ///< by slot, as far as it was asked for
  std::vector<Segment> segments;
  Index free_slot = nothing, free_segment = nothing;

  // Only where a feature needs them.
  std::vector<std::uint64_t> interval, free_at;  ///< by port, in 1/65536 cycles: slower links
  std::vector<Index> held_out, held_in;  ///< by port: the in-lane that has it for a whole packet
  std::vector<Cycle> since;              ///< by in-lane: when its front packet came to the front
  std::vector<std::uint16_t> fill;       ///< by in-lane: flits in the buffer (stop/go)
  std::vector<std::vector<Branch>> branches;        ///< by in-lane
  std::vector<std::vector<Index>> parked_branches;  ///< by out-port: in-lanes
  std::vector<std::uint32_t> released;  ///< by in-lane: flits that all branches have sent
  std::vector<bool> dead, mended;       ///< by port: its link has failed, or had
  std::vector<bool> failed;             ///< by switch
  std::vector<Index> passed;    ///< by in-lane: switches that its front packet has behind it
  std::vector<Choice> choices;  ///< by in-lane
  std::vector<std::vector<std::uint64_t>> choosers;  ///< by out-port, masks: wait for it, or others
  std::vector<Index> choice_turn;                    ///< by switch: the port to try first
  std::vector<Intake> intakes;                       ///< by host
  std::vector<std::vector<OpenCircuit>> circuits;    ///< by host

  /// Only unicast over equal links, and lanes that take turns by flit: the fast path.
  bool fast = true;
  bool cut_through = false;  ///< or store-and-forward: a packet waits for room for all of it
  bool store_and_forward = false;
  bool stop_go = false;
  bool whole_copies = false;  ///< some groups have no root: their packets are copied from buffers
  bool many_wait = false;     ///< not only parked lanes, but branches or choosers wait for ports

  Totals totals{};
  Cycle now = 0;

  /// The input of the crossbar that an in-lane (by its bit) has, of so many.
  Index input_of(Index bit) const { return model.lane_inputs ? bit : port_of_bit[bit]; }
  Index inputs(const SwitchState& at) const {
    return model.lane_inputs ? at.ports * lanes : at.ports;
  }
  bool is_host(Index port) const { return port >= switch_ports; }
  Index port_of(Index lane) const { return lane / lanes; }
  Index lane_in_port(Index lane) const { return lane % lanes; }
  Index port_at(SwitchId s, PortNumber port) const {
    return switches[s.index()].first_port + port - 1U;
  }
  Index port_of_host(HostId host) const { return switch_ports + static_cast<Index>(host.index()); }
  /// The switch that a port (not of a host) belongs to.
  Index switch_at(Index port) const { return in[port * lanes].home; }
  bool is_dead(Index port) const { return !dead.empty() && dead[port]; }

  void set_bit(std::vector<std::uint64_t>& mask, const InLane& lane) {
    mask[switches[lane.home].first_word + lane.bit / 64] |= std::uint64_t{1} << (lane.bit % 64);
    busy.insert(lane.home);
  }
  void clear_bit(std::vector<std::uint64_t>& mask, const InLane& lane) {
    mask[switches[lane.home].first_word + lane.bit / 64] &= ~(std::uint64_t{1} << (lane.bit % 64));
  }

  /// Whether the tables lead somewhere: to a switch, or to the host that is meant.
  bool leads_on(const SwitchState& at, const Steering::Way& way, HostId to) const {
    if (way.port > at.ports || way.port == 0 || way.lane_class >= class_lanes.size()) return false;
    const Index peer = ports[at.first_port + way.port - 1U].peer;
    return peer < switch_ports || peer == port_of_host(to);
  }
  /// The lanes an in-lane's packet may take at an out-port.
  std::uint64_t allowed(const InLane& lane, Index port) const {
    const bool any = is_host(ports[port].peer) && model.host_lanes;
    return lanes_for(slots[lane.packet].packet, any ? data_lanes : class_lanes[lane.lane_class]);
  }
  /// These data lanes, or their control lanes.
  std::uint64_t lanes_for(const Packet& packet, std::uint64_t mask) const {
    return control_shift != 0 && packet.control ? mask << control_shift : mask;
  }
  bool has_room(std::int32_t credits, Index packet) const {
    return !cut_through || stop_go ||
           credits >= static_cast<std::int32_t>(slots[packet].packet.flits);
  }
  /// The lanes of `port` that the front packet may have now.
  std::uint64_t offer(const InLane& lane, Index port) const {
    std::uint64_t result = ports[port].idle & allowed(lane, port);
    if (!cut_through) return result;
    for (std::uint64_t left = result; left != 0; left &= left - 1)
      if (!has_room(out[port * lanes + lowest(left)].credits, lane.packet))
        result &= ~(left & (~left + 1));
    return result;
  }
  void release_lane(Index out_lane, Index port) {
    out[out_lane].holder = nothing;
    ports[port].idle |= std::uint64_t{1} << (out_lane - port * lanes);
    if (ports[port].parked != nothing || many_wait) unpark(port);
  }
  /// The last flit of a packet has gone over an out-lane: it is free for another, unless it leads
  /// to a host without room for one. A lane that is free or taken has a buffer of the host's.
  void end_packet(Index out_lane, Index port) {
    if (intakes.empty() || !is_host(ports[port].peer)) {
      release_lane(out_lane, port);
      return;
    }
    Intake& intake = intakes[ports[port].peer - switch_ports];
    if (intake.room > 0) {
      --intake.room;
      release_lane(out_lane, port);
    } else {
      out[out_lane].holder = nothing;
      intake.closed |= std::uint64_t{1} << (out_lane - port * lanes);
    }
  }
  void close_circuit(Index slot) {
    fate(slot).closed = true;
    active.insert(static_cast<Index>(slots[slot].packet.from.index()));
  }
  /// Whether a flit is the last but one of a circuit, with so many sent before it.
  bool fills_circuit(Index packet, std::uint32_t sent) const {
    return !circuits.empty() && slots[packet].packet.circuit &&
           sent + 2 == slots[packet].packet.flits;
  }
  /// A host has a buffer free again.
  void take_packet(Index host);
  void park(Index id, Index port) {
    parked_next[id] = ports[port].parked;
    ports[port].parked = id;
  }
  void unpark(Index port) {
    for (Index id = ports[port].parked; id != nothing; id = parked_next[id]) set_bit(want, in[id]);
    ports[port].parked = nothing;
    if (many_wait) unpark_others(port);
  }
  /// From now on packets may choose among ports.
  void allow_choices();
  /// Branches, and packets that may choose this port.
  void unpark_others(Index port);

  /// Flits in the buffer of an in-lane.
  std::uint64_t buffered(Index lane) const;
  void append(InLane& lane, Index id, const Arrival& flit, std::uint16_t flags);
  /// Takes the packet behind the front one out of the queue (there is one).
  Segment take_segment(InLane& lane, Index id);
  /// The front packet has left (or is gone): the one behind it comes to the front.
  void next_front(InLane& lane, Index id);
  /// When lane allocation may look at the front packet, which came (to the front) at `when`.
  void route_at(Index id, Cycle when);

  /// Stop and go: flits come to a buffer and leave it, and the sender is told where they cross a
  /// threshold.
  void flit_came(Index id) {
    if (++fill[id] == model.stop) signal(id, stop_signal);
  }
  void flits_left(Index id, std::uint32_t flits) {
    const std::uint32_t before = fill[id];
    fill[id] = static_cast<std::uint16_t>(before - flits);
    if (before > model.go && before - flits <= model.go) signal(id, go_signal);
  }
  void signal(Index id, Index what) {
    credits.push(now + ports[port_of(id)].back, in[id].upstream | what);
  }
  /// On the way back: an out-lane for a credit, or with one of these.
  static constexpr Index stop_signal = 1U << 31, go_signal = 1U << 30, signal_mask = go_signal - 1;

  /// The lanes of its NIC's link that a packet may take.
  std::uint64_t entry_lanes(const Slot& slot) const;

  Index add_slot(const Packet& packet) {
    if (free_slot == nothing) more_slots();
    const Index id = free_slot;
    Slot& slot = slots[id];
    free_slot = slot.next;
    slot.packet = packet;
    slot.packet.created = now;
    slot.packet.id = id;
    slot.next = nothing;
    slot.hops = 0;
    slot.lane_class = 0;
    return id;
  }
  bool is_closed(Index circuit) const { return circuit < fates.size() && fates[circuit].closed; }
  Fate& fate(Index slot) {
    if (slot >= fates.size()) fates.resize(slots.size());
    return fates[slot];
  }
  void free(Index slot) {
    if (slot < fates.size()) fates[slot] = {};
    slots[slot].next = free_slot;
    free_slot = slot;
  }

  static constexpr std::int32_t endless = 1 << 30;
  bool endless_hosts = false;  ///< hosts take flits faster than buffers could fill

 private:
  void number_ports();
  void connect_ports();
  void set_delays();
  void share_out_lanes();
  void set_flow_control();
  void add_feature_arrays();
  void add_intakes();
  void more_slots();
  std::uint32_t wire_cycles(const Wire& wire) const;
};

}  // namespace weft::sim
