// SPDX-License-Identifier: Apache-2.0
// Unfolding packets into flits. A packet that is handled as a whole has left an in-lane, and has
// been sent to the next one, as soon as its head does so; its flits follow, one in every cycle, and
// so do their credits on the way back. The cycles of the head thus say where each of them is now:
// in the lane that the packet leaves, on the link, in the lane that it comes to.
#include <algorithm>
#include <utility>

#include "sim/flit/fold_packets.hpp"

namespace weft::sim {
namespace {

class PacketUnfolding {
 public:
  PacketUnfolding(Units& units, Injector& injection)
      : u_(units),
        layout_(units.layout),
        injection_(injection),
        now_(units.now),
        coming_(units.in.size()),
        leaving_(units.in.size()),
        ejecting_(injection.nics.size()) {}

  void run() {
    take_events();
    find_leaving_packets();
    for (Index host = 0; host < injection_.nics.size(); ++host) unfold_nic(host);
    unfold_credits();
    keep_routing();
    for (RequestList<SendRequest>& list : u_.senders) list.end_at(list.begin());
    for (Index id = 0; id < u_.in.size(); ++id) unfold_lane(id);
    unfold_ports();
    u_.whole_packets = false;
    u_.head_lead = 0;
    u_.ends.clear();
    u_.packet_out.clear();
    u_.arrived.clear();
  }

 private:
  /// A packet, and the switches that it has passed before the lane where it was found.
  struct FoundPacket {
    Index packet = nothing;
    std::uint32_t hops = 0;
  };
  /// A packet whose head came to an in-lane, or will come, at a cycle.
  struct ComingPacket {
    Head head;
    Cycle came;
  };
  struct LeavingPacket {
    FoundPacket at;
    std::uint32_t left = 0;  ///< flits of it that have not left; 0: there is none
  };

  /// Takes everything out of the delay lines; what stays as it is goes back.
  void take_events() {
    u_.settle_packets();
    u_.heads.take_all(now_, [&](Cycle at, const HeadArrival& flit) {
      coming_[flit.lane & Arrival::lane_mask].push_back({flit.head, at - u_.head_lead});
    });
    std::vector<std::pair<Cycle, Ejection>> ejections;
    u_.ejections.take_all(
        now_, [&](Cycle at, const Ejection& flit) { ejections.emplace_back(at, flit); });
    for (const auto& [at, flit] : ejections) {
      const Index port = layout_.port_of(flit.lane & Arrival::lane_mask);
      if (at >= now_ + u_.ports[u_.ports[port].peer].flight)
        ejecting_[port - layout_.switch_ports] = {flit.packet, flit.hops};
      else
        u_.ejections.push(at, 0, {flit.lane | Arrival::tail, flit.packet, flit.hops});
    }
    const auto forget = [](Cycle, Index) {};
    u_.releases.take_all(now_, forget);
    u_.retries.take_all(now_, forget);
    u_.drained.take_all(now_, forget);
  }

  /// A link that is not free has a packet whose last flits are still in the lane that it leaves.
  void find_leaving_packets() {
    for (Index o = 0; o < layout_.switch_ports; ++o) {
      const SwitchPort& port = u_.ports[o];
      if (port.free_at <= now_) continue;
      const Index out_lane = (o << layout_.lane_bits) + port.sending;
      FoundPacket at = last_sent_to(u_.other_end(out_lane));
      --at.hops;
      leaving_[u_.holder(out_lane)] = {at, static_cast<std::uint32_t>(port.free_at - now_)};
    }
  }

  /// The packet that was sent last to a lane, and is not all there.
  FoundPacket last_sent_to(Index lane) const {
    for (std::uint32_t further = 0;; ++further) {
      if (layout_.is_host(layout_.port_of(lane))) {
        const FoundPacket& at = ejecting_[layout_.port_of(lane) - layout_.switch_ports];
        return {at.packet, at.hops - further};
      }
      const Head* head = nullptr;
      const InLane& in = u_.in[lane];
      if (!coming_[lane].empty())
        head = &coming_[lane].back().head;
      else if (in.first != nothing)
        head = &u_.last_segment(in).head;
      else if (in.stage != Stage::idle)
        head = &in.head;
      if (head != nullptr) return {head->packet, head->hops - further};
      lane = u_.other_end(u_.out_lane_of(lane));  // it leaves this one, too
    }
  }

