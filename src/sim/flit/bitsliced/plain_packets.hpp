// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: packets of plain networks, where every step counts: they have one flit, so that
// they are head and tail at once and in one queue at a time; and a table leads each of them to its
// destination (PlainRoutes). When a packet leaves for a switch it is known when it comes there, and
// if it will be at the front, when it requests a lane of which port.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline auto
BitSlicedKernel<fixed_ports, fixed_lanes, wide>::departure_context(Cycle arrival)
    -> DepartureContext {
  return {.link_targets = link_targets_.data(),
          .nodes = queues_.data(),
          .next_ports = next_ports_.data(),
          .hops_to_go = hops_to_go_.data(),
          .phase_hops = phase_hops_.data(),
          .first_ports = first_port_.data(),
          .lane_table = routing_.lane_table(),
          .lane_set = lane_set_.data(),
          .set_bits = set_bits_,
          .set_to_host = layout_.set_to_host,
          .arrives = static_cast<std::uint32_t>(arrival),
          .requested = lane_requested_.at(arrival + layout_.head_delay)};
}

/// Notes the lanes that the front packet of a lane may have, where `mask` says so.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::allow(
    const DepartureContext& context, const LanePlace& at, Word mask, std::uint8_t set) {
  Word* const words = context.lane_set + at_.digits(context.set_bits, at);
  const auto note = [&](Index b) __attribute__((always_inline)) {
    words[b * span] = (words[b * span] & ~mask) | (mask & (0 - Word{set >> b & 1U}));
  };
  note(0);
  if (context.set_bits > 1) note(1);
  for (Index b = 2; b < context.set_bits; ++b) note(b);
}

/// A packet is on its way to a lane of a switch. (Where conditions are often guessed wrong, there
/// are no branches.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
[[gnu::always_inline]] inline void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::join_queue(
    const DepartureContext& context, const LinkTarget& target, Index lane, Index node,
    Lane lane_class) {
  const Index id = target.queue + lane * LaneQueues::apart, home = target.home,
              word = target.word + lane * wide;
  PacketNode &own = context[node], &queue = context[id];
  const Index last = queue.last;
  const bool first = queue.next == nothing;
  PhaseHop hop{};
  if constexpr (routes == PlainRoutes::by_phases) {
    hop = context.phase_hops[own.row + home];
    if (hop.turns()) {
      own.row = row_behind(node);
      hop = context.phase_hops[own.row + home];
    }
  } else {
    hop.port = context.next_ports[own.row + home];
  }
  const std::uint8_t port = hop.port;
  own.next = nothing;
  own.arrives = context.arrives;
  PacketNode& before = context[last ^ ((id ^ last) & (0 - Index{first}))];  // first ? id : last
  before.next = node;
  before.port = port;
  if constexpr (routes != PlainRoutes::by_table) {
    std::uint8_t after = hop.lanes;
    if constexpr (routes == PlainRoutes::by_turns) {
      const bool to_host = context.hops_to_go[own.row + home] == 1;
      const Lane turned =
          context.lane_table(context.first_ports[home] + target.port, port, lane_class);
      after = to_host ? context.set_to_host : turned;
    }
    own.set_course(own.hops(), lane_class);
    before.lane_class = after;
    const LanePlace at = at_.place(home, target.port * lanes() + lane);
    allow(context, at, Word{first} << at.bit % 64, after);
  }
  queue.last = node;
  ++queue.sent;
  context.requested[word + port * at_.switch_lanes() * wide] |= Word{first} << home % 64;
}

/// As begin_packets() does.
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
Word BitSlicedKernel<fixed_ports, fixed_lanes, wide>::begin_plain(Index first_host, Word hosts) {
  queues_.reserve_packets(units_.packets.size());
  const DepartureContext context = departure_context(units_.now + nic_flight_);
  const LinkTarget* const link_targets =
      &link_targets_[layout_.switches.size() * ports() + first_host];
  const EntryLane* const entries = &entries_[first_host];
  Nic* const nics = &injection_.nics[first_host];
  const auto switches = static_cast<Index>(layout_.switches.size());
  Word begun = hosts, more = 0;
  for (Word left = hosts; left != 0; left &= left - 1) {
    const Index i = lowest(left);
    const EntryLane entry = entries[i];
    Nic& nic = nics[i];
    std::uint64_t open = 0;
    for (Index v = 0; v < lanes(); ++v)
      open |= (nic_open_[entry.word + v * wide] >> entry.bit & 1) << v;
    if (open == 0 || nic.first == nothing) {
      begun &= ~(left & (~left + 1));
      continue;
    }
    const Index v = first_from(open, nic.lane + 1), packet = nic.first;
    PacketRecord& record = units_.packets[packet];
    nic_[entry.word + v * wide] |= Word{1} << entry.bit;
    nic.lane = v;
    nic.first = record.next;
    record.packet.injected = units_.now;
    if (record.next == nothing)
      injection_.is_idle(first_host + i);
    else
      more |= left & (~left + 1);
    PacketNode& node = context[queues_.node_of(packet)];
    if constexpr (routes == PlainRoutes::by_phases) {
      const PacketNode& queue = context[link_targets[i].queue + v * LaneQueues::apart];
      node.row = not_drawn;
      node.set_course(0, 0);
      if (queue.next == nothing)
        node.row = drawn_row(entry.lane + v, link_targets[i].home, packet,
                             units_.now + nic_flight_ + layout_.head_delay);
    } else {
      node.row = static_cast<Index>(record.packet.to.index()) * switches;
      node.set_course(hops_to_go_[node.row + link_targets[i].home], 0);
    }
    join_queue<routes>(context, link_targets[i], v, queues_.node_of(packet), 0);
  }
  units_.totals.waiting -= count(begun);
  return more;
}

