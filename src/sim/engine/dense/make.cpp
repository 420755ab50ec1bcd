// SPDX-License-Identifier: Apache-2.0
// Laying out a network in words: their numbers, which bits go together over links, and the table of
// ways.
#include <algorithm>
#include <bit>

#include "sim/engine/dense/dense.hpp"

namespace weft::sim {

void Dense::Later::make(std::size_t words_each, Cycle longest) {
  each = words_each;
  mask = std::bit_ceil(longest + 1) - 1;
  words.assign(each * (mask + 1), 0);
}

void Dense::make_words() {
  const auto width = [](std::uint64_t most) { return static_cast<Index>(std::bit_width(most)); };
  count_bits_ = width(state_.model.buffer);
  left_bits_ = width(state_.options.longest_packet - 1);
  const std::size_t ports = std::size_t{blocks_} * at_.ports() * at_.wide(),
                    lanes = ports * at_.lanes();
  for (auto* words :
       {&filled_, &head_, &sending_, &room_, &open_, &idle_, &nic_, &nic_open_, &lane_turn_})
    words->assign(lanes, 0);
  for (auto* numbers : {&count_, &credits_, &nic_credits_}) numbers->assign(lanes * count_bits_, 0);
  for (auto* numbers : {&left_, &nic_left_}) numbers->assign(lanes * left_bits_, 0);
  lane_of_.assign(lanes * std::max<Index>(lane_bits_, 1), 0);  // one lane: something to point to
  out_of_.assign(lanes * at_.ports(), 0);
  may_.assign(lanes * at_.lanes(), 0);
  for (auto* turns : {&grant_turn_, &accept_turn_}) turns->assign(ports * at_.ports(), 0);
  to_host_.assign(ports, 0);
  first_lane_.assign(std::size_t{blocks_} * 64 * at_.wide(), 0);
  first_port_ = first_lane_;
  for (Index s = 0; s < state_.switches.size(); ++s) {
    first_lane_[s] = state_.switches[s].first_lane;
    first_port_[s] = state_.switches[s].first_port;
  }
  for (Index host = 0; host < state_.nics.size(); ++host) {
    const Index lane = state_.ports[state_.switch_ports + host].peer * at_.lanes();
    entries_.push_back({.lane = lane,
                        .line = line_of(lane),
                        .word = static_cast<Index>(at_.word(place(lane))),
                        .bit = place(lane).bit % 64});
  }
  host_lines_ = static_cast<Index>(ports * 64 * at_.lanes()) * Knots::apart;
  packets_ = host_lines_ + static_cast<Index>(state_.nics.size()) * at_.lanes() * Knots::apart;
  more_knots(packets_ / Knots::apart);
  make_exits();
  uncovered_.resize(std::size_t{at_.ports()} * at_.wide() * 64 + 1);
  make_ways();
  plain_ = is_plain();
  make_hops();
}

void Dense::make_exits() {
  exits_.resize(state_.switches.size() * at_.ports());
  for (Index s = 0; s < state_.switches.size(); ++s)
    for (Index p = 0; p < state_.switches[s].ports; ++p)
      exits_[s * at_.ports() + p] = exit_of(state_.ports[first_port_[s] + p]);
  for (Index host = 0; host < state_.nics.size(); ++host)
    exits_.push_back(exit_of(state_.ports[state_.switch_ports + host]));
}

Dense::Exit Dense::exit_of(const Port& port) const {
  Exit exit{.flight = port.flight};
  if (port.peer == nothing) return exit;
  const Index lane = port.peer * at_.lanes();
  exit.line = line_of(lane);
  if (lane >= state_.switch_lanes) return exit;
  exit.home = state_.in[lane].home;
  exit.word = static_cast<Index>(at_.pair(place(lane), 0));
  return exit;
}

bool Dense::is_plain() { return looks_plain() && !ways_.empty() && count_to_go(); }

/// Whether the links between switches take the same time, and those from hosts and to hosts.
bool Dense::links_alike() {
  constexpr Index longest = 16;
  for (Index p = 0; p < state_.ports.size(); ++p) {
    const Port& port = state_.ports[p];
    if (port.peer == nothing) continue;
    Index& flight = state_.is_host(p)           ? nic_flight_
                    : state_.is_host(port.peer) ? host_flight_
                                                : flight_;
    if (port.flight > longest || (flight != 0 && flight != port.flight)) return false;
    flight = port.flight;
  }
  return true;
}

void Dense::make_hops() {
  Cycle longest_flight = 0, longest_back = 0;
  for (const Port& port : state_.ports) {
    longest_flight = std::max<Cycle>(longest_flight, port.flight);
    longest_back = std::max<Cycle>(longest_back, port.back);
  }
  arrivals_.make(head_.size(), longest_flight);
  credited_.make(2 * head_.size(), longest_back);
  wanted_.make(out_of_.size(), state_.head_delay + (plain_ ? longest_flight : 1));
  HopLists onward(to_host_.size()), from_nic(onward), backward(onward), to_nic(onward);
  for (Index s = 0; s < state_.switches.size(); ++s)
    for (Index p = 0; p < state_.switches[s].ports; ++p) {
      const Index own = first_port_[s] + p;
      const Port& port = state_.ports[own];
      const Place at = at_.place(s, p);  // its slot stands for the port
      if (port.peer == nothing) continue;
      if (state_.is_host(port.peer)) {
        to_host_[at_.port(at, p)] |= at.mask();
        host_ports_.push_back(at.block * at_.ports() + p);
        add_hop(from_nic, at, own, state_.ports[port.peer].flight);
        add_hop(to_nic, at, own, port.back);
      } else {
        add_hop(onward, at, port.peer, port.flight);
        add_hop(backward, at, port.peer, port.back);
      }
    }
  for (std::size_t i = 0; i < to_nic.size(); ++i)
    for (Hop hop : to_nic[i]) {
      hop.to += static_cast<Index>(head_.size());
      backward[i].push_back(hop);
    }
  const auto flatten = [](const HopLists& lists, Hops& out) {
    for (const std::vector<Hop>& list : lists) {
      out.first.push_back(static_cast<Index>(out.all.size()));
      out.all.insert(out.all.end(), list.begin(), list.end());
    }
    out.first.push_back(static_cast<Index>(out.all.size()));
  };
  flatten(onward, onward_);
  flatten(from_nic, from_nic_);
  flatten(backward, backward_);
  std::sort(host_ports_.begin(), host_ports_.end());
  host_ports_.erase(std::unique(host_ports_.begin(), host_ports_.end()), host_ports_.end());
}

/// Bits that go the same way go together. The slot of `from` is a port.
void Dense::add_hop(HopLists& lists, const Place& from, Index to_port, Index delay) const {
  const Index target = state_.switch_at(to_port);
  const Place to = at_.place(target, (to_port - state_.switches[target].first_port) * at_.lanes());
  const Hop hop{.from = from.mask(),
                .to = static_cast<Index>(at_.word(to)),
                .delay = delay,
                .rotate = static_cast<int>((to.bit + 64 - from.bit % 64) % 64)};
  std::vector<Hop>& ways = lists[at_.port(from, from.slot)];
  const auto same = std::find_if(ways.begin(), ways.end(), [&](const Hop& other) {
    return other.to == hop.to && other.delay == hop.delay && other.rotate == hop.rotate;
  });
  if (same == ways.end())
    ways.push_back(hop);
  else
    same->from |= hop.from;
}

void Dense::make_ways() {
  const std::size_t switches = state_.switches.size();
  constexpr std::size_t most = 1 << 26;
  if (!state_.steering.by_destination() || switches * state_.fabric.host_count() > most) return;
  Slot slot;
  for (const HostId to : state_.fabric.hosts()) {
    slot.packet.to = to;
    for (Index s = 0; s < switches; ++s) {
      const Steering::Way way = state_.steering(s, 1, slot);
      const bool leads = state_.leads_on(state_.switches[s], way, to);
      ways_.push_back(leads ? static_cast<std::uint8_t>(way.port - 1) : nowhere);
    }
  }
}

/// Counts the switches of all ways. False where some lead nowhere, or in a circle, or too far.
bool Dense::count_to_go() {
  const std::size_t switches = state_.switches.size();
  to_go_.assign(ways_.size(), 0);
  std::vector<Index> passed;
  for (std::size_t row = 0; row < ways_.size(); row += switches)
    for (Index start = 0; start < switches; ++start) {
      passed.clear();
      for (Index s = start; to_go_[row + s] == 0;) {
        passed.push_back(s);
        if (ways_[row + s] == nowhere || passed.size() > most_to_go) return false;
        const Index next = state_.ports[first_port_[s] + ways_[row + s]].peer;
        if (state_.is_host(next)) {
          to_go_[row + s] = 1;
          passed.pop_back();
        } else {
          s = state_.switch_at(next);
        }
      }
      for (; !passed.empty(); passed.pop_back()) {
        const Index s = passed.back();
        const Index next = state_.ports[first_port_[s] + ways_[row + s]].peer;
        const std::uint8_t from_there = to_go_[row + state_.switch_at(next)];
        if (from_there == most_to_go) return false;
        to_go_[row + s] = static_cast<std::uint8_t>(from_there + 1);
      }
    }
  return true;
}

}  // namespace weft::sim
