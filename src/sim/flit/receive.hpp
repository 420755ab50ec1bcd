// SPDX-License-Identifier: Apache-2.0
// Pipeline: flits arrive in buffers and at hosts, credits and signals at the other ends of links,
// and heads are routed.
#pragma once
#include "sim/flit/pipeline.hpp"

namespace weft::sim {

template <class Features>
void Pipeline<Features>::receive(Index block) {
  const Cycle now = u_.now;
  if constexpr (Features::whole) {
    u_.releases.take(
        now, block, [this](Index p) { release(p); },
        [this](Index p) { __builtin_prefetch(&ports_[p]); });
    wake_blocked();
    u_.drained.take(now, block, [this](Index id) { end_lost_packet(id); });
    receive_packet_credits(block);
    u_.retries.take(now, block, [this](Index o) { u_.retry(ports_[o], o); });
  } else {
    u_.credits.take(
        now, block, [this](Index signal) __attribute__((always_inline)) { receive_signal(signal); },
        [this](Index signal) {
          if (u_.large) __builtin_prefetch(&out_[signal & Units::signal_mask]);
        });
  }
  if constexpr (!Features::single && !Features::whole)
    u_.bodies.take(
        now,
        block, [this](const Arrival& flit) __attribute__((always_inline)) { receive_body(flit); },
        [this](const Arrival& flit) {
          if (u_.large) __builtin_prefetch(&in_[flit.lane & Arrival::lane_mask]);
        });
  u_.heads.take(
      now, block,
      [this](const HeadArrival& flit) __attribute__((always_inline)) {
        if constexpr (Features::whole)
          receive_packet(flit);
        else
          receive_head(flit);
      },
      [this](const HeadArrival& flit) {
        if (!u_.large) return;
        const Index id = flit.lane & Arrival::lane_mask;
        __builtin_prefetch(&in_[id]);
        __builtin_prefetch(&ports_[port_of(id)]);
        __builtin_prefetch(&u_.last_queued[id]);
      });
}

/// A credit, or a stop or go, comes to an out-lane of a switch.
template <class Features>
void Pipeline<Features>::receive_signal(Index signal) {
  const Index id = signal & Units::signal_mask;
  OutLane& out = out_[id];
  const Index o = port_of(id);
  if (stop_go()) {
    const bool stop = (signal & Units::stop_signal) != 0;
    const bool stopped = out.credits == 0;
    out.credits = stop ? 0 : Units::endless;
    if (stop == stopped) return;
  } else {
    ++out.credits;
    if constexpr (Features::plain && Features::watched)
      if (!u_.moved.empty()) u_.moved[ports_[o].block].push_back(2 * o);
    if (empty_lanes() &&
        u_.template release_empty<Features::plain>(ports_[o], o, lane_in_port(id)) &&
        Features::plain)
      choices_.wake(o);
    if (out.credits != 1 && !cut_through()) return;
  }
  SwitchPort& port = ports_[o];
  if (cut_through() || stop_go()) u_.retry(port, o);
  if (!stop_go() && out.credits != 1) return;
  if ((port.idle & bit_at(lane_in_port(id))) != 0) return;
  const Index holder = Features::plain && !Features::watched
                           ? first_lane(o - port.number) + out.holder
                           : u_.holder(id);
  if (holder == nothing) return;
  const InLane& lane = in_[holder];
  if (Features::all && lane.has(InLane::replicate)) {
    b_.resume(holder);  // those that are stopped stay among the senders, and are skipped
  } else if (lane.stage == Stage::sending && lane.have > 0) {
    if (out.credits > 0)
      u_.add_sender(holder, id, port);
    else
      u_.withdraw_sender(holder, port);
  }
}

template <class Features>
void Pipeline<Features>::receive_nic_signal(Index signal) {
  const Index id = signal & Units::signal_mask;
  OutLane& out = out_[id];
  if (stop_go())
    out.credits = (signal & Units::stop_signal) != 0 ? 0 : Units::endless;
  else if (++out.credits != 1 && Features::plain && !Features::watched)
    return;  // nobody waits for it
  const Index host = port_of(id) - layout_.switch_ports;
  if (Features::all || injection_.nics[host].has_packets()) u_.active.insert(host);
}

/// Whether a flit is lost, as its link has failed.
template <class Features>
bool Pipeline<Features>::vanishes(Index lane, Index packet, const Head* head) {
  const Index id = lane & Arrival::lane_mask;
  if (!u_.is_dead(port_of(id))) {
    ++u_.audit.arrived;
    return false;
  }
  if (head != nullptr) u_.audit.lost_on_link(id, packet);
  ++u_.audit.vanished;
  if ((lane & Arrival::tail) == 0) return true;  // the packet may have ended before
  if (layout_.options.fault_sites)
    reports_.broke_on_link(id, packet, u_.packets[packet].hops, Loss::link_down);
  reports_.end_in(id, packet, Loss::link_down);
  return true;
}

template <class Features>
void Pipeline<Features>::receive_head(const HeadArrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  if constexpr (Features::all)
    if (vanishes(flit.lane, flit.head.packet, &flit.head)) return;
  const bool tail = Features::single || (flit.lane & Arrival::tail) != 0;
  auto flags = static_cast<std::uint8_t>(tail ? InLane::ended : 0);
  if (Features::all && (flit.lane & Arrival::bad) != 0) flags |= InLane::bad;
  InLane& lane = in_[id];
  if (stop_go()) u_.flit_came(id);
  if (lane.stage != Stage::idle) {
    u_.append(lane, flit.head, flags);
    return;
  }
  const Cycle left_at = lane.left_at;
  lane.head = flit.head;
  lane.have = 1;
  lane.flags = flags;
  lane.stage = Stage::routing;
  if (observed()) u_.came_to_front(lane, id);
  if (Features::single || u_.head_lead != 0) {
    // It came when the packet before it was still there: it is routed after that has left.
    if (u_.now - u_.head_lead < left_at)
      u_.request_after(id, left_at);
    else if (u_.large)
      arrivals_.add(id);
    else
      route(id, lane, flit.head);
  } else if (!store_and_forward() || tail) {
    if (layout_.head_delay == 0)
      route(id, lane, flit.head);
    else
      u_.request_after(id, u_.now);
  }
}

template <class Features>
void Pipeline<Features>::receive_body(const Arrival& flit) {
  const Index id = flit.lane & Arrival::lane_mask;
  if constexpr (Features::all)
    if (vanishes(flit.lane, flit.packet, nullptr)) return;
  auto flags = static_cast<std::uint8_t>((flit.lane & Arrival::tail) != 0 ? InLane::ended : 0);
  if (Features::all && (flit.lane & Arrival::bad) != 0) flags |= InLane::bad;
  InLane& lane = in_[id];
  if (stop_go()) u_.flit_came(id);
  if (lane.first != nothing) {
    QueuedPacket& last = u_.last_segment(lane);
    ++last.have;
    last.flags |= flags;
    return;
  }
  lane.flags |= flags;
  ++lane.have;
  if (lane.stage == Stage::sending) {
    if (Features::all && lane.has(InLane::replicate)) {
      b_.resume(id);
    } else if (lane.have == 1) {
      const SwitchPort& port = ports_[port_of(id)];
      const Index out_lane =
          (first_lane(port_of(id) - port.number + lane.out_port)) + lane.out_lane;
      if (out_[out_lane].credits > 0) u_.add_sender(id, out_lane, port);
    }
  } else if (lane.stage == Stage::draining) {
    failures_.throw_away(id);
  } else if (store_and_forward() && (flags & InLane::ended) != 0) {
    u_.request_after(id, u_.now);
  }
}

/// What comes to hosts in a cycle is reported in the order of hosts, whatever path it came by,
/// where the driver may answer.
template <class Features>
void Pipeline<Features>::eject() {
  if (!u_.ejections.any_at(u_.now)) return;
  const auto prefetch = [this](const Ejection& flit) {
    if (u_.large) __builtin_prefetch(&u_.packets[flit.packet]);
  };
  if constexpr (!Features::all)
    if (!reports_.driver_answers()) {
      u_.ejections.take(
          u_.now, 0,
          [this](const Ejection& flit) { reports_.deliver_whole(flit.packet, flit.hops); },
          prefetch);
      return;
    }
  if (const auto only = u_.ejections.take_only(u_.now, 0)) {
    end_packet_at_host(*only);
    return;
  }
  u_.ejections.take(
      u_.now, 0,
      [this](const Ejection& flit) {
        const Index host = (port_of(flit.lane & Arrival::lane_mask)) - layout_.switch_ports;
        ejected_[host] = flit;
        ejecting_.insert(host);
        injection_.prefetch(host);  // it may answer
      },
      prefetch);
  ejecting_.filter([this](Index host) {
    end_packet_at_host(ejected_[host]);
    return false;
  });
}

template <class Features>
void Pipeline<Features>::end_packet_at_host(const Ejection& flit) {
  if constexpr (Features::all)
    eject_flit(flit);
  else
    reports_.deliver_whole(flit.packet, flit.hops);
}

template <class Features>
void Pipeline<Features>::eject_flit(const Ejection& flit) {
  const Index port = port_of(flit.lane & Arrival::lane_mask);
  const HostId host(port - layout_.switch_ports);
  const bool dead = u_.is_dead(port), bad = (flit.lane & Arrival::bad) != 0;
  if ((flit.lane & (Arrival::fills | Arrival::reaches)) != 0 && (flit.lane & Arrival::tail) == 0) {
    if (dead) return;  // the packet may have ended before
    if ((flit.lane & Arrival::fills) != 0)
      reports_.fill(flit.packet, host, bad, flit.hops);
    else
      reports_.reach(flit.packet, host);
    return;
  }
  std::optional<Loss> why;
  if (bad || reports_.is_damaged(flit.packet, host)) why = Loss::corrupted;
  if (dead) {
    why = Loss::link_down;
    reports_.broke_to_host(flit.packet, host, flit.hops);
  }
  if (why) u_.release_buffer(static_cast<Index>(host.index()));
  reports_.end_fragment(flit.packet, host, why, flit.hops);
}

/// Front packets that have come, and those whose turn it is, are routed and request lanes. On large
/// fabrics their routes are prefetched step by step.
template <class Features>
void Pipeline<Features>::route(Index block) {
  u_.routed.take(
      u_.now, block,
      [this](Index id) {
        if (u_.large)
          arrivals_.add(id);
        else
          route_front(id);
      },
      [this](Index id) {
        if (!u_.large) return;
        __builtin_prefetch(&in_[id]);
        __builtin_prefetch(&ports_[port_of(id)]);
      });
  if (arrivals_.empty()) return;
  if (routing_.can_prefetch()) {
    for (const Index id : arrivals_) routing_.prefetch_page(ports_[port_of(id)].home, in_[id].head);
    for (const Index id : arrivals_) routing_.prefetch(ports_[port_of(id)].home, in_[id].head);
  }
  for (const Index id : arrivals_) route_front(id);
  arrivals_.end_at(arrivals_.begin());
}

/// The front packet of an in-lane has been routed.
template <class Features>
void Pipeline<Features>::route_front(Index id) {
  InLane& lane = in_[id];
  if (lane.stage != Stage::routing) return;  // the switch has failed
  if (!lane.has(InLane::routed)) {
    route(id, lane, lane.head);
    return;
  }
  lane.flags &= static_cast<std::uint8_t>(~InLane::routed);
  lane.stage = Stage::waiting;
  routed_.add(SendRequest(id, u_.out_port_of(id)));
}

/// The same; its head is known.
template <class Features>
void Pipeline<Features>::route(Index id, InLane& lane, const Head& head) {
  const Index own = port_of(id);
  const SwitchPort& port = ports_[own];
  if constexpr (Features::all)
    if (head.has(Head::group)) {
      start_branches(id);
      return;
    }
  Index number = PortTable::nowhere;  // of the out-port, from 0, or of a group of links
  Lane lane_class = 0;
  if (one_route_ && !head.has(Head::own_route)) {
    number = layout_.out_ports(port.home, head.to);
  } else if (Features::choices && choice_tables_ && !head.has(Head::own_route)) {
    route_by_choices(id, lane);
    return;
  } else {
    const RouteStep hop = routing_(port.home, own, head);
    if (hop.is_choice() || (hop.port != no_port && hop.lane_class < lane_classes_))
      number = hop.port - 1U;
    lane_class = hop.lane_class;
    if (head.hops == 0) lane.head.level = hop.level;
  }
  if (number + 1U >= first_link_group) {
    if (Features::choices && number != PortTable::nowhere && choices_.allowed())
      choose(id, choices_.set_of(static_cast<PortNumber>(number + 1)));
    else
      drain(id, Loss::no_route);
    return;
  }
  if (head.hops >= most_hops_) {
    drain(id, Loss::loop);
    return;
  }
  request_port(id, lane, own - port.number + number, lane_class);
}

/// The front packet of an in-lane has been routed to an out-port of its switch.
template <class Features>
void Pipeline<Features>::request_port(Index id, InLane& lane, Index o, Lane lane_class) {
  if constexpr (Features::all) {
    if (layout_.options.fault_sites) u_.packets[lane.head.packet].hops = lane.head.hops + 1U;
    if (u_.is_dead(o)) {
      drain(id, Loss::link_down, o);
      return;
    }
  }
  const Index own = port_of(id);
  lane.out_port = static_cast<std::uint16_t>(o - (own - ports_[own].number));
  lane.lane_class = lane_class;
  lane.stage = Stage::waiting;
  routed_.add(SendRequest(id, o));
  if (!u_.large) return;
  // The request is made when the others of the block have been routed: meanwhile the port comes.
  __builtin_prefetch(&ports_[o]);
  const Index likely = Features::whole && lane.last_port == lane.out_port ? lane.next_lane : 0;
  __builtin_prefetch(&out_lane(first_lane(o) + lane_in_port(likely)));
}

}  // namespace weft::sim
