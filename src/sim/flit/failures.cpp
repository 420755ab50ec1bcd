// SPDX-License-Identifier: Apache-2.0
// Failing, mending, cutting and draining.
#include "sim/flit/failures.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace weft::sim {

Failures::Failures(Units& units, Routing& routing, Branches& branches, Choices& choices,
                   Injector& injection, Reports& reports)
    : units_(units),
      layout_(units.layout),
      routing_(routing),
      branches_(branches),
      choices_(choices),
      injection_(injection),
      reports_(reports) {}

void Failures::plan() {
  plan_failures();
  plan_glitches();
}

void Failures::plan_failures() {
  const auto port_of = [this](const LinkFault& fault) {
    const Fabric& fabric = layout_.fabric;
    return fault.host.valid() ? layout_.port_of_host(fault.host)
                              : layout_.port_at(fabric[fault.link].a.on, fabric[fault.link].a.port);
  };
  for (const LinkFault& fault : layout_.options.faults.links) {
    const Index at = port_of(fault);
    plan_.push_back({fault.at, at, SwitchId::none()});
    if (fault.until == never) continue;
    if (layout_.stop_go)
      throw Error("{}: links that come back (fault @{}-{}) are for flow=credit", layout_.model.spec,
                  fault.at, fault.until);
    const SwitchPort &port = units_.ports[at], &peer = units_.ports[port.peer];
    const Cycle empty = fault.at + std::max(port.flight, peer.flight) + 1;
    plan_.push_back({std::max(fault.until, empty), at, SwitchId::none(), true});
  }
  for (const SwitchFault& fault : layout_.options.faults.switches)
    plan_.push_back({fault.at, nothing, fault.on});
  std::stable_sort(plan_.begin(), plan_.end(),
                   [](const Failure& a, const Failure& b) { return a.at > b.at; });
}

void Failures::plan_glitches() {
  const Fabric& fabric = layout_.fabric;
  for (const Glitch& glitch : layout_.options.faults.glitches) {
    const Index port = glitch.host.valid()
                           ? layout_.port_of_host(glitch.host)
                           : layout_.port_at(fabric[glitch.link].a.on, fabric[glitch.link].a.port);
    glitches_[std::min(port, units_.ports[port].peer)].at.push_back(glitch.at);
  }
  for (auto& [port, link] : glitches_) std::sort(link.at.rbegin(), link.at.rend());
}

Cycle Failures::first() const {
  Cycle out = next();
  for (const auto& [port, link] : glitches_)
    if (!link.at.empty()) out = std::min(out, link.at.back());
  return out;
}

bool Failures::are_over() const {
  const bool alive = std::find(units_.dead.begin(), units_.dead.end(), true) == units_.dead.end();
  return alive && glitches_.empty() && !units_.packets.any_lost();
}

void Failures::strike() {
  while (next() <= units_.now) {
    const Failure failure = plan_.back();
    plan_.pop_back();
    if (failure.port == nothing)
      fail_switch(failure.on);
    else if (!failure.over && ++down_[failure.port] == 1)
      fail_link(failure.port, Loss::link_down);
    else if (failure.over && --down_[failure.port] == 0)
      mend_link(failure.port);
  }
}

void Failures::fail_link(Index port, Loss why) {
  const Index other = units_.ports[port].peer;
  if (other == nothing || units_.dead[port]) return;
  units_.dead[port] = units_.dead[other] = true;
  fail_direction(port, why);
  fail_direction(other, why);
}

/// A link is whole again, unless a switch at one of its ends is not.
void Failures::mend_link(Index port) {
  const Index other = units_.ports[port].peer;
  for (const Index end : {port, other})
    if (!layout_.is_host(end) && units_.failed[units_.ports[end].home]) return;
  units_.dead[port] = units_.dead[other] = false;
  units_.mended[port] = units_.mended[other] = true;
  mend_direction(port);
  mend_direction(other);
}

/// Nothing is on the link. Its sender has no packet for it, and as much room as there is.
void Failures::mend_direction(Index from) {
  SwitchPort& port = units_.ports[from];
  const Index first = from << layout_.lane_bits;
  if (!port.to_host) {
    for (Index v = 0; v < layout_.lanes; ++v)
      units_.out[first + v].credits =
          static_cast<std::int32_t>(layout_.buffer) -
          static_cast<std::int32_t>(units_.buffered(units_.other_end(first + v)));
    units_.credits.for_each(units_.now, [&](Cycle, Index out_lane) {
      if (layout_.port_of(out_lane) == from) --units_.out[out_lane].credits;
    });
    for (Index v = 0; v < layout_.lanes && layout_.empty_lanes; ++v)
      units_.release_empty(port, from, v);
  }
  if (layout_.is_host(from) || !choices_.allowed()) return;
  // Packets that wait for other links have one more to choose.
  const SwitchPorts at = layout_.switches[port.home];
  for (Index id = at.first << layout_.lane_bits; id < (at.first + at.count) << layout_.lane_bits;
       ++id)
    if (choices_.waits(id)) choices_.again(id);
}

