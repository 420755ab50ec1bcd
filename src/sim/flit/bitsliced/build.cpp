// SPDX-License-Identifier: Apache-2.0
// Laying out a network in words: their numbers, which bits go together over links, and the table of
// next ports.
#include <algorithm>
#include <bit>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {

void BitSliced::make_words() {
  const auto width = [](std::uint64_t most) { return static_cast<Index>(std::bit_width(most)); };
  count_bits_ = width(layout_.buffer);
  left_bits_ = width(layout_.options.longest_packet - 1);
  const std::size_t ports = std::size_t{blocks_} * at_.ports() * at_.wide(),
                    lanes = ports * at_.lanes();
  for (auto* words :
       {&filled_, &head_, &sending_, &room_, &open_, &idle_, &nic_, &nic_open_, &lane_turn_})
    words->assign(lanes, 0);
  if (layout_.empty_lanes) closed_.assign(lanes, 0);
  for (auto* numbers : {&count_, &credits_, &nic_credits_}) numbers->assign(lanes * count_bits_, 0);
  for (auto* numbers : {&left_, &nic_left_}) numbers->assign(lanes * left_bits_, 0);
  lane_of_.assign(lanes * std::max<Index>(lane_bits_, 1), 0);  // one lane: something to point to
  out_of_.assign(lanes * at_.ports(), 0);
  lane_set_.assign(lanes * set_bits_, 0);
  for (auto* turns : {&grant_turn_, &accept_turn_}) turns->assign(ports * at_.ports(), 0);
  to_host_.assign(ports, 0);
  first_port_.assign(std::size_t{blocks_} * 64 * at_.wide(), 0);
  for (Index s = 0; s < layout_.switches.size(); ++s) first_port_[s] = layout_.switches[s].first;
  queues_.make(ports * 64 * at_.lanes(), injection_.nics.size() << layout_.lane_bits);
  make_link_targets();
  new_heads_.resize(std::size_t{at_.ports()} * at_.wide() * 64 + 1);
  make_next_ports();
  plain_ = looks_plain() &&
           (plain_phases_ ? make_phase_hops() : !next_ports_.empty() && count_hops_to_go());
  if (plain_) queues_.number_by_packet();
  make_links();
}

void BitSliced::make_link_targets() {
  const auto switches = static_cast<Index>(layout_.switches.size());
  link_targets_.resize(std::size_t{switches} * at_.ports(), {});
  for (Index s = 0; s < switches; ++s)
    for (Index p = 0; p < layout_.switches[s].count; ++p)
      link_targets_[s * at_.ports() + p] = link_target_of(units_.ports[first_port_[s] + p]);
  for (Index host = 0; host < injection_.nics.size(); ++host) {
    const SwitchPort& port = units_.ports[layout_.switch_ports + host];
    const Index lane = port.peer << layout_.lane_bits;
    link_targets_.push_back(link_target_of(port));
    entries_.push_back({.lane = lane,
                        .queue = queue_of(lane),
                        .word = static_cast<Index>(at_.word(place(lane))),
                        .bit = place(lane).bit % 64});
  }
}

BitSliced::LinkTarget BitSliced::link_target_of(const SwitchPort& port) const {
  LinkTarget target{.flight = static_cast<std::uint16_t>(port.flight)};
  if (port.peer == nothing) return target;
  const Index lane = port.peer << layout_.lane_bits;
  target.queue = queue_of(lane);
  target.home = units_.ports[port.peer].home;
  target.port = units_.ports[port.peer].number;
  if (!port.to_host) target.word = static_cast<Index>(at_.pair(place(lane), 0));
  return target;
}

bool BitSliced::has_equal_links() {
  constexpr Index longest = 16;
  for (Index p = 0; p < units_.ports.size(); ++p) {
    const SwitchPort& port = units_.ports[p];
    if (port.peer == nothing) continue;
    Index& flight = layout_.is_host(p) ? nic_flight_ : port.to_host ? host_flight_ : flight_;
    if (port.flight > longest || (flight != 0 && flight != port.flight)) return false;
    flight = port.flight;
  }
  return true;
}

