// SPDX-License-Identifier: Apache-2.0
// Folding packets: from where their flits are to the times of their heads. A packet that has begun
// to come to a lane, or to leave it, does so with a flit in every cycle: as many cycles ago as
// there are flits of it that have come, it began to come, and it will have left after as many
// cycles as there are flits that have not left.
#include "sim/flit/fold_packets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/flit/choices.hpp"

namespace weft::sim {
namespace {

class PacketFolding {
 public:
  PacketFolding(Units& units, Injector& injection)
      : u_(units),
        layout_(units.layout),
        injection_(injection),
        now_(units.now),
        on_link_(units.in.size()),
        to_come_(units.in.size(), 0),
        to_leave_(units.in.size(), 0),
        credited_(units.out.size()) {}

  void run() {
    count_flits();
    prepare();
    fold_credits();
    for (Index host = 0; host < injection_.nics.size(); ++host) fold_nic(host);
    for (Index id = 0; id < u_.in.size(); ++id) fold_lane(id);
    // Who waits for a lane looks when there will be one.
    for (Index o = 0; o < layout_.switch_ports; ++o) u_.retry(u_.ports[o], o);
  }

 private:
  /// Flits of the last packet of an in-lane that are on the link to it.
  struct FlitsOnLink {
    std::uint32_t flits = 0;
    bool tail = false;  ///< the last one is among them
  };

  void count_flits() {
    u_.bodies.for_each(now_, [&](Cycle, const Arrival& flit) {
      const Index id = flit.lane & Arrival::lane_mask;
      // (A packet that is led in a circle may come a second time, behind its own tail.)
      if (flit.packet != last_packet(id) || on_link_[id].tail) return;
      ++on_link_[id].flits;
      on_link_[id].tail |= (flit.lane & Arrival::tail) != 0;
    });
    for (Index id = 0; id < u_.in.size(); ++id) {
      const InLane& lane = u_.in[id];
      if (lane.stage == Stage::idle) continue;
      to_come_[id] = flits_to_come(id);
      if (lane.stage == Stage::sending && lane.has(InLane::begun))
        to_leave_[id] = lane.have + (lane.first == nothing ? to_come_[id] : 0);
    }
  }
  /// Those of the last packet of an in-lane: on the link to it, and before that.
  std::uint32_t flits_to_come(Index id) const {
    std::uint32_t out = 0;
    if ((last_flags(id) & InLane::ended) != 0) return out;
    for (;;) {
      out += on_link_[id].flits;
      if (on_link_[id].tail) return out;
      const Index upstream = u_.other_end(id), port = layout_.port_of(upstream);
      if (layout_.is_host(port)) return out + injection_.nics[port - layout_.switch_ports].left;
      id = u_.holder(upstream);
      out += u_.in[id].have;
      if (u_.in[id].has(InLane::ended)) return out;
    }
  }
  Index last_packet(Index id) const {
    const InLane& lane = u_.in[id];
    if (lane.stage == Stage::idle) return nothing;
    return lane.first == nothing ? lane.head.packet : u_.last_segment(lane).head.packet;
  }
  std::uint8_t last_flags(Index id) const {
    const InLane& lane = u_.in[id];
    return lane.first == nothing ? lane.flags : u_.last_segment(lane).flags;
  }

  /// Makes the arrays of packets as a whole.
  void prepare() {
    u_.whole_packets = true;
    u_.head_lead = layout_.head_delay;
    u_.arrived.assign(u_.in.size(), 0);
    u_.packet_out.clear();
    for (const OutLane& lane : u_.out) u_.packet_out.push_back({lane});
    u_.ends.assign(std::bit_ceil(layout_.options.longest_packet + u_.lookahead + 1), PacketEnds{});
    for (SwitchPort& port : u_.ports) {
      port.free_at = port.input_free_at = 0;
      port.several = port.waiting != nothing && u_.next_waiting[port.waiting] != nothing;
    }
    std::fill(u_.held_out.begin(), u_.held_out.end(), nothing);
    std::fill(u_.held_in.begin(), u_.held_in.end(), nothing);
    for (RequestList<SendRequest>& list : u_.senders) list.end_at(list.begin());
    u_.bodies.take_all(now_, [](Cycle, const Arrival&) {});
    std::vector<std::pair<Cycle, HeadArrival>> heads;
    u_.heads.take_all(now_,
                      [&](Cycle at, const HeadArrival& flit) { heads.emplace_back(at, flit); });
    for (const auto& [at, flit] : heads)
      u_.heads.push(at + u_.head_lead,
                    u_.ports[layout_.port_of(flit.lane & Arrival::lane_mask)].block,
                    {flit.lane | Arrival::tail, flit.head});
  }

