// SPDX-License-Identifier: Apache-2.0
// Laying out a network in arrays; queues of packets and segments.
#include "sim/engine/state.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace weft::sim {
namespace {

constexpr std::uint32_t most_wire_cycles = 1'000'000;

Bandwidth fastest(const Fabric& fabric) {
  Bandwidth out{};
  for (LinkId l : fabric.links()) out = std::max(out, fabric[l].wire.speed);
  for (HostId h : fabric.hosts()) out = std::max(out, fabric[h].wire.speed);
  return out;
}

/// 1/65536 cycles that a flit takes on a link of this speed.
std::uint64_t interval_of(Bandwidth speed, Bandwidth best) {
  const auto scaled = static_cast<unsigned __int128>(best.bits_per_second) << 16U;
  const auto divisor = static_cast<unsigned __int128>(speed.bits_per_second);
  return static_cast<std::uint64_t>((scaled + divisor - 1) / divisor);
}

const Tables& fitting(const Fabric& fabric, const Tables& tables) {
  require_fit(fabric, tables);
  return tables;
}

Index lanes_of(const Tables& tables, const SwitchModel& model) {
  const int lanes = model.lanes == 0 ? tables.lane_count : model.lanes;
  if (lanes < tables.lane_count)
    throw Error("the tables ({}) use {} lanes, the switches ({}) have {}", tables.engine,
                tables.lane_count, model.spec, lanes);
  if (!model.control) return static_cast<Index>(lanes);
  if (2 * lanes > most_lanes)
    throw Error("{}: {} lanes and as many control lanes; {} are the most in all", model.spec, lanes,
                most_lanes);
  return static_cast<Index>(2 * lanes);
}

}  // namespace

State::State(const Fabric& fabric_in, const Tables& tables_in, const SwitchModel& model_in,
             const NetworkOptions& options_in)
    : fabric(fabric_in),
      tables(fitting(fabric_in, tables_in)),
      model(model_in),
      options(options_in),
      lanes(lanes_of(tables, model)),
      steering(fabric, tables),
      busy(fabric.switch_count()),
      active(fabric.host_count()),
      timers(fabric.host_count()),
      nics(fabric.host_count()) {
  if (fabric.host_count() == 0) throw Error("{}: there are no hosts", fabric.name());
  cut_through = model.switching != Switching::wormhole;
  store_and_forward = model.switching == Switching::store_and_forward;
  stop_go = model.flow == FlowControl::stop_go;
  whole_copies = std::any_of(tables.groups.begin(), tables.groups.end(),
                             [](const Group& group) { return !group.root; });
  const bool rooted = std::any_of(tables.groups.begin(), tables.groups.end(),
                                  [](const Group& group) { return group.root.has_value(); });
  // A packet that has a link to itself would keep others' copies from theirs, in any order.
  if (rooted && model.multiplex == Multiplex::packet)
    throw Error("{}: groups with a root need links that lanes share flit by flit", model.spec);
  if ((cut_through || whole_copies) && options.longest_packet > model.buffer)
    throw Error("{}: a buffer of {} flits cannot hold a packet of {}{}", model.spec, model.buffer,
                options.longest_packet,
                cut_through ? "; switching=wormhole can do with less" : ", which multicast needs");
  number_ports();
  connect_ports();
  set_delays();
  share_out_lanes();
  set_flow_control();
  add_feature_arrays();
  add_intakes();
}

void State::number_ports() {
  Index words = 0, most_bits = 0;
  std::uint64_t ports = 0;
  for (SwitchId s : fabric.switches()) {
    SwitchState at;
    at.ports = fabric[s].ports;
    at.first_port = static_cast<Index>(ports);
    at.first_lane = at.first_port * lanes;
    at.first_word = words;
    at.words = (at.ports * lanes + 63) / 64;
    ports += at.ports;
    words += at.words;
    most_bits = std::max(most_bits, at.ports * lanes);
    if ((ports + fabric.host_count()) * lanes > Arrival::lane_mask)
      throw Error("{}: more ports and lanes than can be simulated", fabric.name());
    switches.push_back(at);
  }
  switch_ports = static_cast<Index>(ports);
  switch_lanes = switch_ports * lanes;
  const std::size_t all_ports = ports + fabric.host_count();
  this->ports.assign(all_ports, {});
  in.assign(switch_lanes, {});
  queues.assign(switch_lanes, {});
  out.assign(all_ports * lanes, {});
  parked_next.assign(switch_lanes, nothing);
  lane_turn.assign(switch_lanes, 0);
  ready.assign(words, 0);
  want.assign(words, 0);
  for (Index bit = 0; bit < most_bits; ++bit) {
    port_of_bit.push_back(static_cast<std::uint16_t>(bit / lanes));
    lane_of_bit.push_back(static_cast<std::uint16_t>(bit % lanes));
  }
}

