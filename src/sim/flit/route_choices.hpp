// SPDX-License-Identifier: Apache-2.0
// Pipeline: heads whose tables leave them a choice of ports are routed, and choose.
#pragma once
#include "sim/flit/pipeline.hpp"

namespace weft::sim {

/// By choice tables.
template <class Features>
void Pipeline<Features>::route_by_choices(Index id, InLane& lane) {
  const Index own = port_of(id);
  const SwitchPort& port = ports_[own];
  const Index first = own - port.number;
  Head& head = lane.head;
  if (head.hops >= most_hops_) {
    drain(id, Loss::loop);
    return;
  }
  const Phases::Step step = phases_(id, port.home, head, u_.now);
  if (routing_.has_levels() && head.hops == 0) head.level = routing_.level(port.home, own, head);
  if (step.to.is_one()) {
    const LaneChoice only = step.to.only();
    head.set_phase(only.phase);
    request_port(id, lane, first + only.port, only.lane);
    return;
  }
  head.set_phase(step.phase);
  RouteStep hop;
  if (step.to.leads_on()) {
    const auto candidates = choices_.sets().all(step.to.set());
    if (candidates.size() > 1) {
      choose(id, step.to.set());
      return;
    }
    hop = choices_.step(own, candidates.front(), head);
    head.set_phase(candidates.front().phase);
  } else if (step.to.is_end()) {
    hop = routing_.to_host(port.home, own, head);
  }
  if (hop.port == no_port || hop.lane_class >= lane_classes_)
    drain(id, Loss::no_route);
  else
    request_port(id, lane, first + hop.port - 1U, hop.lane_class);
}

/// The front packet of an in-lane may take any port of a set.
template <class Features>
void Pipeline<Features>::choose(Index id, Index set) {
  if (choices_.by_flow()) choices_.prefetch_packet(in_[id].head.packet);
  if (!choices_.commits()) {
    if (Features::all && layout_.options.fault_sites)
      u_.packets[in_[id].head.packet].hops = in_[id].head.hops + 1U;
    choices_.start(id, set);
    return;
  }
  choices_.start_commitment(id, set);
}

/// Those of a block, in the order of in-lanes.
template <class Features>
void Pipeline<Features>::take_choosers(Index block) {
  choices_.take(block, choosers_);
  if (!choices_.by_flow()) return;
  for (const Index id : choosers_) choices_.prefetch_flow(id);
}

/// Packets that have come to their switch are committed to a port, in the order of in-lanes: they
/// take turns.
template <class Features>
void Pipeline<Features>::commit_ports(Index block) {
  take_choosers(block);
  for (const Index id : choosers_) {
    if (const Index o = choices_.template commit<Features::plain>(id); o != nothing) {
      InLane& lane = in_[id];
      request_port(id, lane, o, lane.lane_class);
      continue;
    }
    const Index dead = choices_.links_of(id).dead_port;
    drain(id, dead == nothing ? Loss::no_route : Loss::link_down, dead);
  }
  choosers_.end_at(choosers_.begin());
}

/// Packets that may choose among ports request a lane of one of them.
template <class Features>
void Pipeline<Features>::choose_ports(Index block) {
  take_choosers(block);
  for (const Index id : choosers_) {
    if (!choices_.waits(id)) continue;
    if (const Index o = choices_.template find_port<Features::plain>(id); o != nothing) {
      request_lane(id, o);
      continue;
    }
    const Choices::AwaitedPorts ports = choices_.wait(id);
    if (Features::whole && ports.alive)
      retry_choice(id);
    else if (!ports.alive)
      drain(id, ports.dead_port != nothing ? Loss::link_down : Loss::no_route, ports.dead_port);
  }
  choosers_.end_at(choosers_.begin());
}

}  // namespace weft::sim