  /// Credits that come one in every cycle are one event. Those of a packet that leaves a lane, or
  /// is lost there, will go on as long as its flits do.
  void fold_credits() {
    u_.credits.take_all(now_, [&](Cycle at, Index out_lane) { credited_[out_lane].push_back(at); });
    for (Index id = 0; id < u_.in.size(); ++id) {
      const SwitchPort& port = u_.ports[layout_.port_of(id)];
      if (port.peer == nothing) continue;
      const Index out_lane = u_.other_end(id);
      std::vector<Cycle>& times = credited_[out_lane];
      const std::uint32_t more = u_.in[id].stage == Stage::draining ? to_come_[id] : to_leave_[id];
      for (std::uint32_t i = 0; i < more; ++i) times.push_back(now_ + port.back + i);
      for (std::size_t i = 0; i < times.size();) {
        const Cycle first = times[i];
        PacketCredits come{out_lane, 0, first};
        // Several at once can only be the first ones.
        for (; i < times.size() && times[i] == first; ++i) ++come.flits;
        for (; i < times.size() && times[i] == come.last + 1; ++i) {
          ++come.flits;
          ++come.last;
        }
        u_.packet_credits.push(first, port.peer_block, come);
      }
    }
  }

  void fold_nic(Index host) {
    Nic& nic = injection_.nics[host];
    if (nic.packet != nothing) {
      nic.busy_until = now_ + nic.left;
      ++u_.ends_at(nic.busy_until).in_nics;
      send_ahead(((layout_.switch_ports + host) << layout_.lane_bits) + nic.lane, nic.left);
      nic.packet = nothing;
      nic.left = 0;
    }
    if (nic.first != nothing) u_.active.insert(host);
  }

  /// These flits count as sent.
  void send_ahead(Index out_lane, std::uint32_t flits) {
    PacketOutLane& out = u_.packet_out[out_lane];
    out.sent += flits;
    if (!u_.ports[layout_.port_of(out_lane)].to_host) out.credits -= static_cast<int>(flits);
  }

  /// When the head of a packet came, of which all but these flits have come.
  std::uint32_t came(const Head& head, std::uint32_t to_come) const {
    return static_cast<std::uint32_t>(now_ - (head.flits - to_come));
  }

  void fold_lane(Index id) {
    InLane& lane = u_.in[id];
    const SwitchPort& port = u_.ports[layout_.port_of(id)];
    if (lane.stage == Stage::idle) return;
    u_.arrived[id] = came(lane.head, lane.first == nothing ? to_come_[id] : 0);
    lane.flags = static_cast<std::uint8_t>((lane.flags & InLane::chooses) | InLane::ended);
    for (Index i = lane.first; i != nothing; i = u_.segments[i].next) {
      QueuedPacket& queued = u_.segments[i];
      queued.arrived = came(queued.head, queued.next == nothing ? to_come_[id] : 0);
      queued.flags = InLane::ended;
    }
    if (lane.stage == Stage::draining)
      u_.drained.push(now_ + to_come_[id] - 1, port.block, id);
    else if (to_leave_[id] > 0)
      fold_leaving(id);
    else if (lane.stage == Stage::sending)
      u_.add_sender(id, u_.out_lane_of(id), port);
    else if (u_.choices != nullptr && u_.choices->waits(id))
      u_.choices->again(id);
  }

  /// The front packet of an in-lane counts as gone when its last flit has left.
  void fold_leaving(Index id) {
    InLane& lane = u_.in[id];
    const Index out_lane = u_.out_lane_of(id);
    SwitchPort& in_port = u_.ports[layout_.port_of(id)];
    SwitchPort& port = u_.ports[layout_.port_of(out_lane)];
    const Cycle end = now_ + to_leave_[id];
    port.sending = static_cast<std::uint8_t>(layout_.lane_in_port(out_lane));
    port.free_at = in_port.input_free_at = end;
    ++u_.ends_at(end).in_switches;
    send_ahead(out_lane, to_leave_[id]);
    if (port.to_host)
      u_.ejections.push(end - 1 + port.flight, 0,
                        {u_.other_end(out_lane), lane.head.packet, lane.head.hops + 1U});
    u_.next_front_at(lane, id, in_port, end);
  }

  Units& u_;
  const Layout& layout_;
  Injector& injection_;
  const Cycle now_;
  // By in-lane.
  std::vector<FlitsOnLink> on_link_;
  std::vector<std::uint32_t> to_come_;        ///< flits of its last packet
  std::vector<std::uint32_t> to_leave_;       ///< flits of its front packet, if it has begun to
  std::vector<std::vector<Cycle>> credited_;  ///< by out-lane: when credits come
};

}  // namespace

void fold_packets(Units& units, Injector& injection) {
  if (!units.whole_packets) PacketFolding(units, injection).run();
}

}  // namespace weft::sim