void Failures::fail_direction(Index from, Loss why) {
  // What is beyond the link first, or the packet might be over with the part before it.
  const SwitchPort& port = units_.ports[from];
  const Index first = from << layout_.lane_bits;
  if (!port.to_host)
    for (Index v = 0; v < layout_.lanes; ++v) cut(units_.other_end(first + v), why);
  if (layout_.is_host(from)) {
    units_.active.insert(port.home);
    return;
  }
  for (Index v = 0; v < layout_.lanes; ++v) {
    const Index id = units_.holder(first + v);
    if (id != nothing && !units_.in[id].has(InLane::replicate)) drain(id, why, from);
  }
  drop_branches(from, why);
  units_.retry(units_.ports[from], from);  // lane allocation finds the link dead
}

/// No multicast packet of this switch takes the dead port any more.
void Failures::drop_branches(Index port, Loss why) {
  if (!branches_.any()) return;
  const SwitchPorts at = layout_.switches[units_.ports[port].home];
  for (Index id = at.first << layout_.lane_bits; id < (at.first + at.count) << layout_.lane_bits;
       ++id) {
    InLane& lane = units_.in[id];
    if (!lane.has(InLane::replicate)) continue;
    Index dropped = nothing;
    bool others = false;
    for (const Index who : branches_.of(id)) {
      if (branches_[who].done) continue;
      if (branches_[who].out_port == port)
        dropped = who;
      else
        others = true;
    }
    if (dropped == nothing) continue;
    if (!others) {
      drain(id, why, port);
      continue;
    }
    reports_.broke_in(id, why, port);
    Branch& branch = branches_[dropped];
    branch.done = true;
    const Index packet = lane.head.packet, group = lane.head.to;
    if (lane.head.has(Head::circuit)) injection_.close_circuit(packet);
    const bool waited = units_.withdraw_request(dropped, port);
    units_.withdraw_sender(dropped, units_.ports[port]);
    release_out_lane(id, branch.out_lane);
    // Lanes in order: the next one may be requested.
    if (waited && routing_.has_root(group)) branches_.request_lanes(id, true);
    if (!units_.held_in.empty() && units_.held_in[layout_.port_of(id)] == id)
      branches_.release_links(id, port);
    branches_.release_copies(id);
    reports_.end_fragment(packet, HostId::none(), why);
  }
}

/// The out-lane (if any) and the link that in-lane `id` has for a packet are free again.
void Failures::release_out_lane(Index id, Index out_lane) {
  if (out_lane == nothing) return;
  const Index o = layout_.port_of(out_lane);
  if (!units_.held_out.empty() && units_.held_out[o] == id) units_.held_out[o] = nothing;
  SwitchPort& port = units_.ports[o];
  units_.leave_lane(port, o, layout_.lane_in_port(out_lane));
}

/// The last packet of this lane will get no more flits: what there is of it ends here.
void Failures::cut(Index id, Loss why) {
  InLane& lane = units_.in[id];
  if (lane.stage == Stage::idle) return;
  const bool is_front = lane.first == nothing;
  QueuedPacket* const last = is_front ? nullptr : &units_.last_segment(lane);
  std::uint8_t& flags = is_front ? lane.flags : last->flags;
  std::uint16_t& have = is_front ? lane.have : last->have;
  if ((flags & InLane::ended) != 0) return;
  const Head head = is_front ? lane.head : last->head;
  reports_.broke_on_link(id, head.packet, head.hops, why);
  PacketStatus& status = units_.packets.status(head.packet);
  status.lose(why);
  ++status.fragments;
  if (head.has(Head::circuit)) injection_.close_circuit(head.packet);
  flags |= InLane::ended | InLane::bad;
  ++have;
  ++units_.audit.arrived;
  ++units_.audit.made_up;
  if (layout_.stop_go) ++units_.fill[id];
  if (!is_front) return;
  if (lane.has(InLane::replicate)) {
    branches_.resume(id);
  } else if (lane.stage == Stage::sending) {
    const Index out_lane = units_.out_lane_of(id);
    if (lane.have == 1 && units_.can_send(lane, out_lane))
      units_.add_sender(id, out_lane, units_.ports[layout_.port_of(id)]);
  } else if (lane.stage == Stage::draining) {
    throw_away(id);
  } else if (layout_.store_and_forward && lane.stage == Stage::routing) {
    units_.request_after(id, units_.now);
  }
}