void BitSliced::make_links() {
  Cycle longest_flight = 0, longest_back = 0;
  for (const SwitchPort& port : units_.ports) {
    longest_flight = std::max<Cycle>(longest_flight, port.flight);
    longest_back = std::max<Cycle>(longest_back, port.back);
  }
  arrivals_.make(head_.size(), longest_flight);
  credited_.make(2 * head_.size(), longest_back);
  if (phases_.any()) {
    choosing_.make(head_.size(), layout_.head_delay + 1);
    waiting_.assign(head_.size(), 0);
    released_.assign(std::size_t{blocks_} * at_.wide(), 0);
  }
  lane_requested_.make(out_of_.size(), layout_.head_delay + (plain_ ? longest_flight : 1));
  ShiftLists onward(to_host_.size()), from_nic(onward), backward(onward), to_nic(onward);
  for (Index own = 0; own < layout_.switch_ports; ++own) {
    const SwitchPort& port = units_.ports[own];
    const LanePlace at = at_.place(port.home, port.number);  // its lane stands for the port
    if (port.peer == nothing) continue;
    if (port.to_host) {
      to_host_[at_.port(at, port.number)] |= at.mask();
      host_ports_.push_back(at.block * at_.ports() + port.number);
      add_shift(from_nic, at, own, units_.ports[port.peer].flight);
      add_shift(to_nic, at, own, port.back);
    } else {
      add_shift(onward, at, port.peer, port.flight);
      add_shift(backward, at, port.peer, port.back);
    }
  }
  for (std::size_t i = 0; i < to_nic.size(); ++i)
    for (WordShift shift : to_nic[i]) {
      shift.to += static_cast<Index>(head_.size());
      backward[i].push_back(shift);
    }
  const auto flatten = [](const ShiftLists& lists, WordShifts& out) {
    for (const std::vector<WordShift>& list : lists) {
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

/// Bits that go equally far go together. The lane of `from` is a port.
void BitSliced::add_shift(ShiftLists& lists, const LanePlace& from, Index to_port,
                          Index delay) const {
  const LanePlace to = place(to_port << layout_.lane_bits);
  const WordShift shift{.from = from.mask(),
                        .to = static_cast<Index>(at_.word(to)),
                        .delay = delay,
                        .rotate = static_cast<int>((to.bit + 64 - from.bit % 64) % 64)};
  std::vector<WordShift>& list = lists[at_.port(from, from.lane)];
  const auto same = std::find_if(list.begin(), list.end(), [&](const WordShift& other) {
    return other.to == shift.to && other.delay == shift.delay && other.rotate == shift.rotate;
  });
  if (same == list.end())
    list.push_back(shift);
  else
    same->from |= shift.from;
}

void BitSliced::make_next_ports() {
  const std::size_t switches = layout_.switches.size(), hosts = layout_.fabric.host_count();
  constexpr std::size_t most = 1 << 26;
  if ((!routing_.by_destination() && !plain_classes_) || switches * hosts > most) return;
  next_ports_.reserve(switches * hosts);
  for (Index to = 0; to < hosts; ++to)
    for (Index s = 0; s < switches; ++s) {
      const std::uint16_t port = layout_.out_ports(s, to);
      next_ports_.push_back(port == PortTable::nowhere ? nowhere : static_cast<std::uint8_t>(port));
    }
}

/// Counts the switches of all routes. False where some lead nowhere, or in a circle, or too far.
bool BitSliced::count_hops_to_go() {
  const std::size_t switches = layout_.switches.size();
  hops_to_go_.assign(next_ports_.size(), 0);
  const auto next_from = [&](std::size_t row, Index s) -> const SwitchPort& {
    return units_.ports[first_port_[s] + next_ports_[row + s]];
  };
  std::vector<Index> passed;
  for (std::size_t row = 0; row < next_ports_.size(); row += switches)
    for (Index start = 0; start < switches; ++start) {
      passed.clear();
      for (Index s = start; hops_to_go_[row + s] == 0;) {
        passed.push_back(s);
        if (next_ports_[row + s] == nowhere || passed.size() > most_hops_to_go) return false;
        const SwitchPort& next = next_from(row, s);
        if (next.to_host) {
          hops_to_go_[row + s] = 1;
          passed.pop_back();
        } else {
          s = units_.ports[next.peer].home;
        }
      }
      for (; !passed.empty(); passed.pop_back()) {
        const Index s = passed.back();
        const std::uint8_t there = hops_to_go_[row + units_.ports[next_from(row, s).peer].home];
        if (there == most_hops_to_go) return false;
        hops_to_go_[row + s] = static_cast<std::uint8_t>(there + 1);
      }
    }
  return true;
}

}  // namespace weft::sim