/// The front packet of a queue leaves it.
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
[[gnu::always_inline]] inline Index BitSlicedKernel<fixed_ports, fixed_lanes, wide>::leave_queue(
    const DepartureContext& context, PacketNode& queue, std::size_t place, NewHead*& new_heads) {
  const Index node = queue.next, next = context[node].next;
  queue.next = next;
  queue.port = context[node].port;
  if constexpr (routes != PlainRoutes::by_table) queue.lane_class = context[node].lane_class;
  *new_heads = {&queue, place};
  new_heads += next != nothing ? 1 : 0;
  return node;
}

/// Packets leave an in-port for switches. (A function by itself, with copies of what it needs: they
/// stay in registers.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes, bool parted>
[[gnu::noinline]] auto BitSlicedKernel<fixed_ports, fixed_lanes, wide>::forward(
    const DepartureContext& given, const Departures& departures, NewHead* new_heads) -> NewHead* {
  const DepartureContext context = given;
  const Departures go = departures;
  for (Word left = go.who; left != 0; left &= left - 1) {
    const Index bit = lowest(left), v = number_at(go.from, lane_bits(), bit);
    const Index lane = number_at(go.to, lane_bits(), bit);
    PacketNode& queue = go.queues[bit * lanes() + v];
    const LinkTarget& target = go.link_targets[bit * ports() + queue.port];
    const Lane lane_class = queue.lane_class;
    const Index node =
        leave_queue<routes>(context, queue, go.place + v * wide * 64 + bit, new_heads);
    context[target.queue + lane * LaneQueues::apart].last_holder =
        static_cast<std::uint16_t>(go.lane + v);
    if constexpr (routes == PlainRoutes::by_phases) ++context[node].course;
    if (parted && is_own_[target.home / (64 * wide)] == 0)
      join_later({&target, lane, queues_.packet_of(node), as_it_comes(context, node, lane_class)});
    else
      join_queue<routes>(context, target, lane, node, lane_class);
  }
  return new_heads;
}

/// An in-port sends one flit at most, so the packets of all its lanes are handled together; those
/// that go to hosts come last, by out-port. (Loops are long, and conditions become lists: both are
/// guessed wrong less often.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::advance_plain(Index block) {
  const DepartureContext context = departure_context(units_.now + flight_);
  NewHead* new_heads = new_heads_.data();
  W from[most_ports * most_lane_bits] = {};  // by in-port: the lane of the packet that leaves
  for (Index p = 0; p < ports(); ++p) {
    for (Index v = 1; v < lanes(); ++v)
      for (Index b = 0; b < lane_bits(); ++b)
        if ((v >> b & 1) != 0)
          from[p * lane_bits() + b] |= load<W>(&leaving_[(p * lanes() + v) * wide]);
    W to_host = zero;
    for (Index o = 0; o < ports(); ++o)
      to_host |= accepted_[o * ports() + p] & load<W>(&to_host_[at_.port({block, 0, 0}, o)]);
    for (Index i = 0; i < wide; ++i) {
      const LanePlace first{block, p * lanes(), i * 64};
      Departures departures;
      departures.who = part(ending_[p] & ~to_host, i);
      departures.lane = first.lane;
      departures.place = (first.lane * wide + i) * 64;
      departures.queues = context.nodes + at_.queue(first);
      departures.link_targets = context.link_targets + std::size_t{at_.home(first)} * ports();
      for (Index b = 0; b < lane_bits(); ++b) {
        departures.from[b] = part(from[p * lane_bits() + b], i);
        departures.to[b] = part(lane_left_[p * lane_bits() + b], i);
      }
      new_heads = is_own_.empty() ? forward<routes, false>(context, departures, new_heads)
                                  : forward<routes, true>(context, departures, new_heads);
    }
  }
  for (Index o = 0; o < ports(); ++o)
    if (any(load<W>(&to_host_[at_.port({block, 0, 0}, o)])))
      new_heads = eject_plain<routes>({block, o}, context, from, new_heads);
  const auto next_cycle = static_cast<std::uint32_t>(units_.now + 1);
  const std::size_t first = at_.pair({block, 0, 0}, 0);
  for (const NewHead* each = new_heads_.data(); each != new_heads; ++each) {
    PacketNode& queue = *each->queue;
    const std::uint32_t arrives = context[queue.next].arrives;
    const bool later = static_cast<std::int32_t>(arrives - next_cycle) > 0;
    if constexpr (routes != PlainRoutes::by_table) {
      const auto word = static_cast<Index>(each->place / 64);
      const Index bit = word % wide * 64 + static_cast<Index>(each->place % 64);
      const LanePlace at{block, word / wide, bit};
      if constexpr (routes == PlainRoutes::by_phases)
        if (context[queue.next].row == not_drawn)
          start_front(at, units_.now + 1 + (later ? arrives - next_cycle : 0) + layout_.head_delay);
      allow(context, at, at.mask(), queue.lane_class);
    }
    Word* const requested = lane_requested_.at((later ? arrives : next_cycle) + layout_.head_delay);
    requested[first + each->place / 64 + queue.port * at_.switch_lanes() * wide] |=
        Word{1} << each->place % 64;
  }
}