void Failures::fail_switch(SwitchId s) {
  reports_.blame(s);
  units_.failed[s.index()] = true;
  const SwitchPorts at = layout_.switches[s.index()];
  for (Index p = 0; p < at.count; ++p) fail_link(at.first + p, Loss::switch_down);
  for (Index id = at.first << layout_.lane_bits; id < (at.first + at.count) << layout_.lane_bits;
       ++id) {
    InLane& lane = units_.in[id];
    while (lane.stage != Stage::idle) {
      const bool whole = lane.has(InLane::ended);
      if (lane.has(InLane::replicate)) {
        drain(id, Loss::switch_down);
        continue;
      }
      const Index packet = lane.head.packet;
      if (whole) reports_.broke_in(id, Loss::switch_down, nothing);
      if (lane.stage == Stage::waiting && !lane.has(InLane::chooses))
        units_.withdraw_request(id, units_.out_port_of(id));
      if (lane.stage == Stage::sending)
        units_.withdraw_sender(id, units_.ports[layout_.port_of(id)]);
      units_.audit.left += lane.have;
      units_.next_front(lane, id, units_.ports[layout_.port_of(id)]);
      if (whole) reports_.end_fragment(packet, HostId::none(), Loss::switch_down);
    }
  }
  reports_.blame(SwitchId::none());
}

void Failures::drain(Index id, Loss why, Index dead_port) {
  reports_.broke_in(id, why, dead_port);
  const Head& head = units_.in[id].head;
  reports_.lose_in(id, head.packet, why);
  if (head.has(Head::circuit)) injection_.close_circuit(head.packet);
  discard(id);
}

void Failures::discard(Index id) {
  InLane& lane = units_.in[id];
  const SwitchPort& in_port = units_.ports[layout_.port_of(id)];
  if (lane.has(InLane::replicate)) {
    std::uint32_t undone = 0;
    for (const Index who : branches_.of(id)) {
      const Branch branch = branches_[who];
      if (branch.done) continue;
      ++undone;
      units_.withdraw_request(who, branch.out_port);
      units_.withdraw_sender(who, in_port);
      release_out_lane(id, branch.out_lane);
    }
    units_.packets.status(lane.head.packet).add_fragments(1 - static_cast<std::int32_t>(undone));
    branches_.clear(id);
    lane.flags &= static_cast<std::uint8_t>(~InLane::replicate);
  } else if (lane.stage == Stage::sending) {
    units_.withdraw_sender(id, in_port);
    release_out_lane(id, units_.out_lane_of(id));
  } else if (lane.stage == Stage::waiting && !lane.has(InLane::chooses)) {
    units_.withdraw_request(id, units_.out_port_of(id));
  }
  if (!units_.held_in.empty() && units_.held_in[layout_.port_of(id)] == id)
    units_.held_in[layout_.port_of(id)] = nothing;
  lane.stage = Stage::draining;
  throw_away(id);
}

void Failures::throw_away(Index id) {
  InLane& lane = units_.in[id];
  units_.leave_buffer(id, lane.have);
  lane.have = 0;
  if (!lane.has(InLane::ended)) return;
  const Index packet = lane.head.packet;
  units_.next_front(lane, id, units_.ports[layout_.port_of(id)]);
  reports_.end_in(id, packet, std::nullopt);
}

/// Whether a glitch damages the packet of a flit that enters a link, or has done so.
bool Failures::glitched(const FlitOnLink& flit) {
  const Index port = layout_.port_of(flit.out_lane), peer = units_.ports[port].peer;
  const auto found = glitches_.find(std::min(port, peer));
  if (found == glitches_.end()) return false;
  GlitchedLink& link = found->second;
  std::uint64_t& lanes = link.damaged[port < peer ? 0 : 1];
  const std::uint64_t lane = bit_at(layout_.lane_in_port(flit.out_lane));
  if (flit.head) lanes &= ~lane;  // of the packet before
  if (flit.tail && units_.packets[flit.packet].packet.circuit) return false;
  for (; !link.at.empty() && link.at.back() <= units_.now; link.at.pop_back()) lanes |= lane;
  return (lanes & lane) != 0;
}

/// Whether bits of this packet flip on a link.
bool Failures::has_bit_errors(Index packet, Index out_lane) {
  const std::uint32_t flits = units_.packets[packet].packet.flits;
  if (error_chance_.size() <= flits) error_chance_.resize(flits + 1, 0);
  std::uint64_t& chance = error_chance_[flits];
  if (chance == 0) {
    const double bits = 8.0 * static_cast<double>(layout_.model.flit.count) * flits;
    const double p = -std::expm1(bits * std::log1p(-layout_.options.faults.bit_error_rate));
    chance = p >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(p * 0x1.0p63) * 2 + 1;
  }
  constexpr std::uint64_t salt = 0xe440;  // choices of ports are drawn by lane, too
  return Draws(layout_.options.seed ^ salt, units_.now, out_lane).next() < chance;
}

bool Failures::damages(const FlitOnLink& flit) {
  bool hit = !glitches_.empty() && glitched(flit) && flit.last_data;
  if (flit.last_data && layout_.options.faults.bit_error_rate > 0)
    hit |= has_bit_errors(flit.packet, flit.out_lane);
  return hit;
}

}  // namespace weft::sim
