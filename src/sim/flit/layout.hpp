// SPDX-License-Identifier: Apache-2.0
// Layout: how the flit simulator numbers a network, and what does not change while it runs.
//
// Ports are numbered switch by switch (port p of a switch is first_port + p - 1); the links of the
// hosts follow, a port each. Lane v of port p is p << lane_bits | v, on the receiving side (in) as
// on the sending side (out). Within a switch an in-lane is numbered alike, from its first port on.
// Switches are handled in blocks whose arrays fit a cache.
#pragma once
#include <vector>

#include "sim/flit/packets.hpp"
#include "sim/flit/port_table.hpp"
#include "sim/timing.hpp"

namespace weft::sim {

struct SwitchPorts {
  Index first = 0, count = 0;
};

/// Throws Error where tables use more lanes than the switches have.
void require_lanes(const Tables& tables, const SwitchModel& model);

class Layout {
 public:
  /// Throws Error when tables, model and packet length do not fit each other.
  Layout(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
         const NetworkOptions& options);
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  const Fabric& fabric;
  const Tables& tables;
  SwitchModel model;
  NetworkOptions options;
  Timing timing;
  std::uint32_t buffer = 0;  ///< flits per lane of an input port
  Index lanes;               ///< of every link
  Index lane_bits;
  std::vector<SwitchPorts> switches;
  Index switch_ports = 0, all_ports = 0;
  Index block_bits = 0;  ///< a block is 1 << block_bits switches
  Index blocks = 1;
  bool fits_cache = false;  ///< all of it: on one thread there is one block

  PortEnds ends;
  PortTable out_ports;  ///< by switch and destination, where the tables have nothing but these

  std::vector<std::uint64_t> class_lanes;  ///< the lanes of every lane class of the tables
  /// Sets of lanes that a packet may have: by lane class; then those to a host; then those of
  /// control packets, where there are some, alike.
  std::vector<std::uint64_t> lane_sets;
  std::uint8_t set_to_host = 0;
  std::uint64_t all_lanes = 0;
  std::uint64_t data_lanes = 0;  ///< those that are not for control packets
  Index control_shift = 0;       ///< from a data lane to its control lane; 0: there are none
  Cycle head_delay = 0;          ///< from a head's arrival in its buffer to lane allocation
  bool lane_at_once = false;     ///< lane and crossbar are allocated in the same cycle
  std::uint32_t most_hops = 0;   ///< that a packet makes before it counts as in a loop

  bool cut_through = false;  ///< or store-and-forward: a packet waits for room for all of it
  bool store_and_forward = false;
  bool stop_go = false;
  bool empty_lanes = false;   ///< a lane holds one packet at a time
  bool by_packet = false;     ///< a packet holds a link from its head to its tail
  bool whole_copies = false;  ///< some groups have no root: their packets are copied from buffers

  bool is_host(Index port) const { return port >= switch_ports; }
  Index switch_lanes() const { return switch_ports << lane_bits; }
  Index port_of(Index lane) const { return lane >> lane_bits; }
  Index lane_in_port(Index lane) const { return lane & ((1U << lane_bits) - 1); }
  Index port_at(SwitchId s, PortNumber port) const { return switches[s.index()].first + port - 1U; }
  Index port_of_host(HostId host) const { return switch_ports + static_cast<Index>(host.index()); }
  Index block_of(Index at) const { return at >> block_bits; }
  /// Whether several threads can move switches: not where every flit is looked at, and where what
  /// happens to one link is known at once at another one.
  bool can_part() const;
  /// Whether heads are received when they have been routed, as nothing else is to be seen of them
  /// before: packets of one flit. Flits are counted where they are if somebody looks.
  bool heads_come_routed() const {
    return options.longest_packet == 1 && !stop_go && !model.priorities && !options.check &&
           !options.faults.any();
  }
  /// Whether packets can be handled as a whole, if links are alike, until something fails: those
  /// that have a link to themselves never wait on the way.
  bool packets_are_whole() const {
    const bool have_links = by_packet && cut_through && !store_and_forward && !stop_go;
    const bool simple =
        !model.lane_inputs && !model.priorities && !empty_lanes && tables.groups.empty();
    const bool unobserved = options.faults.bit_error_rate <= 0 && !options.check &&
                            !options.circuits && !options.fault_sites && !options.departures &&
                            !options.flit_departures && options.receive_buffers == 0 &&
                            options.pace != Pace::events;
    // Packets of switches that allocate lane and crossbar at once are not unfolded when a link
    // fails.
    const bool unfolds = !lane_at_once || !options.faults.any();
    return have_links && simple && unobserved && unfolds;
  }
  /// The set of lanes that a packet of a class may have on a link.
  Index lane_set(const Head& head, Lane lane_class, bool to_host) const {
    const Index set = to_host && model.host_lanes ? set_to_host : lane_class;
    return head.has(Head::control) && control_shift != 0 ? set + set_to_host + 1U : set;
  }
  /// These data lanes, or their control lanes.
  std::uint64_t lanes_for(const Head& head, std::uint64_t mask) const {
    return head.has(Head::control) ? mask << control_shift : mask;
  }

 private:
  void number_ports();
  void share_out_lanes();
};

}  // namespace weft::sim
