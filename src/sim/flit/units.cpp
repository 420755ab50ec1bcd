// SPDX-License-Identifier: Apache-2.0
// Connecting the units of a network: links, their delays, credits, and arrays of features.
#include "sim/flit/units.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace weft::sim {
Units::Units(const Layout& layout_in)
    : layout(layout_in),
      ports(layout.all_ports),
      in(layout.switch_lanes()),
      out(std::size_t{layout.all_ports} << layout.lane_bits),
      last_queued(layout.switch_lanes(), nothing),
      next_waiting(layout.switch_lanes(), nothing),
      requested(layout.blocks),
      senders(layout.blocks),
      active(layout.fabric.host_count()),
      own_blocks(layout.blocks / 64 + 1, ~std::uint64_t{0}),
      audit(layout) {
  own_blocks.back() = bit_at(layout.blocks % 64) - 1;  // behind them are NICs
  connect();
  set_delays();
  make_lists();
  set_flow_control();
  add_feature_arrays();
  // As many as the buffers hold, if that is not too much: arrays that grow are copied. Memory that
  // is not used does not count.
  const std::size_t flits = std::size_t{layout.switch_lanes()} * layout.buffer;
  const std::size_t most = std::min(flits, std::size_t{1} << 22U);
  segments.reserve(most);
  packets.reserve(most + layout.fabric.host_count());
}

Units::Units(Units& whole)
    : layout(whole.layout),
      packets(whole.packets),
      active(layout.fabric.host_count()),
      own_blocks(whole.own_blocks.size(), 0),
      head_lead(whole.head_lead),
      lookahead(whole.lookahead),
      shortest_link(whole.shortest_link),
      window(whole.window),
      stop(whole.stop),
      go(whole.go),
      endless_hosts(whole.endless_hosts),
      whole_packets(whole.whole_packets),
      observed(whole.observed),
      large(whole.large),
      audit(layout),
      longest_flight_(whole.longest_flight_),
      longest_back_(whole.longest_back_) {
  if (!layout.tables.groups.empty()) next_waiting.assign(layout.switch_lanes(), nothing);
  make_lines();
}

void Units::share(Units& whole) {
  invariant(head_lead == whole.head_lead && whole_packets == whole.whole_packets,
            "a part moves packets as the whole does");
  packets.share();
  const auto each = [](auto& own, auto& other) { own.share(other); };
  each(ports, whole.ports);
  each(in, whole.in);
  each(out, whole.out);
  each(last_queued, whole.last_queued);
  if (layout.tables.groups.empty()) each(next_waiting, whole.next_waiting);
  each(requested, whole.requested);
  each(senders, whole.senders);
  each(packet_out, whole.packet_out);
  each(arrived, whole.arrived);
  each(interval, whole.interval);
  each(free_at, whole.free_at);
  each(held_out, whole.held_out);
  each(held_in, whole.held_in);
  each(since, whole.since);
  each(fill, whole.fill);
  each(receive_buffers, whole.receive_buffers);
  each(dead, whole.dead);
  each(mended, whole.mended);
  each(failed, whole.failed);
  each(moved, whole.moved);
  now = whole.now;
}

void Units::join(const std::vector<const Units*>& others, Index blocks_of_all) {
  const auto with = [&](auto line) {
    std::vector<const std::remove_reference_t<decltype(this->*line)>*> lines;
    for (const Units* other : others) lines.push_back(&(other->*line));
    (this->*line).join(std::move(lines), blocks_of_all);
  };
  with(&Units::heads);
  with(&Units::bodies);
  with(&Units::credits);
  with(&Units::packet_credits);
}

void Units::forget(Cycle from, Cycle until, const std::vector<std::uint64_t>& blocks_of_others) {
  for (std::size_t word = 0; word < blocks_of_others.size(); ++word)
    for (Cycle at = from; at < until; ++at) {
      const std::uint64_t blocks = blocks_of_others[word];
      heads.forget(at, word, blocks);
      if (whole_packets) {
        packet_credits.forget(at, word, blocks);
        continue;
      }
      bodies.forget(at, word, blocks);
      credits.forget(at, word, blocks);
    }
}

