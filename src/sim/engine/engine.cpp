// SPDX-License-Identifier: Apache-2.0
// The cycle: what happens in it and in which order, and the jumps over cycles in which nothing
// does.
#include "sim/engine/engine.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sim/engine/stall.hpp"

namespace weft::sim {
namespace {

constexpr Cycle audit_interval = 97;  ///< how often to look at the books, where that is asked for

}  // namespace

Engine::Engine(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
               const NetworkOptions& options)
    : state(fabric, tables, model, options),
      by_out_(state.port_of_bit.size()),
      by_in_(state.port_of_bit.size()),
      by_lane_(state.port_of_bit.size()),
      rng_(options.seed),
      dense_(make_dense(state)),
      choice_interval_(std::min<Cycle>(256, options.review)),
      auditor_(state) {
  for (const Group& group : tables.groups) {
    auto& members = members_.emplace_back(fabric.host_count(), false);
    for (const HostId member : group.members) members[member.index()] = true;
  }
  plan_failures();
  plan_glitches();
  next_look_ = options.review;
  next_choice_ = choice_interval_;
}

NetworkEnd Engine::run(Network& network, Driver& driver, Cycle until) {
  network_ = &network;
  driver_ = &driver;
  while (state.now < until) {
    if (dense_ && state.now >= next_choice_) choose_path();
    if (!dense() && state.busy.empty() && state.active.empty()) {
      const Cycle next = next_event();
      if (next == never) {
        if (stalled()) return NetworkEnd::deadlocked;
        auditor_.drained(state);
        return NetworkEnd::quiet;
      }
      if (next > state.now) {
        state.now = std::min(next, until);
        continue;
      }
    }
    step();
    ++state.now;
    if (state.options.check && state.now % audit_interval == 0) auditor_.look(state);
    if (state.now < next_look_) continue;
    next_look_ = state.now + state.options.review;
    if (stalled()) return NetworkEnd::deadlocked;
  }
  return NetworkEnd::in_time;
}

RouteId Engine::add_route(HostId from, HostId to, std::span<const PortNumber> tags) {
  const RouteId route = state.steering.own_routes().add(from, to, tags);
  next_choice_ = 0;
  return route;
}

PortNumber Engine::add_links(const std::vector<PortNumber>& ports) {
  const PortNumber tag = state.steering.own_routes().add_links(ports);
  state.allow_choices();
  next_choice_ = 0;
  return tag;
}

/// In words or by events, whichever would have been faster since the last choice; packets with
/// routes of their own by events.
void Engine::choose_path() {
  if (state.steering.has_own_routes()) {
    if (dense()) dense_->leave();
    dense_.reset();
    return;
  }
  const Pace pace = state.options.pace;
  const Cycle since = state.now + choice_interval_ - next_choice_;
  const bool words = pace == Pace::automatic
                         ? dense_->pays(state.totals.flit_hops - hops_then_, since)
                         : pace == Pace::bit_sliced;
  hops_then_ = state.totals.flit_hops;
  next_choice_ = state.now + choice_interval_;
  if (words && !dense()) dense_->enter();
  if (!words && dense()) dense_->leave();
}

bool Engine::stalled() {
  const bool in_words = dense();
  if (in_words && !dense_->lacks_room()) {
    dense_->count_sent();
    return false;
  }
  if (in_words) dense_->leave();
  if (const auto found = find_stall(state)) explanation = *found;
  if (in_words) dense_->enter();
  return !explanation.empty();
}

Cycle Engine::next_event() const {
  Cycle next = std::min({state.arrivals.next(state.now), state.ejections.next(state.now),
                         state.credits.next(state.now), state.wants.next(state.now),
                         state.timers.next(state.now)});
  if (!failures_.empty()) next = std::min(next, std::max(failures_.back().at, state.now));
  return next;
}

void Engine::step() {
  if (!failures_.empty() && failures_.back().at <= state.now) fail_due();
  fired_.clear();
  state.timers.take(state.now, fired_);
  if (!fired_.empty()) driver_->timers(*network_, fired_);
  if (dense()) {
    dense_->take_arrivals();
  } else if (state.fast) {
    take_credits_fast();
    take_arrivals_fast();
  } else {
    state.credits.take(state.now, [this](Index signal) { take_signal(signal); });
    state.arrivals.take(state.now, [this](const Arrival& flit) { arrive_full(flit); });
  }
  take_ejections();
  state.wants.take(state.now, [this](Index id) { route_front(state.in[id], id); });
  if (dense()) {
    if (!dense_->serve()) dense_->leave();
    return;
  }
  state.active.filter([this](Index host) { return inject(host); });
  if (state.fast) {
    state.busy.filter([this](Index at) { return serve_fast(at); });
  } else {
    state.busy.filter([this](Index at) { return serve_full(at); });
    if (!breakages_.empty()) tell_breakages();
  }
}

void Engine::take_ejections() {
  state.ejections.take(state.now, [this](const Arrival& flit) {
    if (state.fast) {                                         // nothing else can become of it
      const Packet packet = state.slots[flit.packet].packet;  // slots may move
      const unsigned hops = state.slots[flit.packet].hops;
      state.free(flit.packet);
      deliver(packet, packet.to, hops);
      return;
    }
    const Index port = state.port_of(flit.lane & Arrival::lane_mask);
    const HostId host(port - state.switch_ports);
    if ((flit.lane & Arrival::fills) != 0) {
      if (state.is_dead(port)) return;  // the packet may have ended before
      const Slot& slot = state.slots[flit.packet];
      Fate& fate = state.fate(flit.packet);
      const Packet packet = slot.packet;  // slots may move
      const bool bad = (flit.lane & Arrival::bad) != 0, group = packet.group != no_group;
      if (bad && group) damaged_[flit.packet].insert(host);
      if (bad && !group) fate.lose(Loss::corrupted);
      const bool whole = group ? !bad : fate.loss == Fate::none;
      const unsigned hops = group ? depth(packet, host) : slot.hops;
      driver_->filled(*network_, packet, host, whole, hops);
      return;
    }
    if ((flit.lane & Arrival::tail) == 0) {  // the head of a circuit
      if (state.is_dead(port)) return;
      const Packet packet = state.slots[flit.packet].packet;
      driver_->reached(*network_, packet, host);
      return;
    }
    std::optional<Loss> why;
    const auto damaged = damaged_.find(flit.packet);
    if ((flit.lane & Arrival::bad) != 0 ||
        (damaged != damaged_.end() && damaged->second.count(host) != 0))
      why = Loss::corrupted;
    if (state.is_dead(port)) {
      why = Loss::link_down;
      broke_to_host(flit.packet, host);
    }
    if (why) state.take_packet(static_cast<Index>(host.index()));
    end_piece(flit.packet, host, why);
  });
}

void Engine::route_front(InLane& lane, Index id) {
  if (lane.stage != Stage::routing) return;  // the switch has failed
  if ((lane.flags & InLane::routed) != 0) {
    lane.flags &= static_cast<std::uint16_t>(~InLane::routed);
    lane.stage = Stage::waiting;
    state.set_bit(state.want, lane);
    return;
  }
  Slot& slot = state.slots[lane.packet];
  if (slot.packet.group != no_group) {
    start_branches(lane, id);
    return;
  }
  const SwitchState& at = state.switches[lane.home];
  const auto in_port = static_cast<PortNumber>(state.port_of_bit[lane.bit] + 1);
  const Steering::Way way = state.steering(lane.home, in_port, slot);
  if (!state.leads_on(at, way, slot.packet.to)) {
    if (Steering::is_choice(way))
      start_choice(lane, id, way.port);
    else
      drain(lane, id, Loss::no_route);
    return;
  }
  if (++slot.hops > 4 * state.switches.size() + 4) {
    drain(lane, id, Loss::loop);
    return;
  }
  slot.lane_class = lane.lane_class = way.lane_class;
  lane.port = static_cast<std::uint16_t>(way.port - 1);
  if (state.is_dead(at.first_port + lane.port)) {
    drain(lane, id, Loss::link_down, at.first_port + lane.port);
    return;
  }
  lane.stage = Stage::waiting;
  state.set_bit(state.want, lane);
}

}  // namespace weft::sim
