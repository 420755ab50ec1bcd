// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: packets, one by one: to the front of a lane, and on to the next switch.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

/// The head of the front packet is in the buffer: at `when` it requests a lane of its out-port.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::to_front(LanePlace at, Cycle when) {
  PacketNode& queue = queues_[queue_at(at)];
  const Index out_port = next_port(at, queues_[queue.next], when);
  if (out_port == one_of_several) {
    choosing_.at(when)[at_.word(at)] |= at.mask();
    return;
  }
  if (out_port == nowhere) {  // it cannot go on, which is for the event-driven pipeline
    units_.routed.push(when, layout_.block_of(at_.home(at)), lane_at(at));
    stranded_ = std::min(stranded_, when);
    return;
  }
  queue.port = static_cast<std::uint8_t>(out_port);
  lane_requested_.at(when)[at_.pair(at, out_port)] |= at.mask();
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::route(const LanePlace& at, Cycle when) {
  if (!plain_) {
    to_front(at, when);
    return;
  }
  const PacketNode& queue = queues_[queue_at(at)];
  if (plain_phases_ && queues_[queue.next].row == not_drawn) start_front(at, when);
  if (plain_classes_ || plain_phases_) at_.set(lane_set_, set_bits_, at, queue.lane_class);
  lane_requested_.at(when)[at_.pair(at, queue.port)] |= at.mask();
}

/// The out-port of a front packet. It is noted which lanes of it the packet may have.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::next_port(const LanePlace& at,
                                                                 PacketNode& node, Cycle when) {
  at_.set(left_, left_bits_, at, node.flits - 1);
  if (phases_.any()) return port_by_choices(at, node, when);
  if (next_ports_.empty() || !any_idle_lane_) return routed_port(at, node);
  const HostId to = units_.packets[node.packet].packet.to;
  const Index out_port = next_ports_[to.index() * layout_.switches.size() + at_.home(at)];
  HeadProgress progress = node.progress();
  if (out_port == nowhere || progress.hops >= layout_.most_hops) return nowhere;
  ++progress.hops;
  node.set_progress(progress);
  return out_port;
}

/// The same where the next hop, or its lanes, depend on more than switch and destination.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::routed_port(const LanePlace& at,
                                                                   PacketNode& node) {
  const Index home = at_.home(at);
  Head head = head_of(node);
  if (layout_.control_shift != 0 && units_.packets[node.packet].packet.control)
    head.flags = Head::control;
  const RouteStep hop = routing_(home, first_port_[home] + at.lane / lanes(), head);
  if (hop.port == 0 || hop.port == no_port || hop.lane_class >= layout_.class_lanes.size() ||
      head.hops >= layout_.most_hops)
    return nowhere;
  if (head.hops == 0) head.level = hop.level;
  return note_route(at, node, head, hop);
}

/// A packet goes on by a hop. Returns its out-port.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::note_route(const LanePlace& at,
                                                                  PacketNode& node,
                                                                  const Head& head,
                                                                  const RouteStep& hop) {
  HeadProgress progress = progress_of(head);
  ++progress.hops;
  progress.lane_class = hop.lane_class;
  node.set_progress(progress);
  const Index out_port = hop.port - 1U;
  const bool to_host = units_.ports[first_port_[at_.home(at)] + out_port].to_host;
  at_.set(lane_set_, set_bits_, at, layout_.lane_set(head, hop.lane_class, to_host));
  return out_port;
}

/// Heads have come to lanes that had no packet at the front.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::route_arrived_heads(Index block) {
  for (Index i = 0; i < at_.switch_lanes() * wide; ++i)
    for (Word left = arrived_heads_[i]; left != 0; left &= left - 1)
      to_front({block, i / wide, i % wide * 64 + lowest(left)}, units_.now + layout_.head_delay);
}

/// Heads go to the queues of their next lanes; behind tails the next packets come to the front.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::advance_packets(Index block) {
  for (Index i = 0; i < at_.switch_lanes() * wide; ++i) {
    const Word heads = heads_[i], tails = ends_[i], filled = filled_[first_word(block) + i];
    for (Word ends = heads | tails; ends != 0; ends &= ends - 1) {
      const LanePlace at{block, i / wide, i % wide * 64 + lowest(ends)};
      const Word mask = ends & (~ends + 1);
      const Index home = at_.home(at), queue = queue_at(at);
      const PacketNode node = queues_[queues_[queue].next];
      const Index port = queues_[queue].port;
      const auto lane = static_cast<Index>(at_.number(lane_of_, lane_bits(), at));
      const LinkTarget& target = link_targets_[home * ports() + port];
      const Index next = target.queue + lane * LaneQueues::apart;
      if ((heads & mask) != 0 && !queues_.leads_to_host(next)) {
        if (is_own(target.home / (64 * wide)))
          queues_.append(next, node.packet, node.flits, node.progress());
        else
          join_later({.to = &target, .lane = lane, .packet = node.packet, .node = node});
      }
      if ((tails & mask) == 0) continue;
      queues_[next].last_holder = static_cast<std::uint16_t>(at.lane);
      units_.out[((first_port_[home] + port) << layout_.lane_bits) + lane].sent += node.flits;
      if (queues_.leads_to_host(next))
        units_.ejections.push(units_.now + target.flight, 0,
                              {host_lane(next), node.packet, node.progress().hops});
      queues_.pop(queue);
      if ((filled & mask) != 0) to_front(at, units_.now + 1 + layout_.head_delay);
    }
  }
}

}  // namespace weft::sim
