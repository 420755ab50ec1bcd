// SPDX-License-Identifier: Apache-2.0
// Words on several threads. A part has the words of its blocks, of arrays that all share. What it
// sends to the blocks of another part, flits and credits as bits and packets one by one, stays with
// it: the other one takes bits when they are due, and packets when the window is over, before they
// can arrive.
#include <algorithm>
#include <utility>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {

bool BitSliced::can_part() {
  if (blocks_ == 1) return false;
  if (phases_.any()) return first_port_.empty() ? looks_plain() : plain_;
  if (!routes_end_) routes_end_ = routes_end();
  return *routes_end_;
}

/// Whether a table of next ports, with lanes that all switches have, leads every packet to its
/// host.
bool BitSliced::routes_end() const {
  if (!routing_.by_destination() && !routing_.by_turns()) return false;
  const std::size_t switches = layout_.switches.size();
  constexpr std::size_t most = 1 << 26;  // more would take longer than words gain
  if (switches * layout_.fabric.host_count() > most) return false;
  constexpr Index unknown = 0;
  std::vector<Index> to_go(switches);  // switches, with this one
  std::vector<Index> passed;
  for (Index host = 0; host < layout_.fabric.host_count(); ++host) {
    std::fill(to_go.begin(), to_go.end(), unknown);
    for (Index start = 0; start < switches; ++start) {
      passed.clear();
      for (Index s = start; to_go[s] == unknown;) {
        const std::uint16_t number = layout_.out_ports(s, host);
        if (number + 1U >= first_link_group || passed.size() >= layout_.most_hops) return false;
        const SwitchPort& port = units_.ports[layout_.switches[s].first + number];
        if (port.peer == nothing) return false;
        if (port.to_host) {
          to_go[s] = 1;
        } else {
          passed.push_back(s);
          s = units_.ports[port.peer].home;
        }
      }
      for (; !passed.empty(); passed.pop_back()) {
        const Index s = passed.back();
        const std::size_t out = layout_.switches[s].first + layout_.out_ports(s, host);
        to_go[s] = to_go[units_.ports[units_.ports[out].peer].home] + 1;
        if (to_go[s] > layout_.most_hops) return false;
      }
    }
  }
  return true;
}

BitSliced::BitSliced(BitSliced& whole, const PipelineUnits& of, const std::vector<Index>& switches)
    : units_(of.units),
      layout_(whole.layout_),
      routing_(of.routing),
      choices_(of.choices),
      phases_(of.phases),
      injection_(of.injection),
      at_(whole.at_),
      blocks_(whole.blocks_),
      count_bits_(whole.count_bits_),
      left_bits_(whole.left_bits_),
      lane_bits_(whole.lane_bits_),
      set_bits_(whole.set_bits_),
      flight_(whole.flight_),
      nic_flight_(whole.nic_flight_),
      host_flight_(whole.host_flight_),
      any_idle_lane_(whole.any_idle_lane_),
      plain_classes_(whole.plain_classes_),
      plain_phases_(whole.plain_phases_),
      first_row_(whole.first_row_),
      rows_behind_(whole.rows_behind_),
      plain_(whole.plain_),
      equal_links_(whole.equal_links_),
      is_own_(whole.blocks_, 0) {
  const auto each = [](auto& own, auto& other) { own.share(other); };
  each(head_, whole.head_);
  each(count_, whole.count_);
  each(filled_, whole.filled_);
  each(left_, whole.left_);
  each(lane_set_, whole.lane_set_);
  each(out_of_, whole.out_of_);
  each(lane_of_, whole.lane_of_);
  each(sending_, whole.sending_);
  each(room_, whole.room_);
  each(nic_, whole.nic_);
  each(nic_left_, whole.nic_left_);
  each(nic_credits_, whole.nic_credits_);
  each(nic_open_, whole.nic_open_);
  each(credits_, whole.credits_);
  each(open_, whole.open_);
  each(idle_, whole.idle_);
  each(closed_, whole.closed_);
  each(to_host_, whole.to_host_);
  each(grant_turn_, whole.grant_turn_);
  each(accept_turn_, whole.accept_turn_);
  each(lane_turn_, whole.lane_turn_);
  each(arrivals_, whole.arrivals_);
  each(lane_requested_, whole.lane_requested_);
  each(credited_, whole.credited_);
  each(choosing_, whole.choosing_);
  each(waiting_, whole.waiting_);
  each(released_, whole.released_);
  each(entries_, whole.entries_);
  each(first_port_, whole.first_port_);
  each(link_targets_, whole.link_targets_);
  each(next_ports_, whole.next_ports_);
  each(hops_to_go_, whole.hops_to_go_);
  each(phase_hops_, whole.phase_hops_);
  queues_.make_like(whole.queues_);
  new_heads_.resize(whole.new_heads_.size());
  for (const Index s : switches) is_own_[s / switches_of_block()] = 1;
  for (Index block = 0; block < blocks_; ++block)
    if (is_own_[block] != 0) own_blocks_.push_back(block);
  for (const Index port : whole.host_ports_)
    if (is_own_[port / at_.ports()] != 0) host_ports_.push_back(port);
  from_nic_ = whole.from_nic_;
  split(whole.onward_, onward_, far_onward_);
  split(whole.backward_, backward_, far_backward_);
  far_arrivals_.make(arrivals_.each, arrivals_.mask + units_.lookahead);
  far_credited_.make(credited_.each, credited_.mask + units_.lookahead);
}