void State::connect_ports() {
  for (ChannelId c : fabric.channels())
    ports[port_at(fabric.from(c), fabric.out_port(c))].peer =
        port_at(fabric.to(c), fabric.in_port(c));
  for (HostId h : fabric.hosts()) {
    const Index at = port_at(fabric[h].on, fabric[h].port);
    const Index own = port_of_host(h);
    ports[at].peer = own;
    ports[own].peer = at;
  }
  all_lanes = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  for (Index p = 0; p < ports.size(); ++p) {
    if (ports[p].peer == nothing) continue;
    ports[p].idle = all_lanes;
    for (Index v = 0; v < lanes; ++v) {
      out[p * lanes + v].target = ports[p].peer * lanes + v;
      if (!is_host(p)) in[p * lanes + v].upstream = ports[p].peer * lanes + v;
    }
  }
  for (Index s = 0; s < switches.size(); ++s)
    for (Index l = 0; l < switches[s].ports * lanes; ++l) {
      in[switches[s].first_lane + l].home = s;
      in[switches[s].first_lane + l].bit = static_cast<std::uint16_t>(l);
    }
  for (Index h = 0; h < fabric.host_count(); ++h)
    for (Index v = 0; v < lanes; ++v) out[(switch_ports + h) * lanes + v].holder = h;
}

std::uint32_t State::wire_cycles(const Wire& wire) const {
  const std::int64_t count = (wire.delay.count() + cycle.count() - 1) / cycle.count();
  if (count > most_wire_cycles)
    throw Error("{}: a link with a delay of {} is {} cycles of {} long; {} are the most",
                fabric.name(), weft::to_text(wire.delay), count, weft::to_text(cycle),
                most_wire_cycles);
  return static_cast<std::uint32_t>(count);
}

