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
  lane_bits_ = width(at_.lanes() - 1);
  const std::size_t ports = std::size_t{blocks_} * at_.ports() * at_.wide(),
                    lanes = ports * at_.lanes();
  for (auto* words : {&empty_, &filled_, &head_, &room_, &open_, &nic_, &lane_turn_})
    words->assign(lanes, 0);
  for (auto* numbers : {&count_, &credits_, &nic_credits_}) numbers->assign(lanes * count_bits_, 0);
  for (auto* numbers : {&left_, &nic_left_}) numbers->assign(lanes * left_bits_, 0);
  lane_of_.assign(lanes * lane_bits_, 0);
  for (auto* pairs : {&wants_, &senders_}) pairs->assign(lanes * at_.ports(), 0);
  for (auto* turns : {&grant_turn_, &accept_turn_}) turns->assign(ports * at_.ports(), 0);
  for (auto* words : {&has_idle_, &to_host_}) words->assign(ports, 0);
  idle_.assign(state_.switch_ports, 0);
  first_lane_.assign(std::size_t{blocks_} * 64 * at_.wide(), 0);
  first_port_ = first_lane_;
  for (Index s = 0; s < state_.switches.size(); ++s) {
    first_lane_[s] = state_.switches[s].first_lane;
    first_port_[s] = state_.switches[s].first_port;
  }
  one_class_ = state_.class_lanes.size() == 1 && state_.control_shift == 0;
  make_hops();
  make_ways();
}

void Dense::make_hops() {
  Cycle longest_flight = 0, longest_back = 0;
  for (const Port& port : state_.ports) {
    longest_flight = std::max<Cycle>(longest_flight, port.flight);
    longest_back = std::max<Cycle>(longest_back, port.back);
  }
  arrivals_.make(empty_.size(), longest_flight);
  credited_.make(2 * empty_.size(), longest_back);
  wanted_.make(wants_.size(), state_.head_delay + 1);
  HopLists onward(has_idle_.size()), from_nic(onward), backward(onward), to_nic(onward);
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
      hop.to += static_cast<Index>(empty_.size());
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

}  // namespace weft::sim