/// Shifts to blocks of this part, and to those of others.
void BitSliced::split(const WordShifts& all, WordShifts& near, WordShifts& far) const {
  const std::size_t words = std::size_t{at_.switch_lanes()} * at_.wide();  // of a block
  for (std::size_t i = 0; i + 1 < all.first.size(); ++i) {
    near.first.push_back(static_cast<Index>(near.all.size()));
    far.first.push_back(static_cast<Index>(far.all.size()));
    for (Index h = all.first[i]; h < all.first[i + 1]; ++h) {
      const Index block = static_cast<Index>(all.all[h].to / words) % blocks_;  // or its NICs
      (is_own_[block] != 0 ? near : far).all.push_back(all.all[h]);
    }
  }
  near.first.push_back(static_cast<Index>(near.all.size()));
  far.first.push_back(static_cast<Index>(far.all.size()));
}

/// The words of a part's blocks that shifts of this part lead to.
std::vector<Index> BitSliced::far_words(const WordShifts& shifts, const BitSliced& of_part) const {
  const std::size_t words = std::size_t{at_.switch_lanes()} * at_.wide();
  std::vector<Index> out;
  for (std::size_t i = 0; i + 1 < shifts.first.size(); ++i) {
    const auto block = static_cast<Index>(i / (std::size_t{at_.ports()} * at_.wide()));
    if (is_own_[block] == 0) continue;
    for (Index h = shifts.first[i]; h < shifts.first[i + 1]; ++h) {
      if (of_part.is_own_[shifts.all[h].to / words] == 0) continue;
      for (Index v = 0; v < at_.lanes(); ++v) out.push_back(shifts.all[h].to + v * at_.wide());
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void BitSliced::join_parts(const std::vector<BitSliced*>& parts) {
  for (Index number = 0; number < parts.size(); ++number) {
    BitSliced& part = *parts[number];
    part.number_ = number;
    for (auto& joins : part.far_joins_) joins.resize(parts.size());
    part.part_of_block_.assign(part.blocks_, 0);
    for (Index other = 0; other < parts.size(); ++other) {
      for (const Index block : parts[other]->own_blocks_) part.part_of_block_[block] = other;
      if (other == number) continue;
      BitSliced& from = *parts[other];
      part.incoming_.push_back({&from, from.far_words(from.far_onward_, part),
                                from.far_words(from.far_backward_, part)});
    }
  }
  for (BitSliced* part : parts)
    for (const FarWords& words : part->incoming_) {
      auto& arrivals = words.from->arrivals_to_others_;
      auto& credits = words.from->credits_to_others_;
      arrivals.insert(arrivals.end(), words.arrivals.begin(), words.arrivals.end());
      credits.insert(credits.end(), words.credits.begin(), words.credits.end());
    }
}

/// Of the switches of a part.
template <class Visit>
void BitSliced::each_own_lane(Visit visit) const {
  each_lane([&](Index id) {
    if (is_own(units_.ports[layout_.port_of(id)].home / switches_of_block())) visit(id);
  });
}

void BitSliced::give_packets(const std::vector<BitSliced*>& parts) {
  for (BitSliced* part : parts) {
    if (plain_) part->queues_.reserve_packets(units_.packets.size());
    part->each_own_lane([&](Index id) {
      if (units_.ports[layout_.port_of(id)].peer == nothing) return;
      const Index beyond = queue_of(units_.other_end(id));
      queues_.move(queue_of(id), part->queues_);
      part->queues_[beyond].last_holder = queues_[beyond].last_holder;
    });
  }
}

void BitSliced::begin_window() {
  take_joins_of_others(window_++);
  for (auto& joins : far_joins_[window_ % 2]) joins.clear();
}

void BitSliced::take_joins_of_others(std::size_t window) {
  for (const FarWords& words : incoming_) take_joins(words.from->far_joins_[window % 2][number_]);
}

void BitSliced::take_back(const std::vector<BitSliced*>& parts) {
  const auto add = [now = units_.now](DelayedWords& all, DelayedWords& far,
                                      const std::vector<Index>& words) {
    for (Cycle at = now; at <= now + all.mask; ++at)
      for (const Index word : words) all.at(at)[word] |= std::exchange(far.at(at)[word], 0);
  };
  for (BitSliced* part : parts) part->take_joins_of_others(part->window_);
  if (plain_) queues_.reserve_packets(units_.packets.size());
  for (BitSliced* part : parts) {
    add(arrivals_, part->far_arrivals_, part->arrivals_to_others_);
    add(credited_, part->far_credited_, part->credits_to_others_);
    for (auto& window : part->far_joins_)
      for (auto& joins : window) joins.clear();
    part->each_own_lane([&](Index id) {
      if (units_.ports[layout_.port_of(id)].peer == nothing) return;
      const Index own = queue_of(id), beyond = queue_of(units_.other_end(id));
      part->queues_.move(own, queues_);
      queues_[beyond].last_holder = part->queues_[beyond].last_holder;
      queues_[own].sent += std::exchange(part->queues_[own].sent, 0);
      if (queues_.leads_to_host(beyond))
        queues_[beyond].sent += std::exchange(part->queues_[beyond].sent, 0);
    });
  }
}

void BitSliced::receive_far_words() {
  const auto take = [now = units_.now](DelayedWords& own, DelayedWords& far,
                                       const std::vector<Index>& words) {
    Word *const to = own.at(now), *const from = far.at(now);
    for (const Index word : words) to[word] |= std::exchange(from[word], 0);
  };
  for (const FarWords& words : incoming_) {
    take(arrivals_, words.from->far_arrivals_, words.arrivals);
    take(credited_, words.from->far_credited_, words.credits);
  }
}

}  // namespace weft::sim