void State::set_delays() {
  const Bandwidth best = fastest(fabric);
  cycle = std::max(model.flit / best, Duration{1});
  std::vector<std::uint64_t> intervals(ports.size(), 1U << 16U);
  Cycle longest_flight = 0, longest_back = 0;
  const auto inside = static_cast<std::uint32_t>(model.allocate + model.cross);
  const auto set = [&](Index p, const Wire& wire) {
    intervals[p] = interval_of(wire.speed, best);
    const auto slower = static_cast<std::uint32_t>((intervals[p] - 1) >> 16U);
    const std::uint32_t on_wire = static_cast<std::uint32_t>(model.link) + wire_cycles(wire);
    ports[p].flight = (is_host(p) ? 1 : inside) + on_wire + slower;
    ports[p].back = 1 + on_wire + static_cast<std::uint32_t>(model.credit);
    longest_flight = std::max<Cycle>(longest_flight, ports[p].flight);
    longest_back = std::max<Cycle>(longest_back, ports[p].back);
  };
  for (LinkId l : fabric.links()) {
    set(port_at(fabric[l].a.on, fabric[l].a.port), fabric[l].wire);
    set(port_at(fabric[l].b.on, fabric[l].b.port), fabric[l].wire);
  }
  for (HostId h : fabric.hosts()) {
    set(port_of_host(h), fabric[h].wire);
    set(port_at(fabric[h].on, fabric[h].port), fabric[h].wire);
  }
  if (std::any_of(intervals.begin(), intervals.end(),
                  [](std::uint64_t i) { return i != 65'536; })) {
    interval = std::move(intervals);
    free_at.assign(ports.size(), 0);
  }
  head_delay = static_cast<Cycle>(model.route + model.lane - 1);
  arrivals = Ring<Arrival>(longest_flight);
  ejections = Ring<Arrival>(longest_flight);
  credits = Ring<Index>(longest_flight + longest_back);
  wants = Ring<Index>(head_delay + 1);
}

void State::share_out_lanes() {
  const auto classes = static_cast<Index>(tables.lane_count);
  if (model.control) control_shift = lanes / 2;
  const Index count = lanes - control_shift;
  data_lanes = all_lanes >> control_shift;
  for (Index c = 0; c < classes; ++c) {
    std::uint64_t mask = 0;
    for (Index v = c * count / classes; v < (c + 1) * count / classes; ++v)
      mask |= std::uint64_t{1} << v;
    class_lanes.push_back(mask);
  }
}

void State::set_flow_control() {
  std::uint32_t most_on_the_way = 0;
  endless_hosts = true;
  for (Index p = 0; p < switch_ports; ++p) {
    const Port& port = ports[p];
    if (port.peer == nothing) continue;
    most_on_the_way = std::max(most_on_the_way, ports[port.peer].flight + port.back);
    if (is_host(port.peer) && !stop_go) endless_hosts &= model.buffer >= port.flight + port.back;
  }
  if (stop_go) {
    if (model.stop == 0 && model.buffer > most_on_the_way)
      model.stop = model.buffer - most_on_the_way;
    if (model.stop == 0 || model.stop + most_on_the_way > model.buffer)
      throw Error(
          "{}: with stop at {} of {} flits the buffer overflows: up to {} more arrive before "
          "the stop takes effect; buffer={} would do",
          model.spec, model.stop, model.buffer, most_on_the_way,
          std::max(model.stop, 1U) + most_on_the_way);
    // A packet that is stored, or copied to several ports, may wait at the front for its own rest:
    // as long as that has not come, the sender must not be told to stop.
    const bool whole = store_and_forward || whole_copies;
    const std::uint32_t least_go = whole ? options.longest_packet - 1 : 0;
    if (model.go == 0) model.go = std::max(model.stop / 2, least_go);
    if (model.go < least_go || model.stop <= least_go)
      throw Error(
          "{}: a packet of {} flits must come whole, so stop is {} or more, and go {} or more",
          model.spec, options.longest_packet, least_go + 1, least_go);
    if (model.go >= model.stop)
      throw Error("{}: go={}: it has to be less than stop={}", model.spec, model.go, model.stop);
    fill.assign(switch_lanes, 0);
  }
  for (Index l = 0; l < out.size(); ++l) {
    if (out[l].target == nothing) continue;
    const bool without_limit = stop_go || (out[l].target >= switch_lanes && endless_hosts);
    out[l].credits = without_limit ? endless : static_cast<std::int32_t>(model.buffer);
  }
}

void State::add_feature_arrays() {
  const bool by_packet = model.multiplex == Multiplex::packet;
  fast = !by_packet && !model.lane_inputs && !model.priorities && interval.empty() &&
         tables.groups.empty() && !options.faults.any() && !options.check && !options.circuits &&
         !options.fault_sites && port_of_bit.size() <= 64;
  many_wait = !tables.groups.empty();
  if (leave_choices(tables)) allow_choices();
  if (fast) return;
  if (options.circuits) circuits.resize(nics.size());
  if (by_packet) {
    held_out.assign(switch_ports, nothing);
    held_in.assign(switch_ports, nothing);
  }
  if (model.priorities) since.assign(switch_lanes, 0);
  if (!tables.groups.empty()) {
    branches.resize(switch_lanes);
    released.assign(switch_lanes, 0);
    parked_branches.resize(switch_ports);
  }
  if (options.faults.any()) {
    dead.assign(ports.size(), false);
    mended.assign(ports.size(), false);
    failed.assign(switches.size(), false);
  }
  if (options.fault_sites) passed.assign(switch_lanes, 0);
}

void State::allow_choices() {
  if (!choices.empty()) return;
  many_wait = true;
  choices.resize(switch_lanes);
  choice_turn.assign(switches.size(), 0);
  for (const SwitchState& at : switches)
    choosers.resize(choosers.size() + at.ports, std::vector<std::uint64_t>(at.words, 0));
}

void State::add_intakes() {
  const std::uint32_t buffers = options.receive_buffers;
  if (buffers == 0) return;
  if (buffers < lanes)
    throw Error("a host with {} receive buffers cannot have links of {} lanes", buffers, lanes);
  intakes.assign(nics.size(), {.room = buffers - lanes});
}

void State::take_packet(Index host) {
  if (intakes.empty()) return;
  Intake& intake = intakes[host];
  if (intake.closed == 0) {
    ++intake.room;
    return;
  }
  const Index port = ports[switch_ports + host].peer;
  const Index lane = lowest(intake.closed);
  intake.closed &= intake.closed - 1;
  release_lane(port * lanes + lane, port);
}

void State::unpark_others(Index port) {
  if (!parked_branches.empty()) {
    for (const Index id : parked_branches[port]) {
      for (Branch& branch : branches[id])
        if (switches[in[id].home].first_port + branch.port == port) branch.parked = false;
      if ((in[id].flags & InLane::replicate) != 0) set_bit(want, in[id]);
    }
    parked_branches[port].clear();
  }
  if (choosers.empty()) return;
  const SwitchState& at = switches[switch_at(port)];
  for (Index w = 0; w < at.words; ++w)
    for (std::uint64_t bits = std::exchange(choosers[port][w], 0); bits != 0; bits &= bits - 1) {
      const InLane& lane = in[at.first_lane + w * 64 + lowest(bits)];
      // It may have found another port since.
      if (lane.stage == Stage::waiting && (lane.flags & InLane::chooses) != 0) set_bit(want, lane);
    }
}

std::uint64_t State::buffered(Index lane) const {
  std::uint64_t flits = in[lane].have;
  if ((in[lane].flags & InLane::queue) == 0) return flits;
  for (Index id = queues[lane].first; id != nothing; id = segments[id].next)
    flits += segments[id].have;
  return flits;
}

void State::append(InLane& lane, Index lane_id, const Arrival& flit, std::uint16_t flags) {
  Index id = free_segment;
  if (id == nothing) {
    id = static_cast<Index>(segments.size());
    segments.emplace_back();
  } else {
    free_segment = segments[id].next;
  }
  segments[id] = {flit.packet, nothing, 1, flags};
  Queue& queue = queues[lane_id];
  if ((lane.flags & InLane::queue) == 0)
    queue.first = id;
  else
    segments[queue.last].next = id;
  queue.last = id;
  lane.flags |= InLane::queue;
}

Segment State::take_segment(InLane& lane, Index id) {
  Queue& queue = queues[id];
  const Index taken = queue.first;
  const Segment segment = segments[taken];
  queue.first = segment.next;
  if (queue.first == nothing) lane.flags &= static_cast<std::uint16_t>(~InLane::queue);
  segments[taken].next = free_segment;
  free_segment = taken;
  return segment;
}

void State::next_front(InLane& lane, Index id) {
  lane.out = nothing;
  lane.sent = 0;
  if ((lane.flags & InLane::queue) == 0) {
    lane.packet = nothing;
    lane.have = 0;
    lane.flags = 0;
    lane.stage = Stage::idle;
    return;
  }
  const Segment segment = take_segment(lane, id);
  lane.packet = segment.packet;
  lane.have = segment.have;
  lane.flags = static_cast<std::uint16_t>((lane.flags & InLane::queue) | segment.flags);
  lane.stage = Stage::routing;
  if (!store_and_forward || (lane.flags & InLane::ended) != 0) route_at(id, now + 1);
}

void State::route_at(Index id, Cycle when) { wants.push(when + head_delay, id); }

std::uint64_t State::entry_lanes(const Slot& slot) const {
  const Packet& packet = slot.packet;
  if (model.host_lanes) return lanes_for(packet, data_lanes);
  const Host& from = fabric[packet.from];
  const std::uint16_t first =
      packet.group == no_group
          ? steering(static_cast<Index>(from.on.index()), from.port, slot).lane_class
          : tables.groups[packet.group].lane;
  return lanes_for(packet, first < class_lanes.size() ? class_lanes[first] : data_lanes);
}

void State::more_slots() {
  slots.emplace_back();
  free(static_cast<Index>(slots.size() - 1));
}

}  // namespace weft::sim
