// SPDX-License-Identifier: Apache-2.0
// Where packets break. What is noticed within a cycle's work is reported at its end, or before the
// packet is reported lost, if that comes first.
#include <algorithm>
#include <utility>

#include "sim/flit/reports.hpp"

namespace weft::sim {

/// That the packet has passed which is at the front of an in-lane.
unsigned Reports::switches_before(Index id) const {
  const Head& head = units_.in[id].head;
  if (!head.has(Head::group)) return head.hops;
  return depths(units_.packets[head.packet].packet)[units_.layout.port_of(id)];
}

/// A link by the port that sends.
FaultSite Reports::link_site(Loss why, Index port, unsigned hops) const {
  const Layout& layout = units_.layout;
  FaultSite out{.why = why, .hops = hops};
  const SwitchPort& from = units_.ports[port];
  if (layout.is_host(port) || from.to_host) {
    out.host = HostId(layout.is_host(port) ? from.home : units_.ports[from.peer].home);
  } else {
    const auto number = static_cast<PortNumber>(from.number + 1);
    out.channel = layout.fabric.channel_at(SwitchId(from.home), number);
  }
  return out;
}

/// A link cuts a multicast packet in two, and both ends notice: the first one to do so counts.
bool Reports::is_first_cut(Index packet, Index receiver) {
  return units_.packets[packet].packet.group == no_group || cuts_[packet].insert(receiver).second;
}

void Reports::broke_in(Index id, Loss why, Index dead_port) {
  if (!units_.layout.options.fault_sites) return;
  const Index packet = units_.in[id].head.packet;
  if (dead_port != nothing && !is_first_cut(packet, units_.ports[dead_port].peer)) return;
  unsigned hops = switches_before(id);
  const SwitchId at(units_.ports[units_.layout.port_of(id)].home);
  if (failing_.valid()) {
    // A switch that has failed tells nobody: the one before it finds out.
    if (at == failing_ && hops > 0) --hops;
    note_fault_site(packet, {.why = why, .on = failing_, .hops = hops});
  } else if (dead_port == nothing) {
    note_fault_site(packet, {.why = why, .on = at, .hops = hops});
  } else {
    note_fault_site(packet, link_site(why, dead_port, hops));
  }
}

void Reports::broke_on_link(Index id, Index packet, unsigned hops, Loss why) {
  if (!units_.layout.options.fault_sites) return;
  const Index port = units_.layout.port_of(id), sender = units_.ports[port].peer;
  if (!is_first_cut(packet, port)) return;
  const Packet& broken = units_.packets[packet].packet;
  if (broken.group != no_group) hops = depths(broken)[port];
  if (hops > 0) --hops;
  if (!failing_.valid()) {
    note_fault_site(packet, link_site(why, sender, hops));
    return;
  }
  const bool by_it =
      !units_.layout.is_host(sender) && SwitchId(units_.ports[sender].home) == failing_;
  if (by_it && hops > 0) --hops;
  note_fault_site(packet, {.why = why, .on = failing_, .hops = hops});
}

void Reports::broke_to_host(Index id, HostId at, unsigned hops) {
  if (!units_.layout.options.fault_sites) return;
  const Packet& packet = units_.packets[id].packet;
  if (packet.group != no_group) hops = depth(packet, at);
  note_fault_site(id, {.why = Loss::link_down, .host = at, .hops = hops > 0 ? hops - 1 : 0});
}

void Reports::broke_in_nic(Index id) {
  if (!units_.layout.options.fault_sites) return;
  note_fault_site(id, {.why = Loss::link_down, .host = units_.packets[id].packet.from});
}

void Reports::damaged(Index packet, Index out_lane, unsigned hops) {
  if (!units_.layout.options.fault_sites) return;
  note_fault_site(packet, link_site(Loss::corrupted, units_.layout.port_of(out_lane), hops));
}

void Reports::note_fault_site(Index id, const FaultSite& site) {
  const Packet& packet = units_.packets[id].packet;
  if (std::exchange(units_.packets.status(id).reported, true)) {
    if (packet.group == no_group) return;
    const auto noted = [&](const std::pair<Packet, FaultSite>& other) {
      return other.first.id == id && other.second == site;
    };
    if (std::any_of(fault_sites_.begin(), fault_sites_.end(), noted)) return;
  }
  fault_sites_.emplace_back(packet, site);
}

void Reports::report_fault_sites() {
  const auto noted = std::exchange(fault_sites_, {});  // the driver may send, and that may fail
  for (const auto& [packet, site] : noted) driver_->broken(*network_, packet, site);
}

}  // namespace weft::sim
