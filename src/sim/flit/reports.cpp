// SPDX-License-Identifier: Apache-2.0
// The ends of packets, and of the copies of multicast packets.
#include "sim/flit/reports.hpp"

#include <algorithm>

#include "fabric/group_walk.hpp"

namespace weft::sim {

Reports::Reports(Units& units) : units_(units) {
  const Layout& layout = units.layout;
  for (const Group& group : layout.tables.groups) {
    auto& members = members_.emplace_back(layout.fabric.host_count(), false);
    for (const HostId member : group.members) members[member.index()] = true;
  }
}

void Reports::expect_members(Index id) {
  const Packet& packet = units_.packets[id].packet;
  const std::vector<bool>& members = members_[packet.group];
  units_.totals.sent += static_cast<std::uint64_t>(
      std::count(members.begin(), members.end(), true) - (members[packet.from.index()] ? 1 : 0));
  std::vector<bool>& accounted = accounted_[id];
  accounted.assign(members.size(), false);
  // Nothing is expected there, even if a group that is no tree leads a copy back.
  accounted[packet.from.index()] = true;
}

void Reports::depart(Index id) {
  if (!units_.layout.options.departures) return;
  const Packet packet = units_.packets[id].packet;  // records may move when the driver sends
  driver_->departed(*network_, packet);
}

void Reports::depart_flit(Index id, Index out_lane, bool first) {
  const Layout& layout = units_.layout;
  if (flits_departed_.empty()) flits_departed_.resize(units_.out.size());
  std::uint32_t& flits = flits_departed_[out_lane];
  flits = first ? 0 : flits + 1;
  const Index port = layout.port_of(out_lane);
  const FaultSite link = link_site({}, port, 0);
  const auto lane = static_cast<Lane>(out_lane - (port << layout.lane_bits));
  const FlitDeparture flit{link.channel, link.host, units_.ports[port].to_host, lane, flits};
  driver_->flit_departed(*network_, units_.packets[id].packet, flit);
}

void Reports::deliver_whole(Index id, unsigned hops) {
  if (!driver_answers_) {
    const Packet& packet = units_.packets[id].packet;
    deliver(packet, packet.to, hops);
    units_.packets.free(id);
    return;
  }
  const Packet packet = units_.packets[id].packet;  // records may move
  units_.packets.free(id);
  deliver(packet, packet.to, hops);
}

void Reports::reach(Index id, HostId at) {
  const Packet packet = units_.packets[id].packet;  // records may move
  driver_->reached(*network_, packet, at);
}

void Reports::fill(Index id, HostId at, bool bad, unsigned hops) {
  const Packet packet = units_.packets[id].packet;  // records may move
  const bool group = packet.group != no_group;
  PacketStatus& status = units_.packets.status(id);
  if (bad && group) damaged_[id].insert(at);
  if (bad && !group) status.lose(Loss::corrupted);
  const bool whole = group ? !bad : !status.is_lost();
  driver_->filled(*network_, packet, at, whole, group ? depth(packet, at) : hops);
}

bool Reports::is_damaged(Index id, HostId at) const {
  const auto damaged = damaged_.find(id);
  return damaged != damaged_.end() && damaged->second.count(at) != 0;
}

void Reports::end_fragment(Index id, HostId at, std::optional<Loss> why, unsigned hops) {
  const Packet packet = units_.packets[id].packet;
  if (packet.group != no_group) {
    end_copy(id, at, why);
    return;
  }
  PacketStatus& status = units_.packets.status(id);
  if (why) status.lose(*why);
  if (--status.fragments > 0) return;
  const PacketStatus end = status;
  units_.packets.free(id);
  if (end.is_lost())
    lose(packet, packet.to, static_cast<Loss>(end.loss));
  else
    deliver(packet, at, hops);
}

void Reports::lose_in(Index lane, Index packet, Loss why) {
  if (holds_back_)
    held_.push_back({lane, packet, why, false});
  else
    units_.packets.status(packet).lose(why);
}

void Reports::end_in(Index lane, Index packet, std::optional<Loss> why) {
  if (holds_back_)
    held_.push_back({lane, packet, why, true});
  else
    end_fragment(packet, HostId::none(), why);
}

void Reports::take_ends(Reports& of_part) {
  held_.insert(held_.end(), of_part.held_.begin(), of_part.held_.end());
  of_part.held_.clear();
}

void Reports::report_ends(Cycle& next) {
  struct CycleBefore {
    Cycle& now;
    explicit CycleBefore(Cycle& next) : now(--next) {}
    ~CycleBefore() { ++now; }
  } const cycle(next);
  auto held = std::exchange(held_, {});  // the driver may send, and that may fail
  std::stable_sort(held.begin(), held.end(),
                   [](const HeldEnd& a, const HeldEnd& b) { return a.lane < b.lane; });
  for (const HeldEnd& each : held)
    if (each.is_end)
      end_fragment(each.packet, HostId::none(), each.why);
    else
      units_.packets.status(each.packet).lose(*each.why);
}

void Reports::lose(const Packet& packet, HostId at, Loss why) {
  report_fault_sites();
  ++units_.totals.lost;
  driver_->lost(*network_, packet, at, why);
}

/// The same for one copy of a multicast packet.
void Reports::end_copy(Index id, HostId at, std::optional<Loss> why) {
  const Packet packet = units_.packets[id].packet;
  if (why) units_.packets.status(id).lose(*why);
  std::vector<bool>& accounted = accounted_[id];
  if (at.valid() && members_[packet.group][at.index()] && !accounted[at.index()]) {
    accounted[at.index()] = true;
    if (why)
      lose(packet, at, *why);
    else
      deliver(packet, at, depth(packet, at));
  }
  PacketStatus& status = units_.packets.status(id);
  if (--status.fragments > 0) return;
  const Loss loss = status.is_lost() ? static_cast<Loss>(status.loss) : Loss::no_route;
  units_.packets.free(id);
  damaged_.erase(id);
  cuts_.erase(id);
  const std::vector<bool> reported = std::move(accounted_[id]);
  accounted_.erase(id);
  for (const HostId member : units_.layout.fabric.hosts()) {
    if (members_[packet.group][member.index()] && !reported[member.index()])
      lose(packet, member, loss);
  }
}

/// Switches from the sender of a multicast packet to a member, along the group's ports.
unsigned Reports::depth(const Packet& packet, HostId at) {
  auto [found, fresh] = depths_.try_emplace({packet.group, packet.from});
  if (fresh) {
    const std::vector<std::uint32_t> all = depths(packet);
    found->second.assign(all.begin() + units_.layout.switch_ports, all.end());
  }
  return found->second[at.index()];
}

/// By port at which copies of a multicast packet come in: the switches before it.
std::vector<std::uint32_t> Reports::depths(const Packet& packet) const {
  const Layout& layout = units_.layout;
  const Fabric& fabric = layout.fabric;
  std::vector<std::uint32_t> out(layout.all_ports, 0);
  GroupWalk(fabric, layout.tables.groups[packet.group])(
      packet.from, std::uint32_t{1},
      [&](std::uint32_t depth, ChannelId channel) {
        out[layout.port_at(fabric.to(channel), fabric.in_port(channel))] = depth;
        return depth + 1;
      },
      [&](std::uint32_t depth, HostId host) { out[layout.port_of_host(host)] = depth; });
  return out;
}

}  // namespace weft::sim
