// SPDX-License-Identifier: Apache-2.0
// Injector: the NICs' queues, whose packets go onto the links of the hosts, one after the other.
#pragma once
#include <vector>

#include "sim/flit/reports.hpp"
#include "sim/timers.hpp"

namespace weft::sim {

struct alignas(32) Nic {
  Index first = nothing, last = nothing;  ///< queue
  Index packet = nothing;                 ///< being sent
  std::uint32_t left = 0;                 ///< flits of it
  std::uint32_t lane = 0;                 ///< last used
  Cycle busy_until = 0;  ///< with a packet that is handled as a whole, or was not queued

  bool has_packets() const { return (first & packet) != nothing; }
};

/// A circuit whose last flit waits at the NIC.
struct OpenCircuit {
  Index packet, out_lane;
};

class Injector {
 public:
  Injector(Units& units, Routing& routing, Reports& reports, Timers& timers);
  /// Of a part (parts/), whose hosts are among those of the whole.
  Injector(Injector& whole, Units& units, Reports& reports, Timers& timers)
      : units_(units), routing_(whole.routing_), reports_(reports), timers_(timers) {
    nics.share(whole.nics);
  }

  /// A packet that is in no queue yet.
  Packet& make_packet(const Packet& packet);
  /// The same for one without anything special. (Its fields come by themselves: a load of all of
  /// them would wait for the stores of each.)
  Packet& make_packet(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created);
  /// Puts it into the queue of its NIC.
  void queue(const Packet& packet);
  /// What a host needs that will send a packet.
  void prefetch(Index host) const {
    if (!units_.large) return;
    const Index port = units_.layout.switch_ports + host;
    __builtin_prefetch(&nics[host]);
    __builtin_prefetch(&units_.ports[port]);
    if (!units_.whole_packets) __builtin_prefetch(&units_.out[port << units_.layout.lane_bits]);
  }
  /// Sets a timer of a host that waits until its queue is empty.
  void wake_when_idle(Index host, Cycle at) {
    if (nics[host].first == nothing)
      timers_.set(host, at);
    else
      timers_.hold(host, at);
  }
  /// The queue of a host has become empty.
  void is_idle(Index host) { timers_.release(host); }
  void close_circuit(Index packet) {
    units_.packets.status(packet).closed = true;
    units_.active.insert(static_cast<Index>(units_.packets[packet].packet.from.index()));
  }
  /// The next packet of the queue, on the next lane that can take it. Returns whether there is one.
  template <bool plain, bool empty = !plain>
  WEFT_HOT bool begin_packet(Nic& nic, Index host) {
    if (nic.first == nothing) return false;
    const Layout& layout = units_.layout;
    const Packet& packet = units_.packets[nic.first].packet;
    const std::uint32_t flits = packet.flits;
    const Index first = (layout.switch_ports + host) << layout.lane_bits;
    const std::uint64_t lanes = plain ? layout.data_lanes : entry_lanes(packet, nic.first);
    const Index lane = next_lane(nic, lanes, [&](Index v) {
      const std::int32_t credits = units_.out[first + v].credits;
      return credits > 0 && (!empty || units_.may_begin(credits, flits)) &&
             (plain || !(has_circuits() && has_circuit(host, first + v)));
    });
    if (lane == nothing) return false;
    nic.left = flits;
    nic.packet = take_first(nic, host, lane);
    return true;
  }
  /// The next lane of a mask, round-robin, that fits; nothing where none does.
  template <class Fits>
  Index next_lane(const Nic& nic, std::uint64_t mask, Fits fits) const {
    const Index lanes = units_.layout.lanes;
    for (Index step = 1; step <= lanes; ++step) {
      const Index lane = nic.lane + step < lanes ? nic.lane + step : nic.lane + step - lanes;
      if ((mask >> lane & 1) != 0 && fits(lane)) return lane;
    }
    return nothing;
  }
  /// Takes the first packet out of a host's queue, onto a lane.
  Index take_first(Nic& nic, Index host, Index lane) {
    const Index packet = nic.first;
    PacketRecord& record = units_.packets[packet];
    nic.first = record.next;
    nic.lane = lane;
    record.packet.injected = units_.now;
    --units_.totals.waiting;
    if (nic.first == nothing)
      is_idle(host);
    else
      __builtin_prefetch(&units_.packets[nic.first]);
    return packet;
  }
  /// The lanes of its NIC's link that a packet may take.
  std::uint64_t entry_lanes(const Packet& packet, Index id) const;
  /// What travels with the head flit of a packet.
  template <bool plain = false>
  WEFT_HOT Head head_of(Index id) const {
    return head_of<plain>(units_.packets[id].packet);
  }
  template <bool plain = false>
  WEFT_HOT Head head_of(const Packet& packet) const {
    const bool group = !plain && packet.group != no_group;
    Head head{};
    head.packet = packet.id;
    head.to = group ? packet.group : static_cast<Index>(packet.to.index());
    head.flits = packet.flits & most_packet_flits;
    head.flags = static_cast<std::uint8_t>(
        (packet.urgent ? Head::urgent : 0) |
        (!plain && packet.control && units_.layout.control_shift != 0 ? Head::control : 0) |
        (group ? Head::group : 0) | (!plain && packet.circuit ? Head::circuit : 0) |
        (packet.route != no_route_id ? Head::own_route : 0));
    return head;
  }
  /// The last flit of a circuit that was closed, if there is one and it can go; else nothing.
  OpenCircuit take_closed(Index host);
  void leave_open(Index host, OpenCircuit circuit) { circuits_[host].push_back(circuit); }
  bool has_circuits() const { return !circuits_.empty(); }
  /// The link of this host has failed: nothing of what it has goes out. Returns whether packets
  /// that the driver has sent meanwhile are left.
  bool lose_queue(Index host);

  SharedArray<Nic> nics;  ///< by host

 private:
  bool has_circuit(Index host, Index out_lane) const;
  void lose(Index packet);

  Units& units_;
  Routing& routing_;
  Reports& reports_;
  Timers& timers_;
  std::vector<std::vector<OpenCircuit>> circuits_;  ///< by host
};

}  // namespace weft::sim