  void unfold_nic(Index host) {
    Nic& nic = injection_.nics[host];
    const Cycle busy_until = std::exchange(nic.busy_until, 0);
    if (busy_until > now_) {
      const Index out_lane = ((layout_.switch_ports + host) << layout_.lane_bits) + nic.lane;
      nic.packet = last_sent_to(u_.other_end(out_lane)).packet;
      nic.left = static_cast<std::uint32_t>(busy_until - now_);
      unsend(out_lane, nic.left);
    }
    if (busy_until > now_ || (busy_until == now_ && nic.first != nothing)) u_.active.insert(host);
  }

  /// These flits, which were counted when their packet began, have yet to be sent.
  void unsend(Index out_lane, std::uint32_t flits) {
    OutLane& out = u_.out[out_lane];
    out.sent -= flits;
    if (!u_.ports[layout_.port_of(out_lane)].to_host) out.credits += static_cast<int>(flits);
  }

  /// Credits are on the way for flits that have left the lane; they come one by one.
  void unfold_credits() {
    for (Index p = 0; p < u_.ports.size(); ++p)
      for (Index v = 0; v < layout_.lanes && u_.ports[p].peer != nothing; ++v) {
        const Index out_lane = (p << layout_.lane_bits) + v;
        const Cycle last = u_.packet_out[out_lane].last;
        if (last < now_) continue;
        u_.out[out_lane].credits -= static_cast<std::int32_t>(last + 1 - now_);
        push_credits(out_lane, now_, last);
      }
    u_.packet_credits.take_all(now_, [&](Cycle at, const PacketCredits& come) {
      // The first ones of a packet that was lost come together.
      for (std::uint64_t i = come.flits - (come.last - at); i > 0; --i)
        push_credits(come.out_lane, at, at);
      push_credits(come.out_lane, at + 1, come.last);
    });
  }
  /// One in every cycle, as far as their flits have left.
  void push_credits(Index out_lane, Cycle first, Cycle last) {
    const SwitchPort& to = u_.ports[u_.ports[layout_.port_of(out_lane)].peer];
    for (Cycle at = first; at <= last && at < now_ + to.back; ++at)
      u_.credits.push(at, to.peer_block, out_lane);
  }

  /// The head of a packet behind one that leaves is not routed before that has gone.
  void keep_routing() {
    std::vector<std::pair<Cycle, Index>> all;
    u_.routed.take_all(now_, [&](Cycle at, Index id) { all.emplace_back(at, id); });
    for (const auto& [at, id] : all)
      if (leaving_[id].left == 0) u_.routed.push(at, u_.ports[layout_.port_of(id)].block, id);
  }

  /// How many flits of a packet have come to an in-lane. Those that are on the link to it go on.
  std::uint32_t flits_here(Index id, const ComingPacket& packet) {
    const SwitchPort& from = u_.ports[u_.ports[layout_.port_of(id)].peer];
    const std::uint32_t flits = packet.head.flits;
    const auto before = [&](Cycle when) {  // flits that come before a cycle
      return when <= packet.came
                 ? 0
                 : static_cast<std::uint32_t>(std::min<Cycle>(when - packet.came, flits));
    };
    const std::uint32_t here = before(now_), sent = before(now_ + from.flight);
    for (std::uint32_t i = here; i < sent; ++i) {
      const Index lane = id | (i + 1 == flits ? Arrival::tail : 0);
      if (i == 0)
        u_.heads.push(packet.came, from.peer_block, {lane, packet.head});
      else
        u_.bodies.push(packet.came + i, from.peer_block, {lane, packet.head.packet});
    }
    return here;
  }