void Units::connect() {
  const Fabric& fabric = layout.fabric;
  for (Index s = 0; s < layout.switches.size(); ++s)
    for (Index p = 0; p < layout.switches[s].count; ++p) {
      SwitchPort& port = ports[layout.switches[s].first + p];
      port.home = s;
      port.block = static_cast<std::uint16_t>(layout.block_of(s));
      port.number = static_cast<std::uint16_t>(p);
    }
  const auto join = [this](Index a, Index b) {
    SwitchPort& port = ports[a];
    port.peer = b;
    port.to_host = layout.is_host(b);
    port.idle = layout.all_lanes;
    port.peer_block =
        static_cast<std::uint16_t>(port.to_host ? layout.blocks : layout.block_of(ports[b].home));
  };
  for (ChannelId c : fabric.channels())
    join(layout.port_at(fabric.from(c), fabric.out_port(c)),
         layout.port_at(fabric.to(c), fabric.in_port(c)));
  for (HostId h : fabric.hosts()) {
    const Index at = layout.port_at(fabric[h].on, fabric[h].port), own = layout.port_of_host(h);
    ports[own].home = static_cast<Index>(h.index());
    join(at, own);
    join(own, at);
  }
}

void Units::set_delays() {
  const Fabric& fabric = layout.fabric;
  interval.assign(ports.size(), 1U << 16U);
  const auto set = [&](Index p, const LinkCycles& link) {
    SwitchPort& port = ports[p];
    interval[p] = link.interval;
    port.flight = link.flight;
    port.back = link.back;
    longest_flight_ = std::max<Cycle>(longest_flight_, port.flight);
    longest_back_ = std::max<Cycle>(longest_back_, port.back);
  };
  for (ChannelId c : fabric.channels())
    set(layout.port_at(fabric.from(c), fabric.out_port(c)), layout.timing.link(c));
  for (HostId h : fabric.hosts()) {
    set(layout.port_of_host(h), layout.timing.from_host(h));
    set(layout.port_at(fabric[h].on, fabric[h].port), layout.timing.to_host(h));
  }
  if (std::all_of(interval.begin(), interval.end(), [](std::uint64_t i) { return i == 65'536; }))
    interval.clear();
  else
    free_at.assign(ports.size(), 0);
  endless_hosts = true;
  for (Index p = 0; p < layout.switch_ports; ++p)
    if (ports[p].to_host && !layout.stop_go)
      endless_hosts &= layout.buffer >= ports[p].flight + ports[p].back;
  whole_packets = layout.packets_are_whole() && interval.empty() && endless_hosts;
  if (whole_packets || layout.heads_come_routed()) head_lead = layout.head_delay;
  measure_links();
  make_lines();
  if (!whole_packets) return;
  for (SwitchPort& port : ports) port.free_at = port.input_free_at = 0;
  arrived.assign(in.size(), 0);
}

/// How far hosts may be ahead of switches, and switches of others, with any number of threads.
void Units::measure_links() {
  constexpr Cycle enough = 8, enough_in_parts = 128, packets = 1U << 21U;
  lookahead = enough;
  shortest_link = std::clamp<Cycle>(packets / layout.fabric.host_count(), enough, enough_in_parts);
  for (Index p = 0; p < layout.switch_ports; ++p) {
    const SwitchPort& port = ports[p];
    if (port.peer == nothing) continue;
    Cycle& least = port.to_host ? lookahead : shortest_link;
    least = std::min<Cycle>({least, port.flight, port.back});
  }
  lookahead = layout.fits_cache ? 1 : std::min(lookahead, shortest_link);
  window = layout.fits_cache ? 1 : shortest_link;
}

void Units::make_lines() {
  const Cycle ahead = layout.can_part() ? shortest_link : lookahead;
  const Cycle longest_flight = longest_flight_ + ahead;
  heads = DelayLine<HeadArrival>(longest_flight + head_lead, layout.blocks);
  bodies = DelayLine<Arrival>(longest_flight, layout.blocks);
  ejections = DelayLine<Ejection>(longest_flight);
  credits = DelayLine<Index>(longest_flight + longest_back_, layout.blocks + 1);
  routed = DelayLine<Index>(layout.head_delay + 1, layout.blocks);
  if (!whole_packets) return;
  const Cycle longest = layout.options.longest_packet;
  ejections = DelayLine<Ejection>(longest_flight + longest);
  packet_credits = DelayLine<PacketCredits>(longest_back_ + ahead, layout.blocks + 1);
  routed = DelayLine<Index>(longest + layout.head_delay, layout.blocks);
  releases = DelayLine<Index>(longest, layout.blocks);
  retries = DelayLine<Index>(std::max<Cycle>(longest, layout.buffer), layout.blocks + 1);
  drained = DelayLine<Index>(longest, layout.blocks);
  ends.resize(std::bit_ceil(longest + lookahead + 1));
}

Cycle Units::next_event() {
  const auto next_of = [this](auto&... lines) {
    // Mostly there is something now.
    return (lines.any_at(now) || ...) ? now : std::min({lines.next(now)...});
  };
  const Cycle next = next_of(bodies, heads, credits, ejections, routed);
  if (next == now || !whole_packets) return next;
  return std::min(next, next_of(packet_credits, releases, retries, drained));
}

void Units::make_lists() {
  for (Index b = 0; b < layout.blocks; ++b) {
    const std::size_t first = std::size_t{b} << layout.block_bits;
    const std::size_t last =
        std::min(layout.switches.size(), std::size_t{b + 1} << layout.block_bits);
    std::size_t count = 0;
    for (std::size_t s = first; s < last; ++s) count += layout.switches[s].count;
    requested[b].make(count);
    senders[b].make((count << layout.lane_bits) + 1);  // each has an out-lane; see add_if()
  }
  const std::size_t bytes = ports.size() * sizeof(SwitchPort) + in.size() * sizeof(InLane);
  large = bytes > std::size_t{1} << 19U;
}

/// From now on `moved` is kept, or not.
void Units::count_moved(bool wanted) {
  moved.assign(wanted ? layout.blocks : 0, {});
  moved_is_new = wanted;
}

/// Of stop and go.
void Units::set_thresholds() {
  const SwitchModel& model = layout.model;
  std::uint32_t on_the_way = 0;
  for (Index p = 0; p < layout.switch_ports; ++p)
    if (ports[p].peer != nothing)
      on_the_way = std::max(on_the_way, ports[ports[p].peer].flight + ports[p].back);
  stop = model.stop;
  go = model.go;
  if (stop == 0 && layout.buffer > on_the_way) stop = layout.buffer - on_the_way;
  if (stop == 0 || stop + on_the_way > layout.buffer)
    throw Error(
        "{}: with stop at {} of {} flits the buffer overflows: up to {} more arrive before "
        "the stop takes effect; buffer={} would do",
        model.spec, stop, layout.buffer, on_the_way, std::max(stop, 1U) + on_the_way);
  // A packet that is stored, or copied to several ports, may wait at the front for its own rest:
  // as long as that has not come, the sender must not be stopped.
  const bool whole = layout.store_and_forward || layout.whole_copies;
  const std::uint32_t least_go = whole ? layout.options.longest_packet - 1 : 0;
  if (go == 0) go = std::max(stop / 2, least_go);
  if (go < least_go || stop <= least_go)
    throw Error(
        "{}: a packet of {} flits must come whole, so stop is {} or more, and go {} or more",
        model.spec, layout.options.longest_packet, least_go + 1, least_go);
  if (go >= stop) throw Error("{}: go={}: it has to be less than stop={}", model.spec, go, stop);
}

void Units::set_flow_control() {
  if (layout.stop_go) set_thresholds();
  for (Index p = 0; p < ports.size(); ++p) {
    const bool without_limit = layout.stop_go || (ports[p].to_host && endless_hosts);
    for (Index v = 0; v < layout.lanes && ports[p].peer != nothing; ++v)
      out[(p << layout.lane_bits) + v].credits =
          without_limit ? endless : static_cast<std::int32_t>(layout.buffer);
  }
  if (!whole_packets) return;
  packet_out.reserve(out.size());
  for (const OutLane& lane : out) packet_out.push_back({lane});
}

void Units::settle_packets() {
  if (!whole_packets) return;
  std::copy(packet_out.begin(), packet_out.end(), out.begin());
  for (SwitchPort& port : ports) {
    end_sent_packet(port);
    if (port.waiting != nothing && !port.several) next_waiting[port.waiting] = nothing;
  }
}

void Units::add_feature_arrays() {
  if (layout.stop_go) fill.assign(in.size(), 0);
  if (layout.by_packet) {
    held_out.assign(layout.switch_ports, nothing);
    held_in.assign(layout.switch_ports, nothing);
  }
  if (layout.model.priorities) since.assign(in.size(), 0);
  if (layout.options.faults.any()) {
    dead.assign(ports.size(), false);
    mended.assign(ports.size(), false);
    failed.assign(layout.switches.size(), false);
  }
  observed = layout.model.priorities || layout.options.check;
  const std::uint32_t buffers = layout.options.receive_buffers;
  if (buffers == 0) return;
  if (buffers < layout.lanes)
    throw Error("a host with {} receive buffers cannot have links of {} lanes", buffers,
                layout.lanes);
  receive_buffers.assign(layout.fabric.host_count(), {.room = buffers - layout.lanes});
}

std::uint32_t Units::used(Index o, std::uint64_t lanes, bool before_credits) const {
  const SwitchPort& port = ports[o];
  if (port.peer == nothing || layout.stop_go || (port.to_host && endless_hosts)) return 0;
  if (!whole_packets) return used_by_flits(o, lanes);
  const Index first = o << layout.lane_bits;
  std::int64_t out_of_room = 0;
  const Cycle next = before_credits ? now : now + 1;  // to come
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const PacketOutLane& lane = packet_out[first + lowest(left)];
    const auto to_come = static_cast<std::int64_t>(lane.last >= next ? lane.last - next + 1 : 0);
    out_of_room += std::int64_t{layout.buffer} - lane.credits + to_come;
  }
  // Of a packet, what has yet to leave.
  const bool sends = port.sending != SwitchPort::no_lane && (lanes & bit_at(port.sending)) != 0 &&
                     port.free_at > now;
  if (sends) out_of_room -= static_cast<std::int64_t>(port.free_at - now);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(out_of_room, 0));
}

bool Units::withdraw_request(Index who, Index o) {
  Index* link = &ports[o].waiting;
  while (*link != nothing && *link != who) link = &next_waiting[*link];
  if (*link == nothing) return false;
  *link = next_waiting[who];
  return true;
}

void Units::withdraw_sender(Index from, const SwitchPort& port) {
  RequestList<SendRequest>& list = senders[port.block];
  list.end_at(std::remove_if(list.begin(), list.end(),
                             [from](const SendRequest& sender) { return sender.from() == from; }));
}

void Units::release_buffer(Index host) {
  if (receive_buffers.empty()) return;
  ReceiveBuffers& buffers = receive_buffers[host];
  if (buffers.closed == 0) {
    ++buffers.room;
    return;
  }
  const Index o = ports[layout.switch_ports + host].peer;
  const Index lane = lowest(buffers.closed);
  buffers.closed &= buffers.closed - 1;
  release_lane(ports[o], o, lane);
}

std::uint64_t Units::buffered(Index lane) const {
  std::uint64_t flits = in[lane].have;
  each_segment(in[lane], [&](const QueuedPacket& segment) { flits += segment.have; });
  return flits;
}

}  // namespace weft::sim