/// Packets of other parts are on their way here.
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::take_plain_joins(
    const std::vector<FarJoin>& joins) {
  queues_.reserve_packets(units_.packets.size());
  for (const FarJoin& join : joins) {
    const std::uint32_t ahead = join.node.arrives - static_cast<std::uint32_t>(units_.now);
    const DepartureContext context = departure_context(units_.now + ahead);
    const Index node = queues_.node_of(join.packet);
    context[node] = join.node;
    join_queue<routes>(context, *join.to, join.lane, node, join.node.lane_class);
  }
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::take_joins(
    const std::vector<FarJoin>& joins) {
  if (plain_ && plain_phases_)
    take_plain_joins<PlainRoutes::by_phases>(joins);
  else if (plain_ && plain_classes_)
    take_plain_joins<PlainRoutes::by_turns>(joins);
  else if (plain_)
    take_plain_joins<PlainRoutes::by_table>(joins);
  else
    for (const FarJoin& join : joins)
      queues_.append(join.to->queue + join.lane * LaneQueues::apart, join.packet, join.node.flits,
                     join.node.progress());
}

/// Packets leave for the hosts at an out-port. Returns the new end of the new heads. (Members
/// that the loop needs are copied, as it would read them anew for every packet.)
template <Index fixed_ports, Index fixed_lanes, Index wide>
template <PlainRoutes routes>
auto BitSlicedKernel<fixed_ports, fixed_lanes, wide>::eject_plain(BlockPort of,
                                                                  const DepartureContext& context,
                                                                  const W* from, NewHead* new_heads)
    -> NewHead* {
  constexpr Index port_bits = std::bit_width(most_ports - 1U);
  const Index o = of.port, packets = queues_.packets(), host_queues = queues_.host_queues();
  const Index host_lanes = layout_.switch_lanes();
  const Cycle arrival = units_.now + host_flight_;
  constexpr unsigned last_hop = routes == PlainRoutes::by_phases ? 1 : 0;
  W all = zero, in_port[port_bits] = {}, own[most_lane_bits] = {}, next[most_lane_bits] = {};
  for (Index p = 0; p < ports(); ++p) {
    const W go = accepted_[o * ports() + p] & load<W>(&to_host_[at_.port({of.block, 0, 0}, o)]);
    all |= go;
    for (Index b = 0; b < port_bits; ++b)
      if ((p >> b & 1) != 0) in_port[b] |= go;
    for (Index b = 0; b < lane_bits(); ++b) {
      own[b] |= go & from[p * lane_bits() + b];
      next[b] |= go & lane_left_[p * lane_bits() + b];
    }
  }
  for (Index i = 0; i < wide; ++i) {
    Word ports_in[port_bits], lanes_in[most_lane_bits], lanes_out[most_lane_bits];
    for (Index b = 0; b < port_bits; ++b) ports_in[b] = part(in_port[b], i);
    for (Index b = 0; b < lane_bits(); ++b) {
      lanes_in[b] = part(own[b], i);
      lanes_out[b] = part(next[b], i);
    }
    for (Word left = part(all, i); left != 0; left &= left - 1) {
      const Index bit = lowest(left), p = number_at(ports_in, port_bits, bit);
      const Index lane = p * lanes() + number_at(lanes_in, lane_bits(), bit);
      const LanePlace at{of.block, lane, i * 64 + bit};
      const Index queue = context.link_targets[at_.home(at) * ports() + o].queue +
                          number_at(lanes_out, lane_bits(), bit) * LaneQueues::apart;
      const Index node = leave_queue<routes>(context, context[queue_at(at)],
                                             (lane * wide + i) * 64 + bit, new_heads);
      context[queue].last_holder = static_cast<std::uint16_t>(lane);
      ++context[queue].sent;
      units_.ejections.push(arrival, 0,
                            {host_lanes + (queue - host_queues) / LaneQueues::apart,
                             (node - packets) / LaneQueues::apart,
                             static_cast<std::uint16_t>(context[node].hops() + last_hop)});
    }
  }
  return new_heads;
}

}  // namespace weft::sim