  /// Takes all packets out of an in-lane, with those on the link to it and the one that leaves it.
  std::vector<ComingPacket> take_packets(Index id) {
    InLane& lane = u_.in[id];
    const bool waiting = lane.stage != Stage::idle;
    const Cycle arrived = u_.cycle_of(u_.arrived[id]);
    std::vector<ComingPacket> out;
    if (const LeavingPacket& leaving = leaving_[id]; leaving.left > 0) {
      Head head = injection_.head_of(leaving.at.packet);
      head.hops = static_cast<std::uint16_t>(leaving.at.hops);
      // The one behind it has come when all of it was there.
      out.push_back({head, arrived - (waiting ? head.flits : 0)});
    }
    if (waiting) out.push_back({lane.head, arrived});
    while (lane.first != nothing) {
      const Cycle came = u_.cycle_of(u_.take_segment(lane));
      out.push_back({lane.head, came});
    }
    out.insert(out.end(), coming_[id].begin(), coming_[id].end());
    return out;
  }

  void unfold_lane(Index id) {
    InLane& lane = u_.in[id];
    const auto chooses = static_cast<std::uint8_t>(lane.flags & InLane::chooses);
    const Cycle free_from = lane.stage == Stage::idle ? lane.left_at : now_;
    bool is_front = true;
    for (const ComingPacket& packet : take_packets(id)) {
      const std::uint32_t here = flits_here(id, packet);
      if (here == 0) continue;
      const std::uint8_t ended = here == packet.head.flits ? InLane::ended : 0;
      if (!std::exchange(is_front, false)) {
        u_.append(lane, packet.head, ended);
        u_.last_segment(lane).have = static_cast<std::uint16_t>(here);
        continue;
      }
      lane.head = packet.head;
      lane.have = static_cast<std::uint16_t>(here);
      lane.flags = static_cast<std::uint8_t>(ended | chooses);
      if (lane.stage == Stage::idle && leaving_[id].left == 0) {
        lane.stage = Stage::routing;
        u_.request_after(id, std::max(packet.came, free_from));
      }
    }
    unfold_front(id);
  }

  /// What the front packet of an in-lane does, if there is one.
  void unfold_front(Index id) {
    InLane& lane = u_.in[id];
    const Index in_port = layout_.port_of(id);
    if (const std::uint32_t left = leaving_[id].left; left > 0) {
      lane.stage = Stage::sending;
      lane.flags |= InLane::begun;
      lane.have = static_cast<std::uint16_t>(lane.have - (lane.head.flits - left));
      u_.held_out[u_.out_port_of(id)] = u_.held_in[in_port] = id;
      unsend(u_.out_lane_of(id), left);
    }
    if (lane.stage == Stage::draining) lane.have = 0;
    if (lane.stage == Stage::sending) u_.add_sender(id, u_.out_lane_of(id), u_.ports[in_port]);
  }

  void unfold_ports() {
    for (Index p = 0; p < u_.ports.size(); ++p) {
      SwitchPort& port = u_.ports[p];
      const bool released = port.free_at == now_ && !layout_.is_host(p);
      port.sending = SwitchPort::no_lane;
      port.several = false;
      port.awaited &= SwitchPort::a_lane;
      port.blocked = nothing;
      port.request = port.grant = SwitchPort::none;
      if (released) u_.retry(port, p);  // a last flit has left in the cycle before
    }
  }

  Units& u_;
  const Layout& layout_;
  Injector& injection_;
  const Cycle now_;
  std::vector<std::vector<ComingPacket>> coming_;  ///< by in-lane: whose heads are on the link
  std::vector<LeavingPacket> leaving_;             ///< by in-lane
  std::vector<FoundPacket> ejecting_;              ///< by host: whose last flits are to be sent
};

}  // namespace

void unfold_packets(Units& units, Injector& injection) {
  if (units.whole_packets) PacketUnfolding(units, injection).run();
}

}  // namespace weft::sim
